/** The words of the states of a watch. */
import type { WatchView } from '../../../preload/contract/snapshot.ts';
import type { StateWords } from '../batches/itemStates.ts';

const STATES: Readonly<Record<WatchView['state'], StateWords>> = {
  scanning: { word: 'Looking through', tone: 'moving', meaning: 'Every file is looked at once.' },
  watching: { word: 'Watching', tone: 'quiet', meaning: 'The system tells of each change.' },
  polling: {
    word: 'Looking regularly',
    tone: 'quiet',
    meaning: 'The system does not tell of changes here, so the folder is looked through regularly.',
  },
  paused: { word: 'Paused', tone: 'waiting', meaning: 'Nothing new is taken until you resume.' },
  missing: { word: 'Not there', tone: 'needs', meaning: 'It goes on when the folder is back.' },
  failed: { word: 'Needs you', tone: 'needs', meaning: 'The folder cannot be watched.' },
};

/** The words of a watch's state. */
export function watchStateWords({ state }: Pick<WatchView, 'state'>): StateWords {
  return STATES[state];
}

/** Those that need a person first, the others as they stand. */
export function needingFirst<Watch extends Pick<WatchView, 'state'>>(
  watches: readonly Watch[],
): readonly Watch[] {
  const rank = (watch: Watch): number => (watchStateWords(watch).tone === 'needs' ? 0 : 1);
  return watches.toSorted((a, b) => rank(a) - rank(b));
}

/** "2 need you"; null when every watch looks after itself. */
export function watchesNeedingYou(watches: readonly Pick<WatchView, 'state'>[]): string | null {
  const count = watches.filter((watch) => watchStateWords(watch).tone === 'needs').length;
  if (count === 0) return null;
  return `${count} ${count === 1 ? 'needs' : 'need'} you`;
}
