/** Randomness that is repeatable by a seed. */

export interface SeededRandom {
  /** A fraction in [0, 1). */
  fraction(): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  pick<T>(values: readonly T[]): T;
}

/** Mulberry32: small, and the same everywhere. */
export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number): number =>
    least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    whole,
    pick: (values) => {
      const value = values[whole(0, values.length - 1)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
  };
}

/** The seed of this run: SLUICE_SEED, or a new one. Tests include it in their messages. */
export function seedOfRun(): number {
  const stated = Number(process.env['SLUICE_SEED'] ?? Number.NaN);
  return Number.isInteger(stated) ? stated : Math.floor(Math.random() * 1_000_000);
}
