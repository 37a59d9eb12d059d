/**
 * Virtual time. It moves only when everything waits: an event happens, everything that follows without waiting is done,
 * then the next event happens. Nothing in a simulation waits for real time, so the same seed gives the same order.
 */

interface Event {
  readonly at: number;
  readonly order: number;
  act: (() => void) | null;
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** A binary heap: the earliest event first. */
function createQueue(): { add(event: Event): void; take(): Event | null } {
  const heap: Event[] = [];
  const swap = (a: number, b: number): void => {
    const [first, second] = [heap[a], heap[b]];
    if (first === undefined || second === undefined) return;
    heap[a] = second;
    heap[b] = first;
  };
  const earlier = (a: number, b: number): boolean => {
    const [first, second] = [heap[a], heap[b]];
    return first !== undefined && (second === undefined || isBefore(first, second));
  };
  return {
    add: (event) => {
      heap.push(event);
      for (let at = heap.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!earlier(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    take: () => {
      const first = heap[0] ?? null;
      const last = heap.pop();
      if (first === null || last === undefined || heap.length === 0) return first;
      heap[0] = last;
      for (let at = 0; ;) {
        const left = 2 * at + 1;
        const child = earlier(left + 1, left) ? left + 1 : left;
        if (!earlier(child, at)) return first;
        swap(child, at);
        at = child;
      }
    },
  };
}

/** When this resolves, everything that follows without waiting is done: no port of the simulation really waits. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Starts time at 0. */
export function createTimeline() {
  const queue = createQueue();
  let now = 0;
  let order = 0;
  let happened = 0;
  return {
    /** Milliseconds since the start. */
    now: () => now,
    /** How many events have happened. */
    events: () => happened,
    /** Runs `act` after `ms`; events at the same time keep their order. Returns a function that cancels. */
    after: (ms: number, act: () => void) => {
      const event: Event = { at: now + Math.max(0, ms), order: order++, act };
      queue.add(event);
      return () => {
        event.act = null;
      };
    },
    /** Runs events until the condition holds. Throws when nothing is left to happen, or when it takes longer than the limit. */
    run: async (until: () => boolean, limitMs: number) => {
      const end = now + limitMs;
      for (;;) {
        await settled();
        if (until()) return;
        let event = queue.take();
        while (event?.act === null) event = queue.take();
        if (event === null) throw new Error('nothing is left to happen');
        if (event.at > end) throw new Error(`not over after ${limitMs} ms`);
        now = event.at;
        happened += 1;
        event.act?.();
      }
    },
  };
}

export type Timeline = ReturnType<typeof createTimeline>;
