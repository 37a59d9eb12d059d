/** What the step confirm remembers of each batch between two looks. */
import type { Pipeline } from '../context.ts';

/** What is remembered of a batch between two looks; lost in a restart, which only asks again. Instants are monotonic. */
export interface BatchPollState {
  nextAt: number;
  askedAt: number;
  /** Since when the batch is looked at in this run, engine time. */
  readonly since: number;
  /** When the last listing began, monotonic. */
  readAt: number;
  /** The last instant at which nothing was counted or listed that had not been listed before, engine time; null: none in this run. */
  quietAt: number | null;
  pauseMs: number;
  /** Something was on its way at the last look. */
  busy: boolean;
  /** What the figures were at the last complete listing. */
  listed: string;
  /** What they were when everything under a bare name was last compared. */
  compared: string;
  /** A listing is due then whatever the figures say; null: none is. */
  listAt: number | null;
  /** What one listing costs, ms: a long list is asked for less often while more is on its way. */
  listCostMs: number;
  /** Since when the batch cannot be read; null when it can. */
  failingSince: number | null;
  /** The service was asked in this run when the batch ends. */
  endAsked: boolean;
  readonly firstSeen: Map<string, number>;
  /** Transfers that the last complete listing did not show. */
  absent: ReadonlySet<number>;
  /** Listed items that could not be compared, with how often. */
  readonly unchecked: Map<number, number>;
}

export type BatchPollStates = Map<number, BatchPollState>;

/** Batches that are remembered without anything to wait for. */
const MEMORY = 1000;

/** What is remembered of a batch; a fresh memory for one that is new. */
export function pollStateOf(
  memory: BatchPollStates,
  pipeline: Pipeline,
  batchRow: number,
): BatchPollState {
  const known = memory.get(batchRow);
  if (known !== undefined) return known;
  const oldest = memory.keys().next().value;
  if (memory.size >= MEMORY && oldest !== undefined) memory.delete(oldest);
  const poll: BatchPollState = {
    nextAt: 0,
    askedAt: 0,
    since: pipeline.time.now(),
    readAt: 0,
    quietAt: null,
    pauseMs: pipeline.times.confirmFirstMs,
    busy: true,
    listed: '',
    compared: '',
    listAt: null,
    listCostMs: 0,
    failingSince: null,
    endAsked: false,
    firstSeen: new Map(),
    absent: new Set(),
    unchecked: new Map(),
  };
  memory.set(batchRow, poll);
  return poll;
}
