/** What is left to upload, in the same words in the window, its status strip and the tray. Pure. */
import {
  bytesGone,
  countOf,
  doneFraction,
  formatBytes,
  formatPercent,
  needAttention,
} from './figures.ts';
import type { Counts } from './records.ts';
import type { AppSnapshot, ByteProgress, ConnectionView, WatchView } from './snapshot.ts';
import { visible } from './visibleText.ts';

/** Files that are not confirmed yet and do not need a person. */
export function openFiles({ queued, sending, sent }: Counts): number {
  return queued + sending + sent;
}

/** True while there is a fraction to show: not while the files that are left were only found, and their sizes are not known yet. */
export function isMeasured({ confirmed, total }: ByteProgress): boolean {
  return total > confirmed;
}

/** True while a folder is read for the first time: more is found, so that neither a percentage nor "all" would be true. */
export function isCounting({ watches, drops }: Pick<AppSnapshot, 'watches' | 'drops'>): boolean {
  return watches.some(({ state }) => state === 'scanning') || drops.some(({ reading }) => reading);
}

/** Folders that are not looked into, and may hold files that are not known: "Belt is missing", "2 folders are paused". null without any. */
export function unseenWords(watches: readonly Pick<WatchView, 'state' | 'rule'>[]): string | null {
  for (const state of ['missing', 'paused'] as const) {
    const [one, ...more] = watches.filter((watch) => watch.state === state);
    if (more.length > 0) return `${countOf(more.length + 1, 'folder')} are ${state}`;
    if (one !== undefined) return `${visible(one.rule.name)} is ${state}`;
  }
  return null;
}

/** True while "all" is true of the files that are known. */
export function isAllKnown(snapshot: Pick<AppSnapshot, 'watches' | 'drops'>): boolean {
  return !isCounting(snapshot) && unseenWords(snapshot.watches) === null;
}

/** "3,000 files to go". What is left is unambiguous; "of" a total would raise the question since when. */
export function filesToGo(counts: Counts): string {
  return `${countOf(openFiles(counts), 'file')} to go`;
}

/** "1.8 GB to go"; null when every byte has left this computer. */
export function bytesToGo(bytes: ByteProgress): string | null {
  const left = bytes.total - bytesGone(bytes);
  return left > 0 ? `${formatBytes(left)} to go` : null;
}

/** "41 % done", below 100 before the last file is confirmed; null while no file is measured. */
export function percentDone(bytes: ByteProgress): string | null {
  return isMeasured(bytes) ? `${formatPercent(doneFraction(bytes))} done` : null;
}

/** "3,000 files to go, 41 % done". */
export function toGoWords(snapshot: Pick<AppSnapshot, 'pipeline' | 'watches' | 'drops'>): string {
  const { counts, bytes } = snapshot.pipeline;
  if (isCounting(snapshot)) return `${filesToGo(counts)} so far`;
  const done = percentDone(bytes);
  return done === null ? filesToGo(counts) : `${filesToGo(counts)}, ${done}`;
}

/** "3 new files found": they are uploaded once they have stopped changing. null without any. */
export function foundWords(watches: readonly Pick<WatchView, 'settling'>[]): string | null {
  const count = watches.reduce((sum, { settling }) => sum + settling, 0);
  return count === 0 ? null : `${countOf(count, 'new file')} found`;
}

/** The same in the workspaces that the views do not show: "200 files to go in lab-two". null when all of theirs is safe. */
export function elsewhereWords(connections: readonly ConnectionView[]): string | null {
  const others = connections.filter((one) => !one.selected && one.queued + one.attention > 0);
  const [first, ...more] = others;
  if (first === undefined) return null;
  const queued = others.reduce((sum, one) => sum + one.queued, 0);
  const attention = others.reduce((sum, one) => sum + one.attention, 0);
  const parts = [
    queued === 0 ? null : `${countOf(queued, 'file')} to go`,
    attention === 0 ? null : needAttention(attention, 'problem'),
  ];
  const where = more.length === 0 ? first.workspace : 'other workspaces';
  return `${parts.filter((part) => part !== null).join(', ')} in ${where}`;
}
