/** Whether the files are safe, for errors whose own words do not say so. */
import type { SluiceError } from '../../preload/errorCodes.ts';
import { wordsFor } from './errorWords.ts';

/** A sentence, or null where the words of the error say it already. */
export function safetyOf(error: SluiceError): string | null {
  const { message, hint } = wordsFor(error);
  if (/nothing is lost|safe|kept|untouched|nothing was|nothing to do/i.test(`${message} ${hint}`)) {
    return null;
  }
  return 'Your files are safe: Sluice never changes them.';
}
