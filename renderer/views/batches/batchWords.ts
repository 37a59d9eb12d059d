import CircleCheck from '@lucide/svelte/icons/circle-check';
import Cloud from '@lucide/svelte/icons/cloud';
import Hourglass from '@lucide/svelte/icons/hourglass';
import Lock from '@lucide/svelte/icons/lock';
import LockOpen from '@lucide/svelte/icons/lock-open';
import type { BatchDetail, BatchRow } from '../../../preload/contract/records.ts';
import type { Counts } from '../../../preload/contract/records.ts';
import { countOf, formatCount, needAttention } from '../../../preload/contract/figures.ts';
import { openFiles } from '../../../preload/contract/toGo.ts';
import { jobState } from '../jobs/jobWords.ts';
import type { StateWords, Tone } from './itemStates.ts';

const STATES: Readonly<Record<BatchRow['state'], StateWords>> = {
  open: {
    word: 'Open',
    tone: 'quiet',
    icon: LockOpen,
    meaning: 'New files can still be added.',
  },
  sealed: { word: 'Closed', tone: 'quiet', icon: Lock, meaning: 'No more files are added to it.' },
  processed: {
    word: 'Processed',
    tone: 'quiet',
    icon: CircleCheck,
    meaning: 'A job has run on it.',
  },
  expired: {
    word: 'Expired',
    tone: 'quiet',
    icon: Hourglass,
    meaning: 'The service has deleted its copy of it.',
  },
  remote: {
    word: 'In workspace',
    tone: 'quiet',
    icon: Cloud,
    meaning: 'Uploaded elsewhere: its files are not listed on this computer.',
  },
};

/** The words for a batch's state. If a job is processing it, the job says more. */
export function batchState({
  state,
  jobState: job,
}: Pick<BatchRow, 'state' | 'jobState'>): StateWords {
  if (state !== 'processed' || job === null || job === 'succeeded') return STATES[state];
  const words = jobState(job);
  return { ...words, word: `Job ${words.word.toLowerCase()}` };
}

export function modeWords(mode: BatchRow['mode'], kind: BatchRow['kind']): string {
  const what = kind === null ? 'files' : kind === 'image' ? 'images' : 'videos';
  if (mode === null) return what;
  return mode === 'bulk' ? `${what}, in archives` : `${what}, one at a time`;
}

const NONE_LEFT = 'The service has none of these files any more.';

/** What the service answered about a batch. */
type Answered = Pick<BatchDetail, 'batch' | 'countAtService' | 'shards' | 'error'>;

/** True when the service has nothing of what it had confirmed. When not everything was answered, archives may be there that are not indexed yet. */
function isLost({ batch, countAtService, shards, error }: Answered): boolean {
  const isNone = countAtService === 0 && shards.length === 0 && error === null;
  return batch.counts.confirmed > 0 && isNone;
}

export interface CountVerdict {
  readonly tone: Tone;
  readonly sentence: string;
}

/** Compares what is confirmed here with what the service counts; never claims more than is known. `asking`: it has not answered yet. */
export function countVerdict(detail: Answered, asking = false): CountVerdict {
  const { batch, countAtService } = detail;
  const confirmed = batch.counts.confirmed;
  if (batch.state === 'expired') {
    return {
      tone: 'quiet',
      sentence:
        'The service has deleted its copy. Your own files are where they were; downloaded outputs stay, too.',
    };
  }
  if (asking) return { tone: 'quiet', sentence: 'Asking the service…' };
  if (countAtService === null) {
    return { tone: 'waiting', sentence: 'The workspace count is not available.' };
  }
  if (batch.state === 'remote') {
    return { tone: 'quiet', sentence: 'Uploaded elsewhere.' };
  }
  if (countAtService === confirmed) {
    return confirmed === 0
      ? { tone: 'quiet', sentence: 'Nothing has arrived yet.' }
      : { tone: 'confirmed', sentence: 'Verified: the workspace has every uploaded file.' };
  }
  if (countAtService > confirmed) {
    const underWay = batch.counts.sending + batch.counts.sent > 0;
    return {
      tone: underWay ? 'moving' : 'waiting',
      sentence: underWay
        ? 'More has arrived than is confirmed yet; the rest is being checked.'
        : 'The workspace has more: files are also uploaded from elsewhere.',
    };
  }
  if (isLost(detail)) {
    return { tone: 'needs', sentence: `${NONE_LEFT} Yours are unchanged on this computer.` };
  }
  return {
    tone: 'waiting',
    sentence: 'The service is still indexing what has arrived.',
  };
}

/** Why a batch cannot be closed; null when it can. */
export function whyNotSealed(batch: BatchRow): string | null {
  if (batch.state === 'open') return null;
  return batch.state === 'remote'
    ? 'Only batches uploaded from this computer can be closed here.'
    : 'It is closed already.';
}

/** Why no job can be started over a batch now; null when one can. */
export function whyNoJob(batch: BatchRow): string | null {
  if (batch.state === 'expired') return 'It has expired; nothing is left to process.';
  if (openFiles(batch.counts) > 0)
    return 'Some files are not confirmed yet. Start the job once all are.';
  if (batch.state !== 'remote' && batch.counts.confirmed === 0) return 'The batch is empty.';
  return null;
}

/** The same after what the service has answered about it. */
export function whyNoJobNow(detail: Answered): string | null {
  return whyNoJob(detail.batch) ?? (isLost(detail) ? `${NONE_LEFT} Upload them again.` : null);
}

/** What closing a batch manually means, for the question before it. */
export function sealQuestion(batch: BatchRow): string {
  const open = openFiles(batch.counts);
  const rest =
    open === 0
      ? 'Everything in it has arrived.'
      : `The ${countOf(open, 'file')} on the way still ${open === 1 ? 'goes' : 'go'} into it.`;
  return `No more files are added to it; new ones go to the next batch. ${rest}`;
}

/** What "confirmed" is based on, for the tooltip of the two counts. */
export const CONFIRMED_MEANS =
  'Confirmed: the service lists the file in this batch. Sent only means that the bytes left this computer.';

/** How much of what belongs in a batch is confirmed: "76,980 of 99,883". What was left out does not count. */
export function confirmedOf({ confirmed, found, skipped }: Counts): string {
  const wanted = Math.max(confirmed, found - skipped);
  return confirmed === wanted
    ? formatCount(confirmed)
    : `${formatCount(confirmed)} of ${formatCount(wanted)}`;
}

/** The same for a line in a list: "76,980 of 99,883 confirmed". */
export function batchFigures(counts: Counts): string {
  const nothing = counts.found - counts.skipped <= 0 && counts.confirmed === 0;
  return nothing ? 'nothing yet' : `${confirmedOf(counts)} confirmed`;
}

/** The counts of all files that belong in a batch: also of those that need attention before they are in it. */
export function countsOf({ counts, unplaced }: Pick<BatchRow, 'counts' | 'unplaced'>): Counts {
  return { ...counts, found: counts.found + unplaced, attention: counts.attention + unplaced };
}

/** "3 need attention"; null when nothing does. */
export function needsYou(batch: Pick<BatchRow, 'counts' | 'unplaced'>): string | null {
  const count = countsOf(batch).attention;
  return count === 0 ? null : needAttention(count);
}

export type BatchTab = 'items' | 'results' | 'shards' | 'outputs';

/** True for a batch that only the service knows, and that no known job made or processed. */
function isForeign({ batch, jobs }: Pick<BatchDetail, 'batch' | 'jobs'>): boolean {
  return batch.state === 'remote' && jobs.length === 0;
}

export function batchTabs(
  detail: Pick<BatchDetail, 'batch' | 'shards' | 'jobs'>,
): readonly { readonly value: BatchTab; readonly label: string }[] {
  const { batch, shards } = detail;
  const tabs: { value: BatchTab; label: string }[] = [];
  // The items of a batch that was not filled from here are unknown.
  if (batch.state !== 'remote') {
    tabs.push({ value: 'items', label: `Files ${formatCount(batch.counts.found)}` });
  }
  tabs.push(
    isForeign(detail)
      ? { value: 'outputs', label: 'Files' }
      : { value: 'results', label: 'Results' },
  );
  if (shards.length > 0) {
    tabs.push({ value: 'shards', label: `Archives ${formatCount(shards.length)}` });
  } else if (batch.mode === 'bulk') {
    tabs.push({ value: 'shards', label: 'Archives' });
  }
  return tabs;
}

/** The tab shown first: results if there are any, otherwise what was uploaded. */
export function firstBatchTab(detail: Pick<BatchDetail, 'batch' | 'jobs'>): BatchTab {
  if (isForeign(detail)) return 'outputs';
  const isDone = detail.jobs[0]?.state === 'succeeded';
  return isDone || detail.batch.state === 'remote' ? 'results' : 'items';
}
