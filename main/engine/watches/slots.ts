/** Starts and stops what runs under an id, one after the other, no matter how fast a person changes their mind. */

import { createKeyedQueue } from '../core/serialQueue.ts';

/** Something that runs until it is stopped. Its owner learns of failures in another way. */
export interface Stoppable {
  stop(): Promise<void>;
}

interface Slot<T> {
  /** Number of replace() calls so far: only the last one may start anything. */
  calls: number;
  running: T | null;
}

export function createSlots<T extends Stoppable>() {
  const slots = new Map<number, Slot<T>>();
  const inTurn = createKeyedQueue<number>();
  let closed = false;

  /**
   * Stops what runs under the id. Once it has stopped, runs what `start` creates in its place, unless `start` is null or
   * another call or `close` came later. Resolves then; rejects with what `start` throws.
   */
  const replace = (id: number, start: (() => T | null) | null): Promise<void> => {
    const slot = slots.get(id) ?? { calls: 0, running: null };
    slots.set(id, slot);
    slot.calls += 1;
    const call = slot.calls;
    const stopped = slot.running?.stop().catch(() => undefined);
    slot.running = null;
    return inTurn(id, async () => {
      await stopped;
      if (start !== null && call === slot.calls && !closed) slot.running = start();
    });
  };

  return {
    replace,
    get: (id: number) => slots.get(id)?.running ?? null,
    all: () => [...slots.values()].flatMap(({ running }) => running ?? []),
    /** Stops everything; nothing starts afterwards. */
    close: async () => {
      closed = true;
      await Promise.all([...slots.keys()].map((id) => replace(id, null)));
    },
  };
}

export type Slots<T extends Stoppable> = ReturnType<typeof createSlots<T>>;
