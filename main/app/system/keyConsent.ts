/** Consent to store a key on a system without a keychain: the user decides before it is written. */
import { dialog } from 'electron';
import type { Result } from '../../../preload/contract/errors.ts';
import { ok, usage } from '../../engine/core/errors.ts';
import type { AppContext } from '../appContext.ts';

/** What happens with a key: stored for the next start, used until Sluice quits, or not used. */
export type KeyStorage = 'keep' | 'session' | 'cancel';

const CHOICES: readonly (readonly [KeyStorage, button: string])[] = [
  ['keep', 'Keep it in a file'],
  ['session', 'Use it until Sluice quits'],
  ['cancel', 'Cancel'],
];

/** The meaning of the dialog's answer; closing it is not consent. Pure. */
export function keyStorageOf(response: number): KeyStorage {
  return CHOICES[response]?.[0] ?? 'cancel';
}

/** Asks only when there is no keychain. Error: usage.invalid when the user cancelled. */
export async function askHowToKeepKey({
  secrets,
  window,
}: Pick<AppContext, 'secrets' | 'window'>): Promise<Result<Exclude<KeyStorage, 'cancel'>>> {
  if (secrets.protects()) return ok('keep');
  const parent = window.current();
  if (parent === null) return ok('session');
  const answer = await dialog.showMessageBox(parent, {
    type: 'warning',
    message: 'This computer has no keychain for the key.',
    detail:
      'Sluice can keep the key in a file that only your user account can read. Any program that runs under your account could read it too. Without the file, Sluice asks for the key at each start.',
    buttons: CHOICES.map(([, button]) => button),
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  });
  const storage = keyStorageOf(answer.response);
  return storage === 'cancel' ? usage('the key was not saved') : ok(storage);
}
