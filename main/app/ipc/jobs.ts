/** Requests about processing jobs. */
import { fail, ok } from '../../engine/core/errors.ts';
import {
  abortJobOf,
  createJobPages,
  jobDetail,
  jobLog,
  lastJobOptions,
  retryJobOf,
  startJobOf,
} from '../../engine/queries/jobPages.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './requestTypes.ts';

type Family = Pick<
  Handlers,
  | 'job.page'
  | 'job.detail'
  | 'job.logs'
  | 'job.start'
  | 'job.abort'
  | 'job.restart'
  | 'job.retry'
  | 'job.lastOptions'
>;

const NOT_OFFERED = { said: 'the service does not offer this', offered: false };

/** Handlers of jobs. */
export function jobHandlers(context: AppContext): Family {
  const { station, allowed } = context;
  const pages = createJobPages();
  return {
    'job.page': async (query) => {
      const id = station.selected()?.id ?? 0;
      return ok(await pages(station.line(id), station.store, id, query));
    },
    'job.detail': async ({ jobId }) => {
      const line = station.working();
      return line.ok ? jobDetail(line.value, jobId) : line;
    },
    'job.logs': async ({ jobId }) => {
      const line = station.working();
      return line.ok ? jobLog(line.value, jobId) : line;
    },
    'job.start': async (wish) => {
      const line = station.working();
      if (!line.ok) return line;
      if (wish.downloadTo !== null && !(await allowed.has(wish.downloadTo))) {
        return fail('usage.invalid', { said: 'choose the folder in the dialog' });
      }
      return startJobOf(line.value, wish, station.receiver.url());
    },
    'job.abort': async ({ jobId }) => {
      const line = station.working();
      if (!line.ok) return line;
      const done = await abortJobOf(line.value, jobId);
      if (!done.ok) return done;
      return done.value ? ok(null) : fail('service.refused', NOT_OFFERED);
    },
    'job.restart': async ({ jobId }) => {
      const line = station.working();
      if (!line.ok) return line;
      const { client, signal } = line.value.running.line;
      const done = await client.restartJob(jobId, null, signal);
      if (!done.ok) return done;
      return done.value ? ok(null) : fail('service.refused', NOT_OFFERED);
    },
    'job.retry': async ({ jobId }) => {
      const line = station.working();
      return line.ok ? retryJobOf(line.value, jobId) : line;
    },
    'job.lastOptions': async () => ok(lastJobOptions(station.store)),
  };
}
