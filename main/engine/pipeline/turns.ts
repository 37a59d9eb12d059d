/** Runs work with a concurrency limit; the rest waits in order. */
export interface InTurn {
  <T>(work: () => Promise<T>): Promise<T>;
  /** To be called when the limit has grown: starts work that waits. */
  look(): void;
}

/**
 * Lets up to `most()` pieces of work run at a time. `most` is called whenever one starts or ends, and by look(). `isFree` is called when
 * more could run than are waiting.
 */
export function createTurns(most: () => number, isFree: () => void = () => undefined): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  const begin = (): void => {
    while (running < most()) {
      const next = waiting.shift();
      if (next === undefined) return isFree();
      running += 1;
      next();
    }
  };
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      begin();
    });
    try {
      return await work();
    } finally {
      running -= 1;
      begin();
    }
  };
  return Object.assign(inTurn, { look: begin });
}
