/**
 * What happens with a closed batch of a watch, without a person: its job is started once, followed, its outputs are
 * fetched beside that, and all of it goes on after a restart at any point, because each step begins with the ledger.
 */
import { join } from 'node:path';
import { liesOutside } from '../evidence/causes.ts';
import { saveJob } from './jobs.ts';
import type { AutoJobEvent } from './autoJobEvents.ts';
import { type ShardFirstSeen, readFigures } from '../pipeline/presence/inventory.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { batchByRow } from '../store/tables/batches.ts';
import { readJob } from '../pipeline/process/follow.ts';
import {
  afterAnswer,
  isBelieved,
  type Missing,
  missingPatience,
  NEVER_MISSING,
} from '../pipeline/process/missing.ts';
import {
  noteJobStatus,
  startAgain,
  startJob,
  resumeGivenUpJob,
} from '../pipeline/process/process.ts';
import { createResultsFetching } from './resultsFetching.ts';
import {
  batchesReadyForJob,
  jobsGivenUp,
  jobsInMotion,
  hasActiveJobs,
  type ReadyBatch,
  tieJob,
} from '../store/queue/closing.ts';
import { jobByRow, type StoredJob } from '../store/tables/jobs.ts';
import { watchById } from '../store/tables/watches.ts';

export interface AutoJobs {
  /** One round over everything that is due; answers whether anything is in motion. */
  round(): Promise<boolean>;
  /** A webhook has news of a job, or a person asks for something: everything is due now. */
  hint(): void;
  /** Fetches parked outputs again now: those with these ids, or all. Answers how many there are. */
  retryOutputs(ids: readonly number[] | null): number;
  /** Resolves when no download runs any more; the signal of the pipeline breaks them off. */
  drained(): Promise<void>;
}

const FOLLOW_FIRST_MS = 1_000;
const FOLLOW_MAX_MS = 30_000;
const FOLLOW_GROWTH = 1.3;

/** True while the service takes in a shard of the batch, or cannot be asked. */
async function stillIndexing(loop: Loop, batchRow: number): Promise<boolean> {
  const batch = batchByRow(loop.pipeline.store, batchRow);
  if (batch === null) return true;
  const figures = await readFigures(loop.pipeline, batch, loop.shardsSeen);
  if (!figures.ok) loop.pipeline.wait(figures.error, 'ask');
  return !figures.ok || figures.value.indexing > 0;
}

/** Saves the job that a watch's rule wants for a closed batch. */
async function prepare(
  loop: Loop,
  workspace: string,
  batch: ReadyBatch,
  notificationsUrl: string | null,
): Promise<void> {
  const { pipeline } = loop;
  const watch = watchById(pipeline.store, batch.watchId);
  if (watch === null || watch.rule.job === null) return;
  if (await stillIndexing(loop, batch.id)) return;
  const { workflowId, ...options } = watch.rule.job;
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const body = pipeline.client.jobBody(
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
  const request = { jobId: null, name: watch.rule.name, batchId: batch.batchId, body };
  pipeline.store.transaction(() => {
    const target = downloadTo === null ? null : join(downloadTo, batch.batchId);
    const saved = saveJob(pipeline, { ...request, downloadTo: target });
    if (saved.ok) tieJob(pipeline.store, saved.value.id, batch.watchId, unpack);
  });
}

interface PollState {
  /** Monotonic ms. */
  nextAt: number;
  pauseMs: number;
  seen: string;
  missing: Missing;
}

interface Loop {
  readonly pipeline: Pipeline;
  /** By job row. */
  readonly paces: Map<number, PollState>;
  /** How often a job that was missing was started again, by job row. */
  readonly restarts: Map<number, number>;
  /** When a job that was given up is taken up again, by job row, monotonic ms. */
  readonly againAt: Map<number, number>;
  readonly tell: (news: AutoJobEvent) => void;
  /** Shards that are being taken in, with when they were first seen. */
  readonly shardsSeen: ShardFirstSeen;
}

/** The pace of a question; null while it is not due. */
function paceIfDue(loop: Loop, key: number, pauseMs: number): PollState | null {
  const pace = loop.paces.get(key) ?? { nextAt: 0, pauseMs, seen: '', missing: NEVER_MISSING };
  loop.paces.set(key, pace);
  return loop.pipeline.ports.clock.monotonicMs() < pace.nextAt ? null : pace;
}

async function start({ pipeline, tell, againAt }: Loop, job: StoredJob): Promise<void> {
  const { jobId, batchId } = job;
  const started = await startJob(pipeline, job.id);
  if (started.ok) {
    pipeline.reached('job');
    return tell({ kind: 'started', jobId, batchId });
  }
  if (jobByRow(pipeline.store, job.id)?.state !== 'parked') return;
  againAt.set(job.id, pipeline.ports.clock.monotonicMs() + pipeline.times.parkedAgainMs);
  tell({ kind: 'trouble', jobId, error: started.error, rests: true });
}

/** Takes up what was given up for a reason of the service or the network: at the start of the program, then once an hour. */
function takeUpGivenUp({ pipeline, againAt }: Loop): void {
  const now = pipeline.ports.clock.monotonicMs();
  for (const { id, code } of jobsGivenUp(pipeline.store, pipeline.connectionId)) {
    if (code === null || !liesOutside(code) || now < (againAt.get(id) ?? 0)) continue;
    resumeGivenUpJob(pipeline, id);
  }
}

async function follow(loop: Loop, job: StoredJob): Promise<void> {
  const pace = paceIfDue(loop, job.id, FOLLOW_FIRST_MS);
  if (pace === null) return;
  const { pipeline, tell } = loop;
  const read = await readJob(pipeline.client, job.jobId, pipeline.signal);
  const seen = read.ok ? JSON.stringify(read.value) : pace.seen;
  const slower = Math.min(FOLLOW_MAX_MS, pace.pauseMs * FOLLOW_GROWTH);
  pace.pauseMs = seen === pace.seen ? slower : FOLLOW_FIRST_MS;
  pace.seen = seen;
  pace.nextAt = pipeline.ports.clock.monotonicMs() + pace.pauseMs;
  if (!read.ok) {
    pipeline.wait(read.error);
    return;
  }
  pipeline.reached('job');
  const now = pipeline.ports.clock.monotonicMs();
  pace.missing = afterAnswer(pace.missing, read.value === null, now);
  const restarts = loop.restarts.get(job.id) ?? 0;
  if (isBelieved(pace.missing, now, missingPatience(restarts, pipeline.times.jobMissingMs))) {
    loop.paces.delete(job.id);
    loop.restarts.set(job.id, restarts + 1);
    startAgain(pipeline, job);
  }
  if (read.value === null) return;
  const { status } = read.value;
  pipeline.store.transaction(() => noteJobStatus(pipeline, job, status));
  if (status.state !== 'succeeded' && status.state !== 'failed') return;
  loop.paces.delete(job.id);
  const succeeded = status.state === 'succeeded';
  tell({ kind: 'ended', jobId: job.jobId, succeeded, message: status.lastMessage });
}

async function each(
  loop: Loop,
  rows: readonly number[],
  act: (loop: Loop, job: StoredJob) => Promise<void>,
): Promise<void> {
  for (const row of rows) {
    const job = jobByRow(loop.pipeline.store, row);
    if (job !== null && !loop.pipeline.signal.aborted) await act(loop, job);
  }
}

/** Makes the loop of a pipeline. `tell` hears what is worth telling. */
export function createAutoJobs(
  pipeline: Pipeline,
  workspace: string,
  notificationsUrl: () => string | null,
  tell: (news: AutoJobEvent) => void,
): AutoJobs {
  const { store, connectionId } = pipeline;
  const loop: Loop = {
    pipeline,
    paces: new Map(),
    restarts: new Map(),
    againAt: new Map(),
    shardsSeen: new Map(),
    tell,
  };
  const fetching = createResultsFetching(pipeline, tell);
  return {
    round: async () => {
      if (pipeline.waiting() !== null) return true;
      for (const batch of batchesReadyForJob(store, connectionId)) {
        await prepare(loop, workspace, batch, notificationsUrl());
      }
      takeUpGivenUp(loop);
      const due = jobsInMotion(store, connectionId, pipeline.time.now());
      await each(loop, due.toStart, start);
      await each(loop, due.toFollow, follow);
      fetching.step();
      return fetching.busy() || hasActiveJobs(store, connectionId);
    },
    hint: () => {
      for (const pace of loop.paces.values()) pace.nextAt = 0;
      fetching.hint();
    },
    retryOutputs: (ids) => fetching.retry(ids),
    drained: () => fetching.drained(),
  };
}
