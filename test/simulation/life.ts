/** The life of one process: whatever it waits for comes back only while it lives. A kill needs nothing else. */
import type { Timeline } from './timeline.ts';

export interface Life {
  alive(): boolean;
  kill(): void;
  /** Calls back later, if the process still lives then. Answers how to call it off. */
  after(ms: number, act: () => void): () => void;
  /** Resolves later; never in a process that was killed. */
  wait(ms: number): Promise<void>;
}

/** Begins a life. */
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
