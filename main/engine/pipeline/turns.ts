/** Runs work with a concurrency limit; the rest waits in order. */
export interface InTurn {
  <T>(work: () => Promise<T>): Promise<T>;
  /** Starts what waits when the limit has grown. */
  look(): void;
}

/** Lets up to `most()` pieces of work run at a time, asked whenever one starts or ends, and on look(). `isFree`: more could run than are there. */
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
