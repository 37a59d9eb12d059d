/** What must not happen while a test runs. Said on standard error, where the test finds it even after a crash. */
import { underTest } from './records.ts';

/** Begins each such line; the rest is a JSON text. */
export const TROUBLE = 'sluice-trouble: ';

/** Tells the test that started this host; silent without one. */
export function reportTrouble(text: string): void {
  if (underTest()) process.stderr.write(`${TROUBLE}${JSON.stringify(text)}\n`);
}
