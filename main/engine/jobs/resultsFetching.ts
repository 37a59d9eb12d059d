/**
 * Downloads results of jobs, at most two at a time. Failed downloads are retried at growing intervals; after failures of the service or the
 * network, once an hour.
 */
import { errorOf, type Result, type SluiceError } from '../core/errors.ts';
import { downloadBriefly, resultsBatchOf } from './downloads.ts';
import { liesOutside } from '../evidence/causes.ts';
import { DOWNLOADS_AT_ONCE, UNREACHABLE_MIDWAY_MS } from '../core/limits.ts';
import type { AutoJobEvent } from './autoJobEvents.ts';
import type { Downloaded } from '../pipeline/download/download.ts';
import type { EmptyParts } from '../pipeline/download/listOutputs.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { clearFetchErrors, jobsInMotion, markFetched } from '../store/queue/closing.ts';
import { jobByRow, noteFetching, type StoredJob } from '../store/tables/jobs.ts';
import { type AgainOrder, ordersOfParked } from '../store/tables/outputs.ts';

/** The interval grows by this factor with each failure. */
const GROWTH = 1.5;

class RetryState {
  /** Monotonic ms. */
  nextAt = 0;
  failures = 0;
  failingSince: number | null = null;
  /** The last reported trouble: the same one is not reported again. */
  reported = '';
}

class State {
  readonly pipeline: Pipeline;
  readonly report: (news: AutoJobEvent) => void;
  /** By job row. */
  readonly paces = new Map<number, RetryState>();
  /** Running downloads by directory: two downloads into the same directory wait for each other anyway. */
  readonly running = new Map<string, Promise<void>>();
  /** Parts without files, as far as is known. */
  readonly emptyParts: EmptyParts = new Map();
  /** Orders for parked outputs without a job, to be started. */
  orders: readonly AgainOrder[] = [];
  ordersNextAt: number;
  /** What a download threw: a bug or a damaged ledger. */
  broken: { readonly thrown: unknown } | null = null;

  constructor(pipeline: Pipeline, report: State['report']) {
    const { ports, times } = pipeline;
    this.pipeline = pipeline;
    this.report = report;
    this.ordersNextAt = ports.clock.monotonicMs() + times.parkedAgainMs;
  }
}

function paceOf({ paces }: State, jobRow: number): RetryState {
  const pace = paces.get(jobRow) ?? new RetryState();
  paces.set(jobRow, pace);
  return pace;
}

async function fetchJob(state: State, job: StoredJob, target: string): Promise<Result<Downloaded>> {
  const { pipeline, emptyParts } = state;
  const results = await resultsBatchOf(pipeline, job.jobId);
  if (!results.ok) return results;
  const order = { batchId: results.value, target, part: null, unpack: job.unpack };
  return downloadBriefly(pipeline, order, emptyParts);
}

/** Notes that results are missing, reports it once, and decides when to retry. */
function notFetched(state: State, job: StoredJob, error: SluiceError): void {
  const { pipeline, report } = state;
  const { clock } = pipeline.ports;
  const { resultsAgainMs, resultsPatienceMs, backoffMaxMs, parkedAgainMs } = pipeline.times;
  const pace = paceOf(state, job.id);
  const now = clock.monotonicMs();
  pace.failures += 1;
  pace.failingSince ??= now;
  const failingMs = now - pace.failingSince;
  const longest = Math.max(resultsAgainMs, backoffMaxMs);
  const pause = Math.min(longest, resultsAgainMs * GROWTH ** (pace.failures - 1));
  pace.nextAt = now + (failingMs >= parkedAgainMs ? parkedAgainMs : pause);
  const isMissing = error.code === 'results.incomplete' || error.next === 'park';
  // Then the cause is a drive that is not connected, or a full disk, and not the service.
  const isHere = error.code.startsWith('disk.');
  const isLasting = isHere || failingMs >= (isMissing ? resultsPatienceMs : UNREACHABLE_MIDWAY_MS);
  if (isLasting) pipeline.store.transaction(() => noteFetching(pipeline.store, job.id, error.code));
  // A full disk affects only downloads; a connection that is down or a refused key affects everything.
  if (error.next === 'wait' && /^(net|network|auth)\./.test(error.code))
    pipeline.wait(error, 'fetch');
  // Results are often listed only some time after their job has ended.
  const isUsual = error.code === 'results.incomplete' && !isLasting;
  const trouble = `${error.code} ${isLasting}`;
  if (isUsual || pace.reported === trouble) return;
  pace.reported = trouble;
  report({ kind: 'trouble', jobId: job.jobId, error, isLasting });
}

function fetched(state: State, job: StoredJob, to: string, download: Downloaded): void {
  const { pipeline, report } = state;
  pipeline.reached('fetch');
  const { store, ports } = pipeline;
  const { files, bytes, parked } = download;
  const [first] = parked;
  const news = { kind: 'fetched', jobId: job.jobId, to, files, bytes } as const;
  if (first === undefined) {
    store.transaction(() => markFetched(store, job.id));
    state.paces.delete(job.id);
    return report({ ...news, countParked: 0 });
  }
  store.transaction(() => noteFetching(store, job.id, first.error.code));
  const pace = paceOf(state, job.id);
  const mayPass = parked.some(({ error }) => liesOutside(error.code));
  const again = mayPass ? pipeline.times.parkedAgainMs : Number.POSITIVE_INFINITY;
  pace.nextAt = ports.clock.monotonicMs() + again;
  pace.failures = 0;
  pace.failingSince = null;
  const trouble = `${parked.length} ${first.error.code}`;
  if (pace.reported === trouble) return;
  pace.reported = trouble;
  report({ ...news, countParked: parked.length });
}

/** Runs a download in parallel with the others, in a directory where none is running. */
function run(state: State, target: string, work: () => Promise<void>): void {
  const running = work()
    .catch((thrown: unknown) => {
      state.pipeline.ports.log.write('error', 'results.broke', { code: errorOf(thrown).code });
      state.broken = { thrown };
    })
    .finally(() => state.running.delete(target));
  state.running.set(target, running);
}

function startJobs(state: State): void {
  const { pipeline } = state;
  if (pipeline.gate.blocked('fetch') !== null) return;
  const { store, connectionId, ports } = pipeline;
  for (const row of jobsInMotion(store, connectionId, pipeline.time.now()).toFetch) {
    if (state.running.size >= DOWNLOADS_AT_ONCE) return;
    const job = jobByRow(store, row);
    const to = job?.downloadTo ?? null;
    if (job === null || to === null || state.running.has(to)) continue;
    const pace = paceOf(state, row);
    if (ports.clock.monotonicMs() < pace.nextAt) continue;
    run(state, to, async () => {
      const done = await fetchJob(state, job, to);
      if (done.ok) fetched(state, job, to, done.value);
      else if (!pipeline.signal.aborted) notFetched(state, job, done.error);
    });
  }
}

/** Downloads parked outputs again that belong to no job whose results are still being downloaded. */
function startOrders(state: State): void {
  const { pipeline } = state;
  const now = pipeline.ports.clock.monotonicMs();
  if (now >= state.ordersNextAt) {
    state.ordersNextAt = now + pipeline.times.parkedAgainMs;
    const due = ordersOfParked(pipeline.store, pipeline.connectionId);
    state.orders = [...state.orders, ...due.filter(({ codes }) => codes.some(liesOutside))];
  }
  const waiting: AgainOrder[] = [];
  for (const order of state.orders) {
    const { target } = order;
    if (state.running.size >= DOWNLOADS_AT_ONCE || state.running.has(target)) waiting.push(order);
    else {
      run(state, target, async () => {
        await downloadBriefly(pipeline, order, state.emptyParts);
      });
    }
  }
  state.orders = waiting;
}

/** Creates the downloads of a connection's results. Downloads that were given up before the start are retried at once. */
export function createResultsFetching(pipeline: Pipeline, report: (news: AutoJobEvent) => void) {
  const { store, connectionId, ports } = pipeline;
  const state = new State(pipeline, report);
  store.transaction(() => clearFetchErrors(store, connectionId));
  const usualMs = Math.max(pipeline.times.resultsAgainMs, pipeline.times.backoffMaxMs);
  return {
    /** Starts what is due; returns at once. Rethrows what an earlier download threw: a bug or a damaged ledger. */
    step: () => {
      if (state.broken !== null) throw state.broken.thrown;
      startJobs(state);
      startOrders(state);
    },
    busy: () => state.running.size > 0,
    /** There is news: makes pending retries due now. */
    hint: () => {
      // Downloads that are retried only once an hour do not wait for news.
      const usual = ports.clock.monotonicMs() + usualMs;
      for (const pace of state.paces.values()) if (pace.nextAt <= usual) pace.nextAt = 0;
    },
    /** Ends the pauses of downloads; `withParked`: downloads parked outputs again now, too. */
    retry: (withParked: boolean) => {
      if (withParked) state.orders = [...state.orders, ...ordersOfParked(store, connectionId)];
      for (const pace of state.paces.values()) pace.nextAt = 0;
    },
    /** Resolves when nothing is running. The pipeline's signal interrupts downloads. */
    drained: async () => {
      await Promise.allSettled(state.running.values());
    },
  };
}
