/**
 * What happens with a closed batch of a watch, without a person: its job is started once, followed, its outputs are
 * fetched, and all of it goes on after a restart at any point, because each step begins with what stands in the ledger.
 */
import { join } from 'node:path';
import type { SluiceError } from '../../preload/errorCodes.ts';
import { downloadBatch, findResults, resultBatches } from './downloads.ts';
import { saveJob } from './jobs.ts';
import type { Line } from './pipeline/line.ts';
import { readJob } from './pipeline/follow.ts';
import { noteJobStatus, startJob } from './pipeline/process.ts';
import {
  batchesReadyForJob,
  jobsInMotion,
  markFetched,
  type ReadyBatch,
  tieJob,
  wantsUnpacking,
} from './store/closing.ts';
import { jobByRow, noteResults, type StoredJob } from './store/jobs.ts';
import { watchById } from './store/watches.ts';

/** What is worth telling a person. */
export type LoopNews =
  | { readonly kind: 'started'; readonly jobId: string; readonly batchId: string }
  | {
      readonly kind: 'ended';
      readonly jobId: string;
      readonly succeeded: boolean;
      readonly message: string | null;
    }
  | {
      readonly kind: 'fetched';
      readonly jobId: string;
      readonly to: string;
      readonly files: number;
      readonly bytes: number;
      readonly parked: number;
    }
  | { readonly kind: 'trouble'; readonly jobId: string; readonly error: SluiceError };

export interface ClosedLoop {
  /** One round over everything that is due; answers whether anything is in motion. */
  round(): Promise<boolean>;
  /** A webhook said that this job has news. */
  hint(): void;
}

const FOLLOW_FIRST_MS = 1_000;
const FOLLOW_MAX_MS = 30_000;
const FOLLOW_GROWTH = 1.3;
const FETCH_AGAIN_MS = 30_000;

async function stillIndexing(line: Line, batchId: string): Promise<boolean> {
  const shards = await line.client.batchShards(batchId, line.signal);
  if (!shards.ok) return true;
  const now = line.ports.clock.now();
  return shards.value.some(
    (shard) => shard.status === 'running' && now - shard.eventAt < line.times.orphanShardMs,
  );
}

/** Saves the job that a watch's rule wants for a closed batch. */
async function prepare(
  line: Line,
  workspace: string,
  batch: ReadyBatch,
  notificationsUrl: string | null,
): Promise<void> {
  const watch = watchById(line.store, batch.watchId);
  if (watch === null || watch.rule.job === null) return;
  if (await stillIndexing(line, batch.batchId)) return;
  const { workflowId, ...options } = watch.rule.job;
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const body = line.client.jobBody(
    {
      ...given,
      kind: batch.kind,
      batchId: batch.batchId,
      workflowId,
      ...(notificationsUrl === null ? {} : { notificationsUrl }),
    },
    workspace,
  );
  const { downloadTo, unpack } = watch.rule;
  const wish = { jobId: null, name: watch.rule.name, batchId: batch.batchId, body };
  line.store.transaction(() => {
    const target = downloadTo === null ? null : join(downloadTo, batch.batchId);
    const saved = saveJob(line, { ...wish, downloadTo: target });
    if (saved.ok) tieJob(line.store, saved.value.id, batch.watchId, unpack);
  });
}

interface Pace {
  nextAt: number;
  pauseMs: number;
  seen: string;
}

interface Loop {
  readonly line: Line;
  /** By job row; negative for the fetching of its outputs. */
  readonly paces: Map<number, Pace>;
  readonly tell: (news: LoopNews) => void;
}

/** The pace of a question; null while it is not due. */
function paceIfDue(loop: Loop, key: number, pauseMs: number): Pace | null {
  const pace = loop.paces.get(key) ?? { nextAt: 0, pauseMs, seen: '' };
  loop.paces.set(key, pace);
  return loop.line.ports.clock.monotonicMs() < pace.nextAt ? null : pace;
}

async function start({ line, tell }: Loop, job: StoredJob): Promise<void> {
  const { jobId, batchId } = job;
  const started = await startJob(line, job.id);
  if (started.ok) tell({ kind: 'started', jobId, batchId });
  else if (started.error.next === 'park') tell({ kind: 'trouble', jobId, error: started.error });
}

async function follow(loop: Loop, job: StoredJob): Promise<void> {
  const pace = paceIfDue(loop, job.id, FOLLOW_FIRST_MS);
  if (pace === null) return;
  const { line, tell } = loop;
  const read = await readJob(line.client, job.jobId, line.signal);
  const seen = read.ok ? JSON.stringify(read.value) : pace.seen;
  const slower = Math.min(FOLLOW_MAX_MS, pace.pauseMs * FOLLOW_GROWTH);
  pace.pauseMs = seen === pace.seen ? slower : FOLLOW_FIRST_MS;
  pace.seen = seen;
  pace.nextAt = line.ports.clock.monotonicMs() + pace.pauseMs;
  if (!read.ok || read.value === null) return;
  const { status } = read.value;
  line.store.transaction(() => noteJobStatus(line, job, status));
  if (status.state !== 'succeeded' && status.state !== 'failed') return;
  loop.paces.delete(job.id);
  const succeeded = status.state === 'succeeded';
  tell({ kind: 'ended', jobId: job.jobId, succeeded, message: status.lastMessage });
}

async function fetch(loop: Loop, job: StoredJob): Promise<void> {
  const pace = paceIfDue(loop, -job.id, FETCH_AGAIN_MS);
  if (pace === null || job.downloadTo === null) return;
  const { line, tell } = loop;
  const { store } = line;
  pace.nextAt = line.ports.clock.monotonicMs() + FETCH_AGAIN_MS;
  const view = await readJob(line.client, job.jobId, line.signal);
  if (!view.ok || view.value === null) return;
  const results = await findResults(line, resultBatches(view.value, job.batchId));
  if (!results.ok || results.value === null) return;
  const batchId = results.value;
  store.transaction(() => noteResults(store, job.id, batchId));
  const unpack = wantsUnpacking(store, job.id);
  const order = { batchId, target: job.downloadTo, part: null, unpack };
  const fetched = await downloadBatch(line, order, line.signal, () => undefined);
  if (!fetched.ok) {
    if (!line.signal.aborted) tell({ kind: 'trouble', jobId: job.jobId, error: fetched.error });
    return;
  }
  store.transaction(() => markFetched(store, job.id));
  loop.paces.delete(-job.id);
  const { files, bytes, parked } = fetched.value;
  tell({
    kind: 'fetched',
    jobId: job.jobId,
    to: job.downloadTo,
    files,
    bytes,
    parked: parked.length,
  });
}

async function each(
  loop: Loop,
  rows: readonly number[],
  act: (loop: Loop, job: StoredJob) => Promise<void>,
): Promise<void> {
  for (const row of rows) {
    const job = jobByRow(loop.line.store, row);
    if (job !== null && !loop.line.signal.aborted) await act(loop, job);
  }
}

/** Makes the loop of a line. `tell` hears what is worth telling. */
export function createClosedLoop(
  line: Line,
  workspace: string,
  notificationsUrl: () => string | null,
  tell: (news: LoopNews) => void,
): ClosedLoop {
  const { store, connectionId, ports } = line;
  const loop: Loop = { line, paces: new Map(), tell };
  return {
    round: async () => {
      if (line.waiting() !== null) return true;
      for (const batch of batchesReadyForJob(store, connectionId)) {
        await prepare(line, workspace, batch, notificationsUrl());
      }
      const due = jobsInMotion(store, connectionId, ports.clock.now());
      await each(loop, due.toStart, start);
      await each(loop, due.toFollow, follow);
      await each(loop, due.toFetch, fetch);
      const left = jobsInMotion(store, connectionId, Number.MAX_SAFE_INTEGER);
      return left.toStart.length + left.toFollow.length + left.toFetch.length > 0;
    },
    hint: () => {
      for (const pace of loop.paces.values()) pace.nextAt = 0;
    },
  };
}
