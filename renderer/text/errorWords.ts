/** Error texts for the window, where the general ones name commands. */
import type { ErrorCode, SluiceError } from '../../preload/contract/errors.ts';
import { AGAIN, type ErrorWords, explain } from '../../preload/contract/messages.ts';
import { asSentence } from './sentence.ts';

const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  'auth.rejected': 'Enter a valid key; queued files continue with it.',
  'directory.unreadable': 'Give this user permission to read it; Sluice checks again by itself.',
  'disk.full': 'Free some space.',
  'item.ignored': 'Nothing to do. The list of skipped files has a button to upload it after all.',
  'item.truncated':
    'Replace the file. In a watched folder it is then uploaded automatically; otherwise, try again.',
  'store.older': 'Quit the older version, then start this one again.',
  'store.owned': 'Use that one, or quit it and start Sluice again.',
  'bug.illegalTransition': 'Restart Sluice, and please report the bug with the log.',
  'bug.unexpected': 'Try again; if it happens again, please report the bug with the log.',
};

export function wordsFor(error: Pick<SluiceError, 'code' | 'context'>): ErrorWords {
  const words = explain(error);
  if (error.code === 'usage.invalid') return refused(error.context);
  if (error.code === 'bug.unexpected') {
    const message = 'Something went wrong in Sluice. Nothing is lost.';
    return { ...words, message, hint: HINTS[error.code] ?? '' };
  }
  return { ...words, hint: HINTS[error.code] ?? words.hint };
}

/** The same about what a person asked for, such as a new folder: nothing tries that again by itself. */
export function wordsForAction(error: Pick<SluiceError, 'code' | 'context'>): ErrorWords {
  const words = wordsFor(error);
  return { ...words, hint: words.hint.replace(AGAIN, 'Try again.') };
}

/** A refusal by Sluice itself, with the reason as its sentence. */
function refused({ said, path }: SluiceError['context']): ErrorWords {
  const reason = typeof said === 'string' ? said.trim() : '';
  // The path that the reason names.
  const text = reason.endsWith(':') && typeof path === 'string' ? `${reason} ${path}` : reason;
  const rest = { hint: 'Nothing was changed.', safety: null };
  if (text === '') return { message: 'Sluice cannot do this.', ...rest };
  return { message: asSentence(text), ...rest };
}
