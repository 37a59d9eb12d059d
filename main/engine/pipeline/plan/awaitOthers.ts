/**
 * Before a batch is read: waiting until its list shows what other computers, or a ledger that was lost, put into it. A list may be late.
 */
import { fail, type Result, type SluiceError } from '../../core/errors.ts';
import type { ShardFirstSeen } from '../presence/inventory.ts';
import type { Pipeline } from '../context.ts';

/** Which batches were checked in this run, and when the shards in them were first seen. */
export class ListedBatches {
  /** Whether each batch seemed to be filled by this ledger only; one that turns out to be shared must be read. */
  readonly done = new Map<number, boolean>();
  readonly seen: ShardFirstSeen = new Map();
  /** Since when each batch has been waited for because it takes in archives, in monotonic ms. */
  readonly takingIn = new Map<number, number>();
  /**
   * How many files of others the list of each batch must show, how many files it had then, and since when we have been waiting for that, in
   * monotonic ms. `objects`: what it has shown, if it repeated some.
   */
  readonly expected = new Map<
    number,
    {
      readonly files: number;
      readonly count: number;
      readonly since: number;
      readonly objects: readonly number[];
    }
  >();
  /** How many files each batch showed before it was opened, by id: a replica that lags behind may show fewer afterwards. */
  readonly shown = new Map<string, number>();
  /**
   * New batches that were empty at first, by id: when each was created and was seen empty, and until when more of its files may appear in
   * the list. In service time.
   */
  readonly seenEmpty = new Map<
    string,
    { readonly createdAt: number; readonly at: number; until: number | null }
  >();
}

/** The error for a batch that cannot be read yet, because others may have put more into it than it shows. */
export function notYet(batchId: string, why: string): Result<never> {
  return fail('service.busy', { batch: batchId, reason: `batch ${batchId} ${why}` });
}

/** How long something of others is waited for, in words. */
export function atMost(ms: number): string {
  return `for ${Math.ceil(ms / 60_000)} minutes at most`;
}

/** True for an error that `notYet` made: it says nothing about the service, and the wait ends at a known time. */
export function waitsForOthers({ code, context }: SluiceError): boolean {
  return code === 'service.busy' && context['batch'] !== undefined;
}

/** The service may state times in whole seconds, and its clock is known no better, in ms. */
const PRECISION_MS = 2_000;

/**
 * Whether an empty batch was created so recently that the files in it may not be listed yet: the first file creates a batch. Notes when the
 * batch was seen empty, until it is no longer new. `askedAt`: when the service was asked about the batch. Both are in service time.
 */
export async function isNew(
  { client, signal, time, times }: Pipeline,
  batchId: string,
  { seenEmpty }: ListedBatches,
  askedAt: number,
): Promise<boolean> {
  const seen = seenEmpty.get(batchId);
  const metadata = seen === undefined ? await client.batchMetadata(batchId, signal) : null;
  // A service may state no date, or not have this request: an upload must not depend on it.
  const stated = metadata?.ok === true ? metadata.value?.createdAt : undefined;
  const { createdAt, at } = seen ?? { createdAt: stated ?? 0, at: askedAt };
  // Some services create a batch when they are asked about it: a batch that is not older than the question holds nothing that a lost ledger
  // sent.
  const isOlder = createdAt < at - PRECISION_MS;
  if (isOlder && time.knowsService() && time.service() - createdAt < times.unmeasuredLagMs) {
    seenEmpty.set(batchId, seen ?? { createdAt, at, until: null });
    return true;
  }
  seenEmpty.delete(batchId);
  return false;
}

/**
 * Whether more files of a batch that was seen empty may still appear in its list. The first file took from the creation of the batch until
 * now to appear; the last one may take twice as long.
 */
export function isFilling(
  { time }: Pipeline,
  batchId: string,
  { seenEmpty }: ListedBatches,
): boolean {
  const seen = seenEmpty.get(batchId);
  if (seen === undefined) return false;
  seen.until ??= seen.at + 2 * (time.service() - seen.createdAt);
  return time.service() < seen.until;
}
