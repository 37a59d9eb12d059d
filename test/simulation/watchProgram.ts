/** `sluice watch run` and the window's watch in one: its rule is edited and paused while it runs. */
import { SluiceFailure } from '../../main/engine/core/errors.ts';
import { changeWatch, enterWatch, toRule, watchesOf } from '../../main/engine/watches/registry.ts';
import { startWatching } from '../../main/engine/watches/watching.ts';
import { runWatches } from '../../main/engine/watches/watchRun.ts';
import type { Watch } from '../../main/engine/store/tables/watches.ts';
import type { WatchRule } from '../../preload/contract/watchRule.ts';
import type { Process, Program } from './computer.ts';
import { startRunner } from './programs.ts';
import { WORKSPACE } from './serviceWords.ts';
import type { RuleEdit, WatchPlan } from './watchPlan.ts';

export interface WatchRunOptions {
  readonly watch: WatchPlan;
  /** Virtual time. */
  readonly now: () => number;
  /** It runs until this time; null: until everything found is at rest (`--once`). */
  readonly until: number | null;
}

/** Adds the watch with this rule to the ledger, or edits it. Throws the error that would end a command. */
async function watchWith(
  { store, ports, dataDirectory }: Process,
  connectionId: number,
  rule: WatchRule,
): Promise<Watch> {
  const book = { store, ports, dataDirectory };
  const [known] = watchesOf(store, connectionId);
  const entered =
    known === undefined
      ? await enterWatch(book, connectionId, rule)
      : await changeWatch(book, known.id, toRule(rule));
  if (!entered.ok) throw new SluiceFailure(entered.error);
  const [watch] = watchesOf(store, connectionId);
  if (watch === undefined) throw new Error('a watch that was added is not there');
  return watch;
}

async function atTimes(
  { ports }: Process,
  { now }: WatchRunOptions,
  signal: AbortSignal,
  acts: readonly { readonly at: number; readonly act: () => Promise<void> }[],
): Promise<void> {
  const began = now();
  const ahead = acts.filter(({ at }) => at > began).sort((a, b) => a.at - b.at);
  for (const { at, act } of ahead) {
    await ports.clock.sleep(Math.max(0, at - now()), signal);
    if (signal.aborted) return;
    // A full disk refuses an edit; the next start applies it.
    await act().catch((thrown: unknown) => {
      if (!(thrown instanceof SluiceFailure)) throw thrown;
    });
  }
}

/** Nothing is sent during the pauses of the plan. */
function pausesOf({ watch }: WatchRunOptions, hold: (held: boolean) => void) {
  return watch.pauses.flatMap(({ from, to }) => [
    { at: from, act: () => Promise.resolve(hold(true)) },
    { at: to, act: () => Promise.resolve(hold(false)) },
  ]);
}

/** Returns how it ended: settled, interrupted, unreachable, stalled, blocked:CODE. */
export function watchProgram(options: WatchRunOptions): Program {
  const { watch: plan, now, until } = options;
  return async (process) => {
    let isHeld = false;
    const running = startRunner(process, null, () => isHeld);
    const hold = (held: boolean): void => {
      isHeld = held;
      running.wake();
    };
    const { dataDirectory } = process;
    const { connectionId } = running.pipeline;
    const stopping = new AbortController();
    const watching = startWatching({
      running,
      workspace: WORKSPACE,
      dataDirectory,
      pollOnly: false,
      notificationsUrl: () => null,
      notification: () => null,
      report: () => undefined,
    });
    try {
      const [first] = plan.rules;
      const due: RuleEdit = plan.rules.findLast(({ at }) => at <= now()) ?? first;
      const watch = await watchWith(process, connectionId, due.rule);
      watching.start(watch);
      const edits = plan.rules.map(({ at, rule }) => ({
        at,
        act: async () => watching.start(await watchWith(process, connectionId, rule)),
      }));
      const ends = until === null ? [] : [{ at: until, act: () => stop(stopping) }];
      const acting = atTimes(process, options, stopping.signal, [
        ...edits,
        ...pausesOf(options, hold),
        ...ends,
      ]);
      const ran = runWatches(running, watching, [watch], {
        once: until === null,
        signal: stopping.signal,
        onMoment: () => undefined,
      });
      const { end } = await Promise.race([ran, acting.then(() => ran)]);
      return end.kind === 'blocked' ? `blocked:${end.error.code}` : end.kind;
    } finally {
      stopping.abort();
      await watching.stop();
      await running.stop();
    }
  };
}

function stop(stopping: AbortController): Promise<void> {
  stopping.abort();
  return Promise.resolve();
}
