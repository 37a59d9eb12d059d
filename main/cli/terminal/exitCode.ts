/** Exit codes of the contract. */
import type { SluiceError } from '../../../preload/errorCodes.ts';
import { sluiceError } from '../../engine/errors.ts';

export const EXIT = {
  done: 0,
  bug: 1,
  usage: 2,
  attention: 3,
  keyRefused: 4,
  unreachable: 5,
  owned: 6,
  interrupted: 130,
} as const;

/** What is said when the service confirms nothing any more; nothing of it is lost. */
export function stalled(): SluiceError {
  const said = 'nothing was confirmed for 15 minutes; the same command goes on asking';
  return sluiceError('service.noAnswer', { said });
}

/** The exit code of an error that ends a command. */
export function exitCodeOf(error: SluiceError): number {
  const { code } = error;
  if (code === 'usage.invalid') return EXIT.usage;
  if (code === 'auth.rejected') return EXIT.keyRefused;
  if (code === 'store.owned' || code === 'store.older') return EXIT.owned;
  if (code.startsWith('network.') || code.startsWith('net.') || code === 'service.busy') {
    return EXIT.unreachable;
  }
  if (code === 'service.noAnswer') return EXIT.unreachable;
  if (code.startsWith('bug.') || code === 'store.newer') return EXIT.bug;
  return EXIT.attention;
}
