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

/** "1.2 of 3.0 GB": both in the unit of the larger one. */
export function bytesOfAll(bytes: ByteProgress): string {
  const all = formatBytes(bytes.total);
  const unit = all.split(' ')[1] ?? 'B';
  const gone = bytesGone(bytes);
  if (unit === 'B' || formatBytes(gone).endsWith(` ${unit}`)) {
    return `${(formatBytes(gone).split(' ')[0] ?? '0').trim()} of ${all}`;
  }
  const scale = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15 }[unit] ?? 1;
  return `${(gone / scale).toFixed(1)} of ${all}`;
}

/** Progress of the ongoing work. Files that were found but not measured yet keep it below complete. */
export function openPercent(bytes: ByteProgress): string {
  return formatPercent(Math.min(0.99, doneFraction(bytes)));
}

/** "288 files safe, 3,000 to go": next to the figure of ongoing uploads. Not a fraction: the percentage is by bytes of what is to go. */
export function besideFigure(counts: Counts, bytes: ByteProgress): string {
  const safe = counts.confirmed === 0 ? [] : [`${countOf(counts.confirmed, 'file')} safe`];
  // While nothing is measured, the figure is the number of files to go.
  const open = bytes.total === 0 ? [] : [`${formatCount(openFiles(counts))} to go`];
  return [...safe, ...open].join(', ');
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

/** True while bytes leave this computer. The rate is an average and outlasts the last file by some seconds. */
export function isSending({
  counts,
  transfers,
  bytesPerSecond,
}: Pick<PipelineStatus, 'counts' | 'transfers' | 'bytesPerSecond'>): boolean {
  return transfers.length > 0 || (bytesPerSecond > 0 && counts.queued + counts.sending > 0);
}

/** "41 %" during uploads, or the number of files while none is measured; otherwise what is safe. */
export function uploadFigure(counts: Counts, bytes: ByteProgress): string {
  const open = openFiles(counts);
  if (open > 0 && bytes.total === 0) return `${countOf(open, 'file')} to upload`;
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

/** "3 files wait": for files that cannot be sent now. */
export function filesWait(count: number): string {
  return `${countOf(count, 'file')} ${count === 1 ? 'waits' : 'wait'}`;
}

/** "12 uploading · 3 to confirm · 190 waiting": only the parts that are not zero. */
export function openWords({ queued, sending, sent }: Counts): string {
  const parts = [
    sending === 0 ? null : `${formatCount(sending)} uploading`,
    sent === 0 ? null : `${formatCount(sent)} to confirm`,
    queued === 0 ? null : `${formatCount(queued)} waiting`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
