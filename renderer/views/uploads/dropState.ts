import type { DropView } from '../../../preload/contract/snapshot.ts';
import { openFiles } from '../../../preload/contract/toGo.ts';
import type { StateWords } from '../batches/itemStates.ts';

/** What a drop is doing now, by its counts as displayed; `paused`: everything is paused; `held`: an outside cause holds everything back. */
export function dropState(
  { counts, reading }: Pick<DropView, 'counts' | 'reading'>,
  { paused, held }: { readonly paused: boolean; readonly held: boolean },
): StateWords {
  if (paused && openFiles(counts) > 0) {
    const word = counts.sending > 0 ? 'Pausing' : 'Paused';
    return { word, tone: 'waiting', meaning: 'It goes on when you resume.' };
  }
  if (reading) return { word: 'Scanning', tone: 'moving', meaning: 'Its folders are being read.' };
  if (counts.attention > 0) {
    return { word: 'Needs attention', tone: 'needs', meaning: 'See Problems for the reasons.' };
  }
  if (openFiles(counts) > 0 && held) {
    return {
      word: 'Waiting',
      tone: 'waiting',
      meaning: 'Nothing can be sent now. No file is lost.',
    };
  }
  if (openFiles(counts) > 0) {
    return { word: 'Uploading', tone: 'moving', meaning: 'Not every file is confirmed yet.' };
  }
  if (counts.confirmed === 0) {
    return { word: 'Skipped', tone: 'quiet', meaning: 'None of its files was uploaded.' };
  }
  return { word: 'Done', tone: 'confirmed', meaning: 'The service lists every file by its name.' };
}
