import { fillsSameBatch, sharedBatchWords } from '../../../preload/contract/sharedBatch.ts';
import type { WatchView } from '../../../preload/contract/snapshot.ts';
import { visible } from '../../../preload/contract/visibleText.ts';
import type { StateWords } from '../batches/itemStates.ts';

const STATES: Readonly<Record<WatchView['state'], StateWords>> = {
  scanning: { word: 'Scanning', tone: 'moving', meaning: 'Every file is looked at once.' },
  watching: { word: 'Watching', tone: 'quiet', meaning: 'New files are found as they arrive.' },
  polling: {
    word: 'Scanning regularly',
    tone: 'quiet',
    meaning: 'The system reports no changes here, so the folder is scanned regularly.',
  },
  paused: { word: 'Paused', tone: 'waiting', meaning: 'Nothing new is uploaded until you resume.' },
  missing: {
    word: 'Folder missing',
    tone: 'needs',
    meaning: 'Uploads resume when the folder is back.',
  },
  failed: { word: 'Needs attention', tone: 'needs', meaning: 'The folder cannot be watched.' },
};

/** `counts`, as displayed: what is being sent when a person pauses is sent to its end. */
export function watchStateWords(
  { state }: Pick<WatchView, 'state'>,
  counts?: Pick<WatchView['counts'], 'sending'>,
): StateWords {
  const words = STATES[state];
  return state === 'paused' && (counts?.sending ?? 0) > 0 ? { ...words, word: 'Pausing' } : words;
}

/** The state shown for a watch: while everything is paused, so is a working watch. */
export function shownWatchState(
  { state }: Pick<WatchView, 'state'>,
  paused: boolean,
): WatchView['state'] {
  return paused && state !== 'missing' && state !== 'failed' ? 'paused' : state;
}

/** Watches that need a person first, the others in their order. */
export function needingFirst<Watch extends Pick<WatchView, 'state'>>(
  watches: readonly Watch[],
): readonly Watch[] {
  const rank = (watch: Watch): number => (watchStateWords(watch).tone === 'needs' ? 0 : 1);
  return watches.toSorted((a, b) => rank(a) - rank(b));
}

/** Which other folder fills the same batch, and what follows; null when none does. `id`: the watch of the rule, null for a new one. */
export function sharedWords(
  watches: readonly Pick<WatchView, 'id' | 'rule'>[],
  rule: WatchView['rule'],
  id: number | null,
): string | null {
  const other = fillsSameBatch(watches, rule, id);
  return other === null ? null : sharedBatchWords(`“${visible(other.rule.name)}”`, 'folder');
}

/** What closing the open batch of a watch leads to. */
export function closingWords({ job, moveTo }: Pick<WatchView['rule'], 'job' | 'moveTo'>): string {
  const sentences = [
    'No more files are added to it; new ones go to the next batch.',
    job === null ? null : `The workflow ${job.workflowId} runs on it once every file is confirmed.`,
    moveTo === null ? null : `Confirmed files are then moved to ${visible(moveTo)}.`,
  ];
  return sentences.filter((sentence) => sentence !== null).join(' ');
}
