/** Exit codes of the contract. */
import type { SluiceError } from '../../preload/errorCodes.ts';

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

/** The exit code of an error that ends a command. */
export function exitCodeOf(error: SluiceError): number {
  const { code } = error;
  if (code === 'usage.invalid') return EXIT.usage;
  if (code === 'auth.rejected') return EXIT.keyRefused;
  if (code === 'store.owned') return EXIT.owned;
  if (code.startsWith('network.') || code.startsWith('net.') || code === 'service.busy') {
    return EXIT.unreachable;
  }
  if (code === 'service.noAnswer') return EXIT.unreachable;
  if (code.startsWith('bug.') || code === 'store.newer') return EXIT.bug;
  return EXIT.attention;
}
