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

/** Everything that waits; what needs attention comes first. */
export function waitsToShow(
  { dataDirectory }: CommandContext,
  store: Store | null,
  now: number,
): ShownWaits {
  const owner = currentOwner(dataDirectory);
  const pause = pauseIn(dataDirectory, owner, now);
  const running = owner !== null || pause !== null;
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
