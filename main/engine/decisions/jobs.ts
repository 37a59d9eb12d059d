/** Jobs as a person requests them in the window: started, tried again, stopped, restarted. */
import { fail, ok, type Result, usage } from '../core/errors.ts';
import { type InputOf, type JobOptions, jobOptionsSchema } from '../core/contract.ts';
import { jobIdFrom } from '../jobs/typedIds.ts';
import { commandJob, type JobCommand, retryJob, saveJob } from '../jobs/jobs.ts';
import type { WorkingConnection, ConnectionNow } from '../host/workingConnection.ts';
import { readValue, writeValue } from '../settings/keyValue.ts';
import { DISMISSED, dismissedJobs, failedRows } from '../status/problemCounts.ts';
import type { Store } from '../store/store.ts';

const LAST_OPTIONS = 'job.lastOptions';
const MOST_DISMISSED = 500;

/** Saves a job; from then on the pipeline starts, follows and downloads it, even after a restart. Errors: usage.invalid, job.conflict. */
export function startJobOf(
  connection: WorkingConnection,
  input: InputOf<'job.start'>,
  notificationsUrl: string | null,
): Result<{ jobId: string }> {
  const { runner, row } = connection;
  const jobId = input.jobId === null ? null : jobIdFrom(input.jobId);
  if (input.jobId !== null && jobId === null) return usage('the job id');
  const { batchId, kind, name, options, downloadTo } = input;
  const request = { ...options, kind, batchId, notificationsUrl: notificationsUrl ?? undefined };
  const body = runner.pipeline.client.jobBody(request, row.workspace);
  const saved = saveJob(runner.pipeline, { jobId, name, batchId, body, downloadTo });
  if (!saved.ok) return saved;
  // The same input as for a job that was given up: a person asks for it again.
  retryJob(runner.pipeline, saved.value.jobId);
  writeValue(runner.pipeline.store, LAST_OPTIONS, input.options);
  connection.watching.hint();
  return ok({ jobId: saved.value.jobId });
}

/** Resumes a job that was given up before it ran. Error: service.notFound. */
export function retryJobOf(connection: WorkingConnection, jobId: string): Result<null> {
  const done = retryJob(connection.runner.pipeline, jobId);
  if (done.ok) connection.watching.hint();
  return done;
}

/**
 * `givenUp`: the service never accepted the job, and it is not tried again. Errors: service.refused with `offered: false` if the
 * service does not offer it, and as for ServiceClient.abortJob or restartJob.
 */
export async function commandJobOf(
  { runner, watching }: WorkingConnection,
  jobId: string,
  command: JobCommand,
): Promise<Result<{ givenUp: boolean }>> {
  const { pipeline } = runner;
  const { client, signal, ports } = pipeline;
  const deps = { client, signal, clock: ports.clock, ledger: pipeline };
  const done = await commandJob(deps, jobId, command);
  if (!done.ok) return done;
  if (!done.value)
    return fail('service.refused', { said: 'the service does not offer this', offered: false });
  if (command === 'restart') watching.hint();
  return ok({ givenUp: done.value === 'given up' });
}

export function lastJobOptions(store: Store): JobOptions | null {
  return readValue(store, LAST_OPTIONS, jobOptionsSchema);
}

/** Takes a failed job off the list, or puts it back. */
export function dismissJob(
  { store, connectionId, now }: ConnectionNow,
  { jobId, dismissed }: InputOf<'problem.dismissJob'>,
): void {
  const job = failedRows(store, connectionId, now).find((one) => one.jobId === jobId);
  if (job === undefined) return;
  const others = dismissedJobs(store).filter((key) => key !== job.key);
  const next = dismissed ? [...others, job.key] : others;
  writeValue(store, DISMISSED, next.slice(-MOST_DISMISSED));
}
