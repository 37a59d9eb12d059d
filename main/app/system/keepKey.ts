/** Keeping a key where the system has no keychain: a person is told before it is written, and decides. */
import { dialog } from 'electron';
import type { Result } from '../../../preload/contract/errors.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import type { AppContext } from '../appContext.ts';

/** What becomes of a key: kept for the next start, used until Sluice quits, or not taken at all. */
export type KeyKeeping = 'keep' | 'session' | 'cancel';

const CHOICES: readonly KeyKeeping[] = ['keep', 'session', 'cancel'];
const BUTTONS = ['Keep it in a file', 'Use it until Sluice quits', 'Cancel'];

/** What the answer of the question means; closing it is no agreement. Pure. */
export function keepingOf(response: number): KeyKeeping {
  return CHOICES[response] ?? 'cancel';
}

/** Asks where there is no keychain; with one there is nothing to ask. */
export async function askToKeep({
  secrets,
  window,
}: Pick<AppContext, 'secrets' | 'window'>): Promise<KeyKeeping> {
  if (secrets.protects()) return 'keep';
  const parent = window.current();
  if (parent === null) return 'session';
  const answer = await dialog.showMessageBox(parent, {
    type: 'warning',
    message: 'This computer has no keychain for the key.',
    detail:
      'Sluice can keep the key in a file that only your user can read. Every program that runs as your user could read it, too. Without the file, Sluice asks for the key at each start.',
    buttons: BUTTONS,
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  });
  return keepingOf(answer.response);
}

/** Error: usage.invalid when the person cancelled; nothing is written then. Pure. */
export function refuseCancelled(keeping: KeyKeeping): Result<null> {
  return keeping === 'cancel' ? fail('usage.invalid', { said: 'the key was not taken' }) : ok(null);
}
