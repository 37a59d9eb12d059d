/** Downloads of outputs, for callers outside the engine. */
import { fail, ok, type Result, sluiceError, type SluiceError } from '../core/errors.ts';
import { createKeyedQueue, type KeyedQueue } from '../core/serialQueue.ts';
import { backoffMs } from '../pipeline/backoff.ts';
import { download, type Downloaded, type DownloadProgress } from '../pipeline/download/download.ts';
import type { Pipeline } from '../pipeline/context.ts';
import type { EmptyParts, DownloadOrder } from '../pipeline/download/listOutputs.ts';
import { createPatience } from '../pipeline/download/patience.ts';
import { type JobView, readJob } from '../pipeline/process/follow.ts';
import { jobByServiceId, noteResults } from '../store/tables/jobs.ts';
import type { Store } from '../store/store.ts';
import { forgetEmptyParts, knownEmptyParts, noteEmptyParts } from './emptyParts.ts';

export type { Downloaded, DownloadProgress } from '../pipeline/download/download.ts';
export type { DownloadOrder } from '../pipeline/download/listOutputs.ts';

/** Queues of downloads by directory, for each ledger: two downloads at once would write the same files. */
const inDirectory = new WeakMap<Store, KeyedQueue<string>>();

function queueOf(store: Store): KeyedQueue<string> {
  const queue = inDirectory.get(store) ?? createKeyedQueue<string>();
  inDirectory.set(store, queue);
  return queue;
}

/**
 * Downloads every output file of a batch, because a person asked for it; the signal interrupts it, and the same call continues later.
 * `since`: 'start' waits for a silent service as long as a command does at its start, 'midway' as long as one that already had answers.
 * Downloads into the same directory run one after the other. `emptyAt`: see FoundResults. Errors as for download.
 */
export async function downloadBatch(
  pipeline: Pipeline,
  order: DownloadOrder,
  signal: AbortSignal,
  onProgress: DownloadProgress,
  since: 'start' | 'midway' = 'start',
  emptyAt: number | null = null,
): Promise<Result<Downloaded>> {
  const own = { ...pipeline, signal: AbortSignal.any([pipeline.signal, signal]) };
  const lackMs = pipeline.times.resultsPatienceMs;
  const mostMs = Number.POSITIVE_INFINITY;
  const emptyParts = knownEmptyParts(pipeline, order);
  const manner = { isMidway: since === 'midway', mostMs, lackMs, emptyParts, emptyAt };
  return queueOf(pipeline.store)(order.target, async () => {
    const done = await download(own, order, onProgress, { ...manner, comesAgain: false });
    if (done.ok && order.part === null) noteEmptyParts(pipeline, order.batchId, emptyParts);
    return done;
  });
}

/** The same for a download that is soon repeated automatically: it does not hold up others. */
export function downloadBriefly(
  pipeline: Pipeline,
  order: DownloadOrder,
  emptyParts: EmptyParts,
): Promise<Result<Downloaded>> {
  const mostMs = pipeline.times.silentStartMs;
  const manner = { isMidway: true, mostMs, lackMs: 0, emptyParts, comesAgain: true };
  return queueOf(pipeline.store)(order.target, () =>
    download(pipeline, order, () => undefined, manner),
  );
}

export interface ResultPlaces {
  /** Batches that the service created for the outputs, the most likely first. */
  readonly batches: readonly string[];
  /** The processed batch. Only its parts can be results: its files are the uploads. Null when it need not be searched. */
  readonly input: string | null;
}

/** True for a job over one part of its batch: the batch then has parts that are not results. */
function readsPart(view: JobView): boolean {
  const input: unknown = view.status.definition['jobInput'];
  return typeof input === 'object' && input !== null && 'partName' in input;
}

/**
 * Where the outputs of a job over this batch may be found. If there is an export, outputs of earlier stages are not results,
 * even while the export is not listed yet. Pure.
 */
export function resultPlaces(view: JobView, inputBatch: string): ResultPlaces {
  const { jobId, plannedStages, resultsBatches } = view.status;
  const outputsOf = (isExport: boolean): readonly string[] =>
    view.stages
      .filter(({ name }) => (name === 'export') === isExport)
      .flatMap(({ outputBatches }) => outputBatches);
  const exported = outputsOf(true);
  const earlier = outputsOf(false);
  const isExported =
    exported.length > 0 || view.stages.length === 0 || plannedStages.includes('export');
  // If the stages of a job are not known, the batches that it names may include outputs of earlier stages: the export comes first.
  const known =
    view.stages.length === 0 ? resultsBatches.filter((batch) => batch === `${jobId}-export`) : [];
  const named = [
    ...exported,
    ...known,
    ...resultsBatches.filter((batch) => !earlier.includes(batch)),
  ];
  const all = [...named, ...(isExported ? [] : earlier), `${jobId}-export`];
  const batches = [...new Set(all)].filter((batchId) => batchId !== inputBatch);
  return { batches, input: readsPart(view) ? null : inputBatch };
}

/** The first batch that has parts or files, else the input batch if it has parts; null when there are no results yet. */
export async function findResults(
  pipeline: Pipeline,
  { batches, input }: ResultPlaces,
): Promise<Result<string | null>> {
  const { client, signal } = pipeline;
  for (const batchId of input === null ? batches : [...batches, input]) {
    const parts = await client.batchParts(batchId, signal);
    if (!parts.ok) return parts;
    if (parts.value.length > 0) return ok(batchId);
    if (batchId === input) break;
    const page = await client.askFilesPage(batchId, null, null, signal);
    if (!page.ok) return page;
    if ((page.value?.items ?? []).length > 0) return ok(batchId);
  }
  return ok(null);
}

/** Records where the results of a job are, if this ledger started it. */
function noteResultsOf(pipeline: Pipeline, jobId: string, batchId: string): void {
  const { store, connectionId } = pipeline;
  const job = jobByServiceId(store, connectionId, jobId);
  if (job === null || job.resultsBatch === batchId) return;
  forgetEmptyParts(pipeline, batchId);
  store.transaction(() => noteResults(store, job.id, batchId));
}

export interface FoundResults {
  readonly batchId: string;
  /** Since when they were waited for, in monotonic ms, so that more of them may be listed soon; null when they were there at once. */
  readonly emptyAt: number | null;
}

/**
 * Polls for the results of a job over this batch that succeeded. The batch that contains them is recorded in the ledger.
 * Errors: results.incomplete after resultsPatienceMs, and those of reading.
 */
export async function awaitResults(
  pipeline: Pipeline,
  view: JobView,
  inputBatch: string,
  waiting: (error: SluiceError) => void,
): Promise<Result<FoundResults>> {
  const { jobId } = view.status;
  const places = resultPlaces(view, inputBatch);
  const { clock, random } = pipeline.ports;
  const { resultsAgainMs, resultsPatienceMs } = pipeline.times;
  const rules = { isMidway: true, mostMs: Number.POSITIVE_INFINITY };
  const patience = createPatience(pipeline, places.batches[0] ?? jobId, rules);
  const none = sluiceError('results.incomplete', {
    job: jobId,
    said: 'the job succeeded, but the service lists no results of it',
  });
  const bounds = { ...pipeline.times, backoffMaxMs: resultsAgainMs };
  let noneSince: number | null = null;
  let emptyAt: number | null = null;
  const giveUp = (error: SluiceError): Result<never> => {
    if (pipeline.signal.aborted) patience.over();
    else patience.gaveUp(error);
    return { ok: false, error };
  };
  for (let tries = 1; ; tries += 1) {
    const found = await findResults(pipeline, places);
    if (found.ok) patience.progress();
    if (found.ok && found.value !== null) {
      noteResultsOf(pipeline, jobId, found.value);
      return ok({ batchId: found.value, emptyAt });
    }
    const error = found.ok ? none : found.error;
    if (tries === 1) waiting(error);
    let pause: number | null;
    if (found.ok) {
      noneSince ??= clock.monotonicMs();
      emptyAt ??= noneSince;
      const left = noneSince + resultsPatienceMs - clock.monotonicMs();
      pause = left <= 0 ? null : Math.min(left, backoffMs(tries, random.fraction(), bounds));
    } else {
      // A failed read says nothing about the results.
      noneSince = null;
      pause = patience.pauseAfter(error, tries);
    }
    if (pause === null) return giveUp(error);
    await clock.sleep(pause, pipeline.signal);
    if (pipeline.signal.aborted) return giveUp(sluiceError('network.lost', { stopped: true }));
  }
}

/** The batches that may contain the results of a job, the most likely first. Pure. */
export function resultBatchesOf(jobId: string, noted: string | null): readonly string[] {
  // "-processing" contains what the export is made from: it counts where there is no export.
  return [
    ...new Set([...(noted === null ? [] : [noted]), `${jobId}-export`, `${jobId}-processing`]),
  ];
}

/**
 * The batch on the service that contains the results of a job; recorded in the ledger. Errors: results.incomplete while
 * there are none, and those of reading.
 */
export async function resultsBatchOf(pipeline: Pipeline, jobId: string): Promise<Result<string>> {
  const { store, connectionId, client, signal } = pipeline;
  const view = await readJob(client, jobId, signal);
  if (!view.ok) return view;
  const job = jobByServiceId(store, connectionId, jobId);
  // If the service does not know the job, it is not certain whether there is an export: outputs of earlier stages do not count as results.
  const places =
    view.value === null
      ? { batches: [job?.resultsBatch ?? `${jobId}-export`], input: null }
      : { ...resultPlaces(view.value, job?.batchId ?? ''), ...(job === null && { input: null }) };
  const found = await findResults(pipeline, places);
  if (!found.ok) return found;
  const batchId = found.value;
  if (batchId === null) {
    return fail('results.incomplete', { job: jobId, said: 'the service lists no results of it' });
  }
  noteResultsOf(pipeline, jobId, batchId);
  return ok(batchId);
}
