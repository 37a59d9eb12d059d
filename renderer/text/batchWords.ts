/** The words of batches and their items: states, counts here and at the service, what comes next. Pure. */
import type { BatchDetail, BatchRow, ItemRow, OutputRow } from '../../preload/rows.ts';
import type { AppSnapshot, Counts, DownloadView } from '../../preload/views.ts';
import { countOf, formatBytes, formatCount } from './format.ts';
import type { StateWords, Tone } from './itemStates.ts';

const STATES: Readonly<Record<BatchRow['state'], StateWords>> = {
  open: { word: 'Open', tone: 'moving', meaning: 'New files can still be added.' },
  sealed: { word: 'Closed', tone: 'quiet', meaning: 'No more files are added to it.' },
  processed: { word: 'Processed', tone: 'quiet', meaning: 'A job has gone over it.' },
  expired: { word: 'Expired', tone: 'quiet', meaning: 'The service has deleted its copy of it.' },
  remote: {
    word: 'At the service',
    tone: 'quiet',
    meaning: 'It was not filled from this computer; only the service knows what is in it.',
  },
};

/** The words of a batch's state. */
export function batchState(state: BatchRow['state']): StateWords {
  return STATES[state];
}

/** How a batch is filled. */
export function modeWords(mode: BatchRow['mode'], kind: BatchRow['kind']): string {
  const what = kind === null ? 'files' : kind === 'image' ? 'images' : 'videos';
  if (mode === null) return what;
  return mode === 'bulk' ? `${what}, in shards` : `${what}, one by one`;
}

/** True when every item that was found has come to rest at the service. */
export function allConfirmed({ found, confirmed, skipped }: Counts): boolean {
  return confirmed > 0 && confirmed + skipped >= found;
}

/** What the count at the service says beside the count here. */
export interface CountVerdict {
  readonly tone: Tone;
  readonly sentence: string;
}

/** Compares what is confirmed here with what the service counts; never says more than is known. */
export function countVerdict(detail: Pick<BatchDetail, 'batch' | 'countAtService'>): CountVerdict {
  const { batch, countAtService } = detail;
  const confirmed = batch.counts.confirmed;
  if (countAtService === null) {
    return { tone: 'waiting', sentence: 'The service did not say how many it has.' };
  }
  if (batch.state === 'remote') {
    return { tone: 'quiet', sentence: 'Counted by the service; not filled from this computer.' };
  }
  if (countAtService === confirmed) {
    return confirmed === 0
      ? { tone: 'quiet', sentence: 'Nothing has arrived yet.' }
      : { tone: 'confirmed', sentence: 'Both counts agree.' };
  }
  if (countAtService > confirmed) {
    return {
      tone: batch.counts.sending > 0 ? 'moving' : 'waiting',
      sentence:
        batch.counts.sending > 0
          ? 'More has arrived than is confirmed yet; the rest is being checked.'
          : 'The service has more: something else fills this batch as well.',
    };
  }
  return {
    tone: 'waiting',
    sentence: 'The service still counts; it takes in shards after they arrive.',
  };
}

/** The states that the list of items can be narrowed to, in order of the line. */
export const ITEM_FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'queued', label: 'Queued' },
  { value: 'sending', label: 'Sending' },
  { value: 'confirmed', label: 'Confirmed' },
  { value: 'skipped', label: 'Left out' },
  { value: 'parked', label: 'Needs you' },
] as const;
export type ItemFilter = (typeof ITEM_FILTERS)[number]['value'];

/** How many items a filter leaves, as far as the counts tell. */
export function countOfFilter(filter: ItemFilter, counts: Counts): number {
  switch (filter) {
    case 'all':
      return counts.found;
    case 'parked':
      return counts.attention;
    case 'queued':
    case 'sending':
    case 'confirmed':
    case 'skipped':
      return counts[filter];
  }
}

/** The last part of a path, whichever way its separators lean. */
export function baseName(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  return parts[parts.length - 1] ?? path;
}

/** The name that an item has at the service, when it differs from the file's own. */
export function otherName(item: Pick<ItemRow, 'path' | 'name'>): string | null {
  return item.name === null || item.name === baseName(item.path) ? null : item.name;
}

/** Output files by the part that they belong to, parts in the order the service named them, those without one last. */
export interface OutputGroup {
  readonly part: string | null;
  readonly description: string | null;
  readonly files: readonly OutputRow[];
}

/** Puts outputs together by their part; a part that has no files yet is shown empty. */
export function outputGroups(
  parts: BatchDetail['parts'],
  outputs: readonly OutputRow[],
): readonly OutputGroup[] {
  const names = [
    ...new Set<string | null>([
      ...parts.map(({ name }) => name),
      ...outputs.map(({ part }) => part),
    ]),
  ];
  return names.map((part) => ({
    part,
    description: parts.find(({ name }) => name === part)?.description ?? null,
    files: outputs.filter((output) => output.part === part),
  }));
}

/** The download of a batch that runs or ran last. */
export function downloadOf(
  snapshot: Pick<AppSnapshot, 'downloads'>,
  batchId: string | null,
): DownloadView | null {
  return snapshot.downloads.findLast((download) => download.batchId === batchId) ?? null;
}

/** What a batch allows, and why not: a sentence where something is withheld. */
export function whyNotSealed(batch: BatchRow): string | null {
  if (batch.state === 'open') return null;
  return batch.state === 'remote'
    ? 'Only what was filled from this computer can be closed here.'
    : 'It is closed already.';
}

/** Why no job can be started over a batch now; null when one can. */
export function whyNoJob(batch: BatchRow): string | null {
  if (batch.state === 'expired')
    return 'It has expired at the service: nothing is left to process.';
  const { queued, sending } = batch.counts;
  if (queued + sending > 0) return 'Files are still on their way; start it when all are confirmed.';
  if (batch.state !== 'remote' && batch.counts.confirmed === 0) return 'Nothing is in it yet.';
  return null;
}

/** What closing a batch by hand means, for the question before it. */
export function sealQuestion(batch: BatchRow): string {
  const { queued, sending } = batch.counts;
  const rest =
    queued + sending === 0
      ? 'Everything in it has arrived.'
      : `The ${formatCount(queued + sending)} still on their way are sent first.`;
  return `No more files are added to it; new ones go to the next batch. ${rest}`;
}

/** How far a download is: "12 of 40 files, 1.2 GB". */
export function downloadWords({ done, files, bytes }: DownloadView): string {
  const count =
    files > 0 ? `${formatCount(done)} of ${countOf(files, 'file')}` : countOf(done, 'file');
  return `${count}, ${formatBytes(bytes)}`;
}

/** What "confirmed" rests on, for the tooltip of the two counts. */
export const CONFIRMED_MEANS =
  'Confirmed: the service itself named or counted the item in this batch. Sent is less: the bytes have left this computer.';

/** Figures of a batch in a line, what needs a person first: "3 need you · 76,980 of 99,883 confirmed". */
export function batchFigures(counts: Counts): string {
  const { attention, confirmed } = counts;
  const wanted = Math.max(0, counts.found - counts.skipped);
  const need = `${formatCount(attention)} ${attention === 1 ? 'needs' : 'need'} you`;
  const rest =
    wanted === 0 && confirmed === 0
      ? 'nothing yet'
      : confirmed >= wanted
        ? `${formatCount(confirmed)} confirmed`
        : `${formatCount(confirmed)} of ${formatCount(wanted)} confirmed`;
  return attention === 0 ? rest : `${need} · ${rest}`;
}

/** Why nothing of a batch can be downloaded; null when something can, or when that is not known. */
export function whyNoDownload({ batch, parts }: BatchDetail): string | null {
  if (batch.state === 'processed' || batch.state === 'remote' || parts.length > 0) return null;
  if (batch.state === 'expired') return 'The service has deleted it.';
  return batch.jobId === null ? 'There are outputs after a job.' : 'Its job has no outputs yet.';
}
