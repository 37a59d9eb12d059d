/** Problems that must not occur while a test runs. Written to standard error, where the test finds them even after a crash. */
import { underTest } from './records.ts';

/** The prefix of each such line; the rest is JSON text. */
export const TROUBLE = 'sluice-trouble: ';

/** Reports to the test that started this host; does nothing without one. */
export function reportTrouble(text: string): void {
  if (underTest()) process.stderr.write(`${TROUBLE}${JSON.stringify(text)}\n`);
}
