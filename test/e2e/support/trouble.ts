/** Policy violations, page errors and unhandled errors: each fails the test in which it happens. */
import { TROUBLE } from '../../../build/chromiumHost/trouble.ts';

/** The trouble reported in an application's output, in order. Pure. */
function troubleIn(output: string): readonly string[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith(TROUBLE))
    .map((line) => String(JSON.parse(line.slice(TROUBLE.length))));
}

/** What fails a test: unexpected trouble, and expected trouble that did not happen. Pure. */
export function unexpected(output: string, expects: readonly RegExp[]): readonly string[] {
  const all = troubleIn(output);
  const strange = all.filter((text) => !expects.some((pattern) => pattern.test(text)));
  const missing = expects.filter((pattern) => !all.some((text) => pattern.test(text)));
  return [...strange, ...missing.map((pattern) => `${String(pattern)} was expected`)];
}
