/** Requests about processing jobs. */
import type { Result } from '../../../preload/contract/errors.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import {
  abortJobOf,
  restartJobOf,
  createJobPages,
  jobDetail,
  jobLog,
  lastJobOptions,
  retryJobOf,
  startJobOf,
} from '../../engine/queries/jobPages.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';
import { withConnection } from './withConnection.ts';

function requireOffered(isOffered: boolean): Result<null> {
  return isOffered
    ? ok(null)
    : fail('service.refused', { said: 'the service does not offer this', offered: false });
}

/** Handles `job.*`. */
export function jobHandlers(context: AppContext) {
  const { host, allowed } = context;
  const pages = createJobPages();
  return {
    'job.page': async (query) => {
      const id = host.selectedId();
      return ok(await pages(host.workingConnection(id), host.store, id, query));
    },
    'job.detail': async ({ jobId }) =>
      withConnection(host, (connection) => jobDetail(connection, jobId)),
    'job.logs': async ({ jobId }) =>
      withConnection(host, (connection) => jobLog(connection, jobId)),
    'job.start': async (input) =>
      withConnection(host, async (connection) => {
        const refused = await allowed.require([input.downloadTo]);
        return refused.ok ? startJobOf(connection, input, host.receiver.url()) : refused;
      }),
    'job.abort': async ({ jobId }) =>
      withConnection(host, async (connection) => {
        const isOffered = await abortJobOf(connection, jobId);
        return isOffered.ok ? requireOffered(isOffered.value) : isOffered;
      }),
    'job.restart': async ({ jobId }) =>
      withConnection(host, async (connection) => {
        const isOffered = await restartJobOf(connection, jobId);
        return isOffered.ok ? requireOffered(isOffered.value) : isOffered;
      }),
    'job.retry': async ({ jobId }) =>
      withConnection(host, (connection) => retryJobOf(connection, jobId)),
    'job.lastOptions': async () => ok(lastJobOptions(host.store)),
  } satisfies Partial<Handlers>;
}
