/** Shorter times of the line for tests that run this program in a process of its own. Nothing is read outside of tests. */
import { STANDARD_TIMES } from '../../engine/lineTimes.ts';
import { type LineOptions } from '../../engine/runningLine.ts';

/** What SLUICE_TEST_TIMES asks for, as JSON of milliseconds by name, when NODE_ENV is `test`; else nothing. */
export function testTimes(
  environment: Readonly<Record<string, string | undefined>>,
): NonNullable<LineOptions['times']> {
  if (environment['NODE_ENV'] !== 'test') return {};
  const given: unknown = JSON.parse(environment['SLUICE_TEST_TIMES'] ?? '{}');
  const named = new Map(Object.entries(typeof given === 'object' && given !== null ? given : {}));
  const times: Record<string, number> = {};
  for (const name of Object.keys(STANDARD_TIMES)) {
    const value: unknown = named.get(name);
    if (typeof value === 'number' && value >= 0) times[name] = value;
  }
  return times;
}
