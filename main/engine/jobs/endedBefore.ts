/** Whether the last job of a request ended without success, so that another job is started. */
import { ok, type Result, type SluiceError } from '../core/errors.ts';
import { followJob } from '../pipeline/process/follow.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { noteJobStatus } from '../pipeline/process/process.ts';
import { jobLike, noteRunsAgain, type StoredJob } from '../store/tables/jobs.ts';
import { endedBadly, startPatienceOf, type WantedJob, wasGivenUp } from './jobs.ts';

/**
 * The last job of the same request, if it ran and ended without success; that includes a job that was aborted while no program followed it.
 * The service is asked first: it may have restarted that job, which then runs again in the ledger, too. `onTrouble` gets each failure that
 * is retried. Errors: see followJob, and those that last as for startSavedJob.
 */
export async function endedBefore(
  pipeline: Pipeline,
  request: Pick<WantedJob, 'batchId' | 'body'>,
  onTrouble: (error: SluiceError) => void,
): Promise<Result<StoredJob | null>> {
  const { store, connectionId, client, ports, signal } = pipeline;
  const job = jobLike(store, { ...request, connectionId });
  if (job === null || wasGivenUp(job)) return ok(null);
  const isOver = endedBadly(job);
  if (!isOver && (job.state !== 'running' || job.abortAskedAt === null)) return ok(null);
  const { clock } = ports;
  const news = followJob(client, clock, job.jobId, signal, { keyWorked: true });
  const began = clock.monotonicMs();
  for (;;) {
    const { done, value } = await news.next();
    if (done === true) {
      const isMissing = !value.ok && value.error.code === 'service.notFound';
      return value.ok || isMissing ? ok(isOver ? job : null) : value;
    }
    if (value.kind === 'trouble') {
      const { error } = value;
      if (clock.monotonicMs() - began >= startPatienceOf(error, true)) return { ok: false, error };
      onTrouble(error);
    } else if (value.view.status.state === 'failed') {
      store.transaction(() => noteJobStatus(pipeline, job, value.view.status));
      return ok(job);
    } else {
      if (isOver) store.transaction(() => noteRunsAgain(store, job.id, clock.now()));
      return ok(null);
    }
  }
}
