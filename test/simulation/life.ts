/** The life of one process: its waits resume only while it lives, which is all that a kill needs. */
import type { Timeline } from './timeline.ts';

export interface Life {
  alive(): boolean;
  kill(): void;
  /** Calls back later if the process is still alive. Returns a function that cancels. */
  after(ms: number, act: () => void): () => void;
  /** Resolves later; never in a process that was killed. */
  wait(ms: number): Promise<void>;
}

/** Starts a life. */
export function createLife(timeline: Timeline): Life {
  let alive = true;
  const after: Life['after'] = (ms, act) =>
    timeline.after(ms, () => {
      if (alive) act();
    });
  return {
    alive: () => alive,
    kill: () => {
      alive = false;
    },
    after,
    wait: (ms) => new Promise((resolve) => after(ms, resolve)),
  };
}
