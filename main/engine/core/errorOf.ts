/** What a thrown failure means. */
import type { SluiceError } from '../../../preload/contract/errors.ts';
import { sluiceError, SluiceFailure } from './errors.ts';

/** The error behind a thrown failure: its own, or bug.unexpected for anything that was not foreseen. */
export function errorOf(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceFailure) return thrown.error;
  const said = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return sluiceError('bug.unexpected', { said });
}
