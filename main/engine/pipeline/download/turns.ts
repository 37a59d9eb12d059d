/** Work of which only so much runs at a time; the rest waits in its order. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets `most` pieces of work run at the same time. */
export function createTurns(most: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // Work that ends hands its turn on: it is never free in between.
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
