/** Upload progress in words: the headline figure, and the line below it. Pure. */
import { countOf, formatCount } from '../../preload/contract/figures.ts';
import type { Counts } from '../../preload/contract/records.ts';
import type {
  AppSnapshot,
  PipelineStatus,
  RunningTransfer,
  WatchView,
} from '../../preload/contract/snapshot.ts';
import { filesToGo, openFiles } from '../../preload/contract/toGo.ts';

/** True once all its files are safe, not before the first one. */
export function isSafe(counts: Counts): boolean {
  const { found, confirmed, skipped, attention } = counts;
  const open = openFiles(counts) > 0 || attention > 0 || found > confirmed + skipped;
  return confirmed > 0 && !open;
}

/** The fraction (0–1) of what a batch is sending now that has already left. */
export function goneOfBatch(
  transfers: readonly Pick<RunningTransfer, 'batchId' | 'sentBytes' | 'sizeBytes'>[],
  batchId: string,
): number {
  const own = transfers.filter((one) => one.batchId === batchId);
  const all = own.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return all === 0 ? 0 : own.reduce((sum, { sentBytes }) => sum + sentBytes, 0) / all;
}

/** True while bytes leave this computer. The rate is an average and outlasts the last byte by some seconds. */
export function isSending({
  bytes,
  transfers,
  bytesPerSecond,
}: Pick<PipelineStatus, 'bytes' | 'transfers' | 'bytesPerSecond'>): boolean {
  return transfers.length > 0 || (bytesPerSecond > 0 && bytes.total > bytes.confirmed + bytes.sent);
}

/** "3,000 files to go" during uploads, otherwise what is safe. `counting`: more is found; `known`: these are all files there are. */
export function uploadFigure(counts: Counts, counting = false, known = !counting): string {
  if (openFiles(counts) > 0) return `${filesToGo(counts)}${counting ? ' so far' : ''}`;
  const { confirmed, attention } = counts;
  if (confirmed === 0) return 'Nothing uploaded yet';
  if (attention > 0 || !known) return `${countOf(confirmed, 'file')} safe`;
  return confirmed === 1 ? 'The file is safe' : `All ${countOf(confirmed, 'file')} safe`;
}

/** The counts as displayed: while nothing can be sent, what was being sent counts as waiting. */
export function shownCounts(counts: Counts, held: boolean): Counts {
  return held ? { ...counts, queued: counts.queued + counts.sending, sending: 0 } : counts;
}

/**
 * True while nothing is sent: for an outside cause, or since the last upload after a pause has ended. While one upload tests whether the
 * cause is gone, it is sent.
 */
export function isAtRest({
  blockedBy,
  paused,
  transfers,
}: Pick<PipelineStatus, 'blockedBy' | 'paused' | 'transfers'>): boolean {
  const isStopped = blockedBy?.next === 'stop';
  return isStopped || ((blockedBy !== null || paused) && transfers.length === 0);
}

/** The paused folders to which everything belongs that is left; none while something is sent or confirmed, or is left elsewhere. */
export function pausedFolders({
  pipeline,
  watches,
}: Pick<AppSnapshot, 'pipeline' | 'watches'>): readonly WatchView[] {
  const paused = watches.filter(({ state, counts }) => state === 'paused' && counts.queued > 0);
  const left = paused.reduce((sum, { counts }) => sum + counts.queued, 0);
  return pipeline.transfers.length > 0 || left < openFiles(pipeline.counts) ? [] : paused;
}

/** What a pause means now: what is being sent when a person pauses is sent to its end. */
export function pausedWords(pipeline: Parameters<typeof isAtRest>[0]): string {
  return isAtRest(pipeline) ? 'Paused' : 'Pausing after the current uploads';
}

/** "3 files wait": for files that cannot be sent now. */
export function filesWait(count: number): string {
  return `${countOf(count, 'file')} ${count === 1 ? 'waits' : 'wait'}`;
}

/** "3 to confirm · 12 uploading · 190 waiting", in the order of the bar: only the parts that are not zero. null for one part: the total says it already. */
export function openWords({ queued, sending, sent }: Counts): string | null {
  const parts = [
    sent === 0 ? null : `${formatCount(sent)} to confirm`,
    sending === 0 ? null : `${formatCount(sending)} uploading`,
    queued === 0 ? null : `${formatCount(queued)} waiting`,
  ];
  const shown = parts.filter((part) => part !== null);
  return shown.length < 2 ? null : shown.join(' · ');
}
