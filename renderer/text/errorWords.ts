/** The words of an error for the window: where the catalogue speaks to the command line, they are said otherwise. */
import type { ErrorCode, SluiceError } from '../../preload/contract/errors.ts';
import { type ErrorWords, explain } from '../../preload/contract/messages.ts';

const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  'auth.rejected': 'Give a valid key; what waits goes on with it.',
  'directory.unreadable': 'Give this user the right to read it; it is looked at again by itself.',
  'disk.full': 'Make room; it goes on by itself.',
  'disk.failed': 'Check the rights and the health of the disk, then try again.',
  'item.ignored': 'Nothing to do. What was left out has a button to upload it after all.',
  'store.older': 'Quit the older one, then start this one again.',
  'store.owned': 'Use that one or end it, then start Sluice again.',
  'bug.illegalTransition': 'Start Sluice again, and please report the log.',
  'bug.unexpected': 'Try again; when it stays, please report the log.',
};

/** What a person reads about an error in the window. */
export function wordsFor(error: Pick<SluiceError, 'code' | 'context'>): ErrorWords {
  const words = explain(error);
  if (error.code === 'usage.invalid') return refused(error.context['said']);
  if (error.code === 'bug.unexpected') {
    const message = 'Something went wrong in Sluice. Everything is kept.';
    return { ...words, message, hint: HINTS[error.code] ?? '' };
  }
  return { ...words, hint: HINTS[error.code] ?? words.hint };
}

/** Sluice itself says why it does not do this. */
function refused(said: unknown): ErrorWords {
  const text = typeof said === 'string' ? said.trim() : '';
  const rest = { hint: 'Nothing was changed.', safety: null };
  if (text === '') return { message: 'Sluice cannot do this.', ...rest };
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return { message: /[.!?]$/.test(sentence) ? sentence : `${sentence}.`, ...rest };
}
