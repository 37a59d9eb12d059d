import { cliReader, sentenceOfWait } from '../../../preload/contract/waitMessages.ts';
import type { WaitView } from '../../../preload/contract/waits.ts';
import { currentOwner, type Store } from '../../engine/queries/overview.ts';
import { readWaits } from '../../engine/status/waits.ts';
import type { CommandContext } from '../session/context.ts';
import { exact } from '../terminal/shownText.ts';
import { iso } from '../terminal/format.ts';
import { pauseIn } from './pauseNote.ts';

export interface ShownWaits {
  readonly waiting: readonly Readonly<Record<string, unknown>>[];
  /** What needs attention: it has waited for over an hour, or cannot continue by itself, even while no Sluice is running. */
  readonly urgent: readonly string[];
  readonly others: readonly string[];
}

/** How to resume what is paused; nothing for anything else. */
function resuming({ kind, name }: Pick<WaitView, 'kind' | 'name'>): string {
  if (kind === 'paused') return ' To resume: sluice resume';
  if (kind === 'batchPaused') return ` To resume: sluice resume --batch ${name ?? 'ID'}`;
  if (kind === 'watchPaused') return ' To resume: sluice watch resume ID (see sluice watch list)';
  return '';
}

/** Whether a Sluice works on this ledger or tries to, and why it cannot for now. */
export function runningOn(
  directory: string,
  now: number,
): { readonly running: boolean; readonly pause: WaitView | null } {
  const owner = currentOwner(directory);
  const pause = pauseIn(directory, owner, now);
  return { running: owner !== null || pause !== null, pause };
}

/** Everything that waits; what needs attention comes first. */
export function waitsToShow(
  { dataDirectory }: CommandContext,
  store: Store | null,
  now: number,
): ShownWaits {
  const { running, pause } = runningOn(dataDirectory, now);
  const waits = [
    ...(pause === null ? [] : [pause]),
    ...(store === null ? [] : readWaits(store, now, running)),
  ];
  const reader = cliReader(now, running);
  const waiting = waits.map(({ nextAt, ...wait }) => ({
    ...wait,
    since: iso(wait.since),
    next: iso(nextAt),
    sentence: `${sentenceOfWait({ ...wait, nextAt }, reader)}${resuming(wait)}`,
  }));
  const lines = (attention: boolean): readonly string[] =>
    waiting.filter((wait) => wait.attention === attention).map(({ sentence }) => exact(sentence));
  return { waiting, urgent: lines(true), others: lines(false) };
}
