/** Seeded randomness: the same seed and name give the same draws, on every machine. */

export interface Dice {
  /** A fraction in [0, 1). */
  fraction(): number;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Lower-case letters and digits. */
  token(length: number): string;
  /** Separate dice: draws from them do not affect these. */
  stream(name: string): Dice;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** 32 bits derived from a text (FNV-1a with a final mix). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Creates dice (sfc32) from a text. */
export function createDice(seed: string): Dice {
  let a = hash(`${seed}/a`);
  let b = hash(`${seed}/b`);
  let c = hash(`${seed}/c`);
  let count = 1;
  const next = (): number => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  for (let warm = 0; warm < 12; warm += 1) next();
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    fraction: next,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)] ?? list[0],
    token: (length) => Array.from({ length }, () => LETTERS[int(0, LETTERS.length - 1)]).join(''),
    stream: (name) => createDice(`${seed}/${name}`),
  };
}
