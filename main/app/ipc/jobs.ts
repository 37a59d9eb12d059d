import { ok } from '../../engine/core/errors.ts';
import {
  commandJobOf,
  lastJobOptions,
  retryJobOf,
  startJobOf,
} from '../../engine/decisions/jobs.ts';
import { createJobPages, jobDetail, jobLog, knownJob } from '../../engine/queries/jobPages.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';
import { withConnection } from './withConnection.ts';

export function jobHandlers(context: AppContext) {
  const { host, allowed } = context;
  const pages = createJobPages();
  const connected = withConnection(host);
  return {
    'job.page': async (query) => ok(await pages(host.selection(), query)),
    'job.detail': connected(({ runner }, { jobId }) => jobDetail(runner.pipeline, jobId)),
    'job.known': async ({ jobId }) => ok(knownJob(host.store, host.selectedId(), jobId)),
    'job.logs': connected(({ runner }, { jobId }) => jobLog(runner.pipeline, jobId)),
    'job.start': connected((connection, input) =>
      allowed.run([input.downloadTo], () => startJobOf(connection, input, host.receiver.url())),
    ),
    'job.abort': connected((connection, { jobId }) => commandJobOf(connection, jobId, 'abort')),
    'job.restart': connected((connection, { jobId }) => commandJobOf(connection, jobId, 'restart')),
    'job.retry': connected((connection, { jobId }) => retryJobOf(connection, jobId)),
    'job.lastOptions': async () => ok(lastJobOptions(host.store)),
  } satisfies Partial<Handlers>;
}
