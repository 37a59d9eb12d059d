import Copy from '@lucide/svelte/icons/copy';
import { perform } from './bridge.ts';
import { addToast } from './toasts.svelte.ts';

/** The most the clipboard takes at once, in characters. */
const MOST_LETTERS = 200_000;

/** Copies a text and says so; `what` was copied: "Path", "2 IDs". True when it was done. */
export async function copyText(text: string, what: string): Promise<boolean> {
  if (text.length > MOST_LETTERS) {
    addToast({
      tone: 'error',
      text: 'That is too much for the clipboard.',
      hint: 'Mark fewer rows, or open the file.',
    });
    return false;
  }
  const isDone = await perform('text.copy', { text });
  if (isDone) addToast({ tone: 'done', text: `${what} copied` });
  return isDone;
}

/** The menu entry that copies the ids of rows. */
export function copyIds(ids: readonly string[]) {
  const what = ids.length === 1 ? 'ID' : `${String(ids.length)} IDs`;
  return { label: `Copy ${what}`, icon: Copy, run: () => void copyText(ids.join('\n'), what) };
}
