/** Actions that a test runs while a client works: just before a request is handled, or when it is over. */
import type { Exchange } from './exchange.ts';
import { matches, type RequestMatch } from './outages.ts';
import type { LogEntry } from './requestLog.ts';

export interface HookMatch extends RequestMatch {
  /** `before` (default): the request waits until the action has ended. `after`: once its answer was sent. */
  readonly when?: 'before' | 'after';
  /** How many requests it affects; all by default. */
  readonly times?: number;
}

export type HookAction = (entry: LogEntry) => void | Promise<void>;

/** Creates an empty list of hooks. */
export function createHooks() {
  const hooks = new Set<{ readonly match: HookMatch; readonly action: HookAction; left: number }>();
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];

  const run = async (when: 'before' | 'after', entry: LogEntry): Promise<void> => {
    for (const hook of hooks) {
      const isMeant =
        (hook.match.when ?? 'before') === when && matches(hook.match, entry.method, entry.path);
      if (!isMeant) continue;
      hook.left -= 1;
      if (hook.left <= 0) hooks.delete(hook);
      await hook.action(entry);
    }
  };

  return {
    /** Runs the action at matching requests; returns a function that removes it. */
    on: (match: HookMatch, action: HookAction) => {
      const hook = { match, action, left: match.times ?? Infinity };
      hooks.add(hook);
      return () => {
        hooks.delete(hook);
      };
    },
    /** Runs the actions due before this request. */
    before: (exchange: Exchange) => run('before', exchange.entry),
    /** Starts the actions due when this request is over. */
    after: (entry: LogEntry) => {
      const work = run('after', entry).catch((problem: unknown) => {
        failures.push(problem);
      });
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    },
    /** Resolves when no action is running; throws the error of an action that ran after an answer. */
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
      if (failures.length > 0) throw failures.shift();
    },
  };
}

export type Hooks = ReturnType<typeof createHooks>;
