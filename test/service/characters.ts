/** The characters of the service: ways in which services of this kind differ, as data. The exactly-once suites run against each. */
import type { Settings } from './settings.ts';

export interface Character {
  /** What differs from `quick`, in a few words. */
  readonly words: string;
  readonly settings: Partial<Settings>;
  /** How far the service's clock is ahead of this computer's, ms; behind when negative. */
  readonly clockSkewMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Every character by name. A setting that the caller gives overrides the character's. */
export const CHARACTERS = {
  quick: { words: 'complete and quick', settings: {} },
  slowToList: {
    words: 'counts, shards and lists show what happened 50 s later',
    settings: { listingDelayMs: 50_000 },
  },
  noTimes: {
    words: 'states no times: no Date, no Last-Modified, no eventTimestamp, no metadata of batches',
    settings: { statesTimes: false },
  },
  oneObjectPerName: {
    words: 'one object per name in a batch; the later one replaces the earlier',
    settings: { sameName: 'replaces' },
  },
  checksums: {
    words: 'the storage states CRC-32C, MD5 and length of what it stored',
    settings: { states: 'goog' },
  },
  drops: {
    words: 'one upload in a hundred is answered 200 and thrown away',
    settings: { dropEvery: 100 },
  },
  behindProxy: {
    words: 'one second after the first request, a proxy answers everything with HTML for 20 s',
    settings: { proxyAfterMs: 1_000, proxyForMs: 20_000 },
  },
  otherClock: {
    words: 'the clock is eight days behind',
    settings: {},
    clockSkewMs: -8 * DAY_MS,
  },
  shared: {
    words: 'a second computer writes into the same batches',
    settings: { otherEvery: 3 },
  },
} as const satisfies Readonly<Record<string, Character>>;

export type CharacterName = keyof typeof CHARACTERS;

/** The names of all characters, `quick` first. */
export const CHARACTER_NAMES = Object.keys(CHARACTERS).filter(isCharacterName);

export function isCharacterName(text: string): text is CharacterName {
  return Object.hasOwn(CHARACTERS, text);
}
