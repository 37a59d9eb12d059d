/** Says that confirmed files cannot be moved away, once for each cause, while and after watches run. */
import { cliReader, sentenceOfWait } from '../../../preload/contract/waitMessages.ts';
import type { Store } from '../../engine/queries/overview.ts';
import { createCachedQuery } from '../../engine/runner/cachedQuery.ts';
import { readWaits } from '../../engine/status/waits.ts';
import type { CommandContext } from '../session/context.ts';
import { exact } from '../terminal/shownText.ts';
import { notify } from '../terminal/output.ts';

/**
 * Creates the reporter. `targets`: the directories to move to that count, null for all. A call returns whether
 * something cannot be moved; `running` is false at the end of the command.
 */
export function createMovingReporter(
  { clock, output }: Pick<CommandContext, 'clock' | 'output'>,
  store: Store,
  targets: readonly (string | null)[] | null,
): (running: boolean) => boolean {
  const read = () =>
    readWaits(store, clock.now(), true).filter(
      ({ kind, name }) => kind === 'moving' && (targets === null || targets.includes(name)),
    );
  const readAtTimes = createCachedQuery(store, clock, read);
  // What an earlier run noted may be over: it counts once this one has tried.
  const earlier = new Set(read().map((wait) => JSON.stringify(wait)));
  let told: ReadonlySet<string> = new Set();
  return (running) => {
    const waits = running
      ? readAtTimes().filter((wait) => !earlier.has(JSON.stringify(wait)))
      : read();
    const causes = new Map(waits.map((wait) => [`${wait.code} ${wait.name}`, wait]));
    for (const [cause, wait] of causes) {
      if (told.has(cause)) continue;
      const text = sentenceOfWait(wait, cliReader(clock.now(), running));
      notify(output, text, exact(text));
    }
    told = new Set(causes.keys());
    return waits.length > 0;
  };
}
