/** Upload progress in words: the headline figure, and the line below it. Pure. */
import {
  bytesGone,
  countOf,
  doneFraction,
  formatBytes,
  formatCount,
  formatPercent,
} from '../../preload/contract/figures.ts';
import type { Counts } from '../../preload/contract/records.ts';
import type {
  ByteProgress,
  PipelineStatus,
  RunningTransfer,
} from '../../preload/contract/snapshot.ts';

/** Files that are not confirmed yet and do not need a person. */
export function openFiles({ queued, sending, sent }: Counts): number {
  return queued + sending + sent;
}

/** True once all its files are safe, not before the first one. */
export function isSafe(counts: Counts): boolean {
  const { found, confirmed, skipped, attention } = counts;
  const open = openFiles(counts) > 0 || attention > 0 || found > confirmed + skipped;
  return confirmed > 0 && !open;
}

/** "1.2 of 3 GB", "40 MB of 3 GB", "0 of 3 GB". */
export function bytesOfAll(bytes: ByteProgress): string {
  const all = formatBytes(bytes.total);
  const gone = bytesGone(bytes);
  const [value = '0', unit = 'B'] = formatBytes(gone).split(' ');
  return gone === 0 || all.endsWith(` ${unit}`)
    ? `${value} of ${all}`
    : `${value} ${unit} of ${all}`;
}

/** True while there is a fraction to show: not when what is left to upload was only found and has no size yet. */
export function isMeasured({ confirmed, total }: ByteProgress): boolean {
  return total > confirmed;
}

/** Progress of the ongoing work. Files that were found but not measured yet keep it below complete. */
export function openPercent(bytes: ByteProgress): string {
  return formatPercent(Math.min(0.99, doneFraction(bytes)));
}

/** "288 files safe, 3,000 to go": next to the figure of ongoing uploads. Not a fraction: the percentage is by bytes of what is to go. */
export function besideFigure(counts: Counts, bytes: ByteProgress): string {
  const { confirmed } = counts;
  const parts = [
    confirmed === 0 ? null : `${countOf(confirmed, 'file')} safe`,
    // While nothing is measured, the figure is the number of files to go.
    isMeasured(bytes) ? `${formatCount(openFiles(counts))} to go` : null,
  ];
  return parts.filter((part) => part !== null).join(', ');
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

/** "41 %" during uploads, or the number of files while none is measured; otherwise what is safe. */
export function uploadFigure(counts: Counts, bytes: ByteProgress): string {
  const open = openFiles(counts);
  if (open > 0 && !isMeasured(bytes)) return `${countOf(open, 'file')} to upload`;
  if (open > 0) return openPercent(bytes);
  const { confirmed, attention } = counts;
  if (confirmed === 0) return attention === 0 ? 'Nothing uploaded yet' : 'Nothing is safe yet';
  if (attention > 0) return `${countOf(confirmed, 'file')} safe`;
  return confirmed === 1 ? 'The file is safe' : `All ${countOf(confirmed, 'file')} safe`;
}

/** The counts as displayed: while nothing can be sent, what was being sent counts as waiting. */
export function shownCounts(counts: Counts, held: boolean): Counts {
  return held ? { ...counts, queued: counts.queued + counts.sending, sending: 0 } : counts;
}

/** True while nothing is sent: for an outside cause, or since the last upload after a pause has ended. */
export function isAtRest({
  blockedBy,
  paused,
  transfers,
}: Pick<PipelineStatus, 'blockedBy' | 'paused' | 'transfers'>): boolean {
  return blockedBy !== null || (paused && transfers.length === 0);
}

/** What a pause means now: what is being sent when a person pauses is sent to its end. */
export function pausedWords(pipeline: Parameters<typeof isAtRest>[0]): string {
  return isAtRest(pipeline) ? 'Paused' : 'Pausing after the current uploads';
}

/** "3 files wait": for files that cannot be sent now. */
export function filesWait(count: number): string {
  return `${countOf(count, 'file')} ${count === 1 ? 'waits' : 'wait'}`;
}

/** "12 uploading · 3 to confirm · 190 waiting": only the parts that are not zero. null for one part: the total says it already. */
export function openWords({ queued, sending, sent }: Counts): string | null {
  const parts = [
    sending === 0 ? null : `${formatCount(sending)} uploading`,
    sent === 0 ? null : `${formatCount(sent)} to confirm`,
    queued === 0 ? null : `${formatCount(queued)} waiting`,
  ];
  const shown = parts.filter((part) => part !== null);
  return shown.length < 2 ? null : shown.join(' · ');
}
