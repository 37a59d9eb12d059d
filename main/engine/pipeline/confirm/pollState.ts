/** What the confirm step keeps in memory about each batch between two polls. */
import type { SluiceError } from '../../core/errors.ts';
import type { Batch } from '../../store/tables/batches.ts';
import type { Pipeline } from '../context.ts';

/** An object that another computer, or a service that chooses names, put into a batch. */
export interface KnownObject {
  /** null when the storage does not state it. */
  readonly lengthBytes: number | null;
  /** Its hash, or the fingerprint of a large one; null while it was not read. */
  readonly content: string | null;
}

/** Comparisons of an object that failed: how many, and when the first one did, monotonic ms. */
export interface Failures {
  readonly tries: number;
  readonly since: number;
}

interface FailedComparisons {
  readonly all: Failures;
  /** The last ones in a row that the storage may answer so for ever. */
  readonly denied: Failures | undefined;
  /** Which body of the item, by its last byte. */
  readonly lastByteAt: number | null;
}

/** Poll state of a batch. A restart loses it and merely polls again. Times are monotonic unless noted. */
export class BatchPollState {
  nextAt = 0;
  askedAt = 0;
  /** Since when the batch has been polled in this run, in engine time. */
  readonly since: number;
  /** When the last listing began. */
  readAt = 0;
  /** The last time the count and list showed nothing new, in engine time; null when that has not happened in this run. */
  quietAt: number | null = null;
  pauseMs: number;
  /** Something was in transit at the last poll. */
  busy = true;
  /** Since when nothing was in transit. */
  idleAt: number;
  /** Signature of the figures at the last complete listing. */
  listed = '';
  /** What lists that repeat objects have shown so far, and the count meanwhile; empty once they were complete together. */
  shown: { readonly count: number; readonly objects: readonly number[] } = {
    count: 0,
    objects: [],
  };
  /** Signature of the figures when everything under a bare name was last compared. */
  compared = '';
  /** When the list must be read even if the figures have not changed; null when it need not be. */
  listAt: number | null = null;
  /** How long one listing takes, in ms: a long list is read less often while more is being sent. */
  listCostMs = 0;
  /** Since when reading the batch has failed; null when it works. */
  failingSince: number | null = null;
  /** Why files that the last list showed could not be read to compare them. */
  unread: SluiceError | null = null;
  /** True once the service was asked, in this run, when the batch expires. */
  endAsked = false;
  readonly firstSeen = new Map<string, number>();
  /** Transfers that the last complete listing did not show. */
  absent: ReadonlySet<number> = new Set();
  /** How many names of others the last listing showed. */
  foreign = 0;
  /** Transfers that were looked for under other names just before the last listing. */
  sought: ReadonlySet<number> = new Set();
  /** What is known about objects under names of others, by the key of their name. */
  readonly objects = new Map<string, KnownObject>();
  /** Listed items that could not be compared. */
  readonly unchecked = new Map<number, FailedComparisons>();

  constructor({ time, times, ports }: Pipeline) {
    this.since = time.now();
    this.pauseMs = times.confirmFirstMs;
    this.idleAt = ports.clock.monotonicMs();
  }
}

export type BatchPollStates = Map<number, BatchPollState>;

/** A batch with its poll state. */
export interface Polled {
  readonly batch: Batch;
  readonly poll: BatchPollState;
}

const MEMORY = 1000;

export function pollStateOf(
  memory: BatchPollStates,
  pipeline: Pipeline,
  batchRow: number,
): BatchPollState {
  const known = memory.get(batchRow);
  if (known !== undefined) return known;
  const oldest = memory.keys().next().value;
  if (memory.size >= MEMORY && oldest !== undefined) memory.delete(oldest);
  const poll = new BatchPollState(pipeline);
  memory.set(batchRow, poll);
  return poll;
}
