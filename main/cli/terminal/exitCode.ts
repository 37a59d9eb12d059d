import type { ErrorCode, SluiceError } from '../../../preload/contract/errors.ts';

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

/** What each exit code means, for the help and the man page. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.done]: 'done: everything is confirmed, or skipped for a stated reason',
  [EXIT.bug]: 'an unexpected failure',
  [EXIT.usage]: 'wrong usage',
  [EXIT.attention]: 'finished, but something needs attention',
  [EXIT.keyRefused]: 'the service refused the key',
  [EXIT.unreachable]: 'the service could not be reached, or has internal errors',
  [EXIT.owned]: 'another Sluice uses the data folder',
  [EXIT.interrupted]: 'interrupted; the same command continues where it stopped',
};

/** The service, or something in front of it, gave no answer that counts: asking later may help. */
const NO_ANSWER: readonly ErrorCode[] = ['service.busy', 'service.failed', 'service.noAnswer'];

export function exitCodeOf(error: SluiceError): number {
  const { code } = error;
  if (code === 'usage.invalid') return EXIT.usage;
  if (code === 'auth.rejected') return EXIT.keyRefused;
  if (code === 'store.owned' || code === 'store.older') return EXIT.owned;
  if (code.startsWith('network.') || code.startsWith('net.') || NO_ANSWER.includes(code)) {
    return EXIT.unreachable;
  }
  if (code.startsWith('bug.') || code === 'store.newer') return EXIT.bug;
  return EXIT.attention;
}
