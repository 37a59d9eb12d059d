/** Waiting for what others, or a lost ledger, put into a batch before it is read: a list may be late. */
import { fail, type Result, ok, type SluiceError } from '../../core/errors.ts';
import type { ShardFirstSeen } from '../presence/inventory.ts';
import type { Pipeline } from '../context.ts';

/** Which batches were checked in this run, and when the shards in them were first seen. */
export class ListedBatches {
  readonly done = new Set<number>();
  readonly seen: ShardFirstSeen = new Map();
  /** How many files of others each batch must list, and since when that is waited for, in monotonic ms. */
  readonly expected = new Map<number, { readonly files: number; readonly since: number }>();
  /** New batches that were empty at first, by id: since when, and until when more of them may be listed. In service time. */
  readonly seenEmpty = new Map<
    string,
    { readonly createdAt: number; readonly at: number; until: number | null }
  >();
}

/** The error of a batch that is not read yet, because others may have put more into it than it shows. */
export function notYet(batchId: string, why: string): Result<never> {
  return fail('service.busy', { batch: batchId, reason: `batch ${batchId} ${why}` });
}

/** How long others' files are waited for, in words. */
export function atMost({ times }: Pipeline): string {
  return `for ${Math.ceil(times.unmeasuredLagMs / 60_000)} minutes at most`;
}

/** True for that error: it says nothing about the service, and ends at a known time. */
export function waitsForOthers({ code, context }: SluiceError): boolean {
  return code === 'service.busy' && context['batch'] !== undefined;
}

/**
 * Whether a batch was created so lately that what it got may not be listed yet: the first file creates a batch. Notes when it was seen
 * empty, in service time, until it is no longer new.
 */
export async function isNew(
  { client, signal, time, times }: Pipeline,
  batchId: string,
  { seenEmpty }: ListedBatches,
): Promise<Result<boolean>> {
  const metadata = await client.batchMetadata(batchId, signal);
  if (!metadata.ok) return metadata;
  const createdAt = metadata.value?.createdAt ?? 0;
  const now = time.service();
  const seen = seenEmpty.get(batchId) ?? { createdAt, at: now, until: null };
  // A date that moves with each answer says nothing, and would be waited for without end.
  const isDated = seen.createdAt === createdAt && time.knowsService();
  if (!isDated || Math.abs(now - createdAt) >= times.unmeasuredLagMs) {
    seenEmpty.delete(batchId);
    return ok(false);
  }
  seenEmpty.set(batchId, seen);
  return ok(true);
}

/** Whether more may be listed of a batch that was seen empty: its first file took from its creation until now. The last one may take twice as long. */
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
