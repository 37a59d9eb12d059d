/**
 * What happens to a closed batch of a watch without a person: its job is started once and followed, and its outputs are
 * downloaded in parallel. All of it continues after a restart at any point, because each step starts from the ledger.
 */
import { join } from 'node:path';
import type { WatchRule } from '../core/contract.ts';
import { sluiceError, type SluiceError } from '../core/errors.ts';
import { liesOutside } from '../evidence/causes.ts';
import { lackOf } from './countCheck.ts';
import { saveJob } from './jobs.ts';
import type { AutoJobEvent } from './autoJobEvents.ts';
import { type ShardFirstSeen, readFigures } from '../pipeline/presence/inventory.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { batchByRow } from '../store/tables/batches.ts';
import { type JobView, pauseAfter, readJob } from '../pipeline/process/follow.ts';
import { afterAnswer, isBelieved, missingPatience, NEVER_MISSING } from '../pipeline/missingJob.ts';
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
  linkJobToWatch,
} from '../store/queue/closing.ts';
import { jobByRow, type StoredJob } from '../store/tables/jobs.ts';
import { noteOrClear } from '../pipeline/waitNotes.ts';
import type { WaitSubject } from '../store/tables/waits.ts';
import { watchById } from '../store/tables/watches.ts';

const FOLLOW_FIRST_MS = 1_000;
const FOLLOW_MAX_MS = 30_000;
const FOLLOW_GROWTH = 1.3;

const INDEXING = sluiceError('service.busy', { said: 'it is still taking in files of the batch' });

/**
 * What keeps a batch's job from starting: the service is still indexing, lacks files that the rule would move away once the job has
 * succeeded, or cannot be asked. Null when nothing does.
 */
async function whyNotReady(
  loop: Loop,
  batchRow: number,
  { moveTo }: WatchRule,
): Promise<SluiceError | null> {
  const batch = batchByRow(loop.pipeline.store, batchRow);
  if (batch === null) return INDEXING;
  const figures = await readFigures(loop.pipeline, batch, loop.shardsSeen);
  if (figures.ok) {
    const { indexing, count } = figures.value;
    if (indexing > 0) return INDEXING;
    return moveTo === null ? null : lackOf(loop.pipeline.store, batch, count);
  }
  loop.pipeline.wait(figures.error, 'ask');
  return figures.error;
}

/** True when the job of a batch may start. Until then it is checked at growing intervals, and the wait is noted in the ledger. */
async function isReady(loop: Loop, batch: ReadyBatch, rule: WatchRule): Promise<boolean> {
  const pace = paceIfDue(loop.pipeline, loop.readiness, batch.id);
  if (pace === null) return false;
  const why = await whyNotReady(loop, batch.id, rule);
  slowDown(loop.pipeline, pace);
  if (why === null) loop.readiness.delete(batch.id);
  noteAnswer(loop.pipeline, pace, `ready:${batch.batchId}`, why);
  return why === null;
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
  if (!(await isReady(loop, batch, watch.rule))) return;
  const { name, job, downloadTo, unpack } = watch.rule;
  const { batchId, kind } = batch;
  const wanted = { ...job, kind, batchId, notificationsUrl: notificationsUrl ?? undefined };
  const body = pipeline.client.jobBody(wanted, workspace);
  const isSame = ({ id }: ReadyBatch): boolean => id === batch.id;
  pipeline.store.transaction(() => {
    // Meanwhile, a list may have shown that a confirmed file is gone, or a person may have started a job.
    if (!batchesReadyForJob(pipeline.store, pipeline.connectionId).some(isSame)) return;
    const target = downloadTo === null ? null : join(downloadTo, batchId);
    const saved = saveJob(pipeline, { jobId: null, name, batchId, body, downloadTo: target });
    if (saved.ok) linkJobToWatch(pipeline.store, saved.value.id, batch.watchId, unpack);
  });
}

class PollState {
  /** Monotonic ms. */
  nextAt = 0;
  pauseMs = FOLLOW_FIRST_MS;
  /** The last answer about a job; null before there is one, and when the service did not know the job. */
  seen: JobView | null = null;
  missing = NEVER_MISSING;
  /** The ledger may contain a note of a wait, perhaps from an earlier run. */
  noted = true;
}

class Loop {
  readonly pipeline: Pipeline;
  readonly report: (news: AutoJobEvent) => void;
  /** By job row. */
  readonly paces = new Map<number, PollState>();
  /** Closed batches whose job may not start yet, by batch row. */
  readonly readiness = new Map<number, PollState>();
  /** How many times a missing job was restarted, by job row. */
  readonly restarts = new Map<number, number>();
  /** When to resume a parked job, by job row, in monotonic ms. */
  readonly againAt = new Map<number, number>();
  /** Shards being indexed, with the time when each was first seen. */
  readonly shardsSeen: ShardFirstSeen = new Map();

  constructor(pipeline: Pipeline, report: Loop['report']) {
    this.pipeline = pipeline;
    this.report = report;
  }
}

function paceIfDue(
  { ports }: Pipeline,
  paces: Map<number, PollState>,
  key: number,
): PollState | null {
  const pace = paces.get(key) ?? new PollState();
  paces.set(key, pace);
  return ports.clock.monotonicMs() < pace.nextAt ? null : pace;
}

/** Nothing is new: waits longer before the next request than before this one. */
function slowDown({ ports }: Pipeline, pace: PollState): void {
  pace.pauseMs = Math.min(FOLLOW_MAX_MS, pace.pauseMs * FOLLOW_GROWTH);
  pace.nextAt = ports.clock.monotonicMs() + pace.pauseMs;
}

/** Notes in the ledger why a request has no answer; with null, clears the note. */
function noteAnswer(
  pipeline: Pipeline,
  pace: PollState,
  subject: WaitSubject,
  error: SluiceError | null,
): void {
  if (error === null && !pace.noted) return;
  pace.noted = error !== null;
  pipeline.store.transaction(() => noteOrClear(pipeline, subject, error, pace.pauseMs));
}

async function start({ pipeline, report, againAt }: Loop, job: StoredJob): Promise<void> {
  const { jobId, batchId } = job;
  const started = await startJob(pipeline, job.id);
  if (started.ok) {
    pipeline.reached('job');
    return report({ kind: 'started', jobId, batchId });
  }
  if (jobByRow(pipeline.store, job.id)?.state !== 'parked') return;
  againAt.set(job.id, pipeline.ports.clock.monotonicMs() + pipeline.times.parkedAgainMs);
  report({ kind: 'trouble', jobId, error: started.error, isLasting: true });
}

/** Resumes jobs that were parked because of the service or the network: when the program starts, then once an hour. */
function resumeGivenUp({ pipeline, againAt }: Loop): void {
  const now = pipeline.ports.clock.monotonicMs();
  for (const { id, code } of jobsGivenUp(pipeline.store, pipeline.connectionId)) {
    if (code === null || !liesOutside(code) || now < (againAt.get(id) ?? 0)) continue;
    resumeGivenUpJob(pipeline, id);
  }
}

async function follow(loop: Loop, job: StoredJob): Promise<void> {
  const { pipeline, report } = loop;
  const pace = paceIfDue(pipeline, loop.paces, job.id);
  if (pace === null) return;
  const read = await readJob(pipeline.client, job.jobId, pipeline.signal, pace.seen);
  const seen = read.ok ? read.value : pace.seen;
  pace.pauseMs = pauseAfter(pace.seen, seen, pace.pauseMs, FOLLOW_FIRST_MS / FOLLOW_GROWTH);
  pace.seen = seen;
  slowDown(pipeline, pace);
  noteAnswer(pipeline, pace, `job:${job.jobId}`, read.ok ? null : read.error);
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
  report({ kind: 'ended', jobId: job.jobId, succeeded, message: status.lastMessage });
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

/** Creates the loop of a pipeline. `report` gets what is worth reporting. */
export function createAutoJobs(
  pipeline: Pipeline,
  workspace: string,
  notificationsUrl: () => string | null,
  report: (news: AutoJobEvent) => void,
) {
  const { store, connectionId } = pipeline;
  const loop = new Loop(pipeline, report);
  const fetching = createResultsFetching(pipeline, report);
  return {
    /** One round over everything that is due; returns whether anything is still in progress. */
    round: async () => {
      if (pipeline.gate.blocked('job') !== null) return true;
      for (const batch of batchesReadyForJob(store, connectionId)) {
        await prepare(loop, workspace, batch, notificationsUrl());
      }
      resumeGivenUp(loop);
      const due = jobsInMotion(store, connectionId, pipeline.time.now());
      await each(loop, due.toStart, start);
      await each(loop, due.toFollow, follow);
      fetching.step();
      return fetching.busy() || hasActiveJobs(store, connectionId);
    },
    /** To be called when a webhook has news about a job, or a person asks for something: makes everything due now. */
    hint: () => {
      for (const paces of [loop.paces, loop.readiness])
        for (const pace of paces.values()) pace.nextAt = 0;
      fetching.hint();
    },
    retryOutputs: fetching.retry,
    drained: fetching.drained,
  };
}
