/** The scenarios of the fake main, and how a view adds its answers. */
import type { InputOf, OutputOf, RequestName } from '../../../preload/contract/requests.ts';
import type { Counts } from '../../../preload/contract/records.ts';
import type { ErrorCode, NextStep, Result, SluiceError } from '../../../preload/contract/errors.ts';

export const SCENARIOS = ['busy', 'failing', 'long', 'first'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** Answers of a view, by the name of the request; all other requests are answered with null. */
export type Handlers = {
  readonly [Name in RequestName]?: (input: InputOf<Name>) => Result<OutputOf<Name>>;
};

export function isScenario(word: string): word is Scenario {
  return SCENARIOS.some((known) => known === word);
}

/** The counts of some files; none in the states that are not given. */
export function counts(given: Partial<Counts>): Counts {
  return {
    found: 0,
    queued: 0,
    sending: 0,
    sent: 0,
    confirmed: 0,
    skipped: 0,
    attention: 0,
    ...given,
  };
}

export function answer<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(
  code: ErrorCode,
  next: NextStep = 'park',
  context: SluiceError['context'] = {},
): Result<never> {
  return { ok: false, error: { code, next, context } };
}

/** A page of a list, cut as main cuts it. */
export function pageOf<T>(
  rows: readonly T[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Result<{ total: number; rows: readonly T[] }> {
  return answer({ total: rows.length, rows: rows.slice(offset, offset + limit) });
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The gallery's current time; the clock of its page is stopped there. */
export const NOW = Date.UTC(2026, 10, 21, 14, 30);

/** A name that must not break any view. */
export const LONG_NAME =
  'line-3-station-west-camera-upper-left-calibration-and-acceptance-run-with-operator-notes-kept-for-audit';
