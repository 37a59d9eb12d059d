/** Violations of the policy, errors of the page and errors that nobody handles: each fails the test it happens in. */
import { TROUBLE } from '../../../build/chromiumHost/trouble.ts';

/** The trouble that an application's output tells of, in order. Pure. */
function troubleIn(output: string): readonly string[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith(TROUBLE))
    .map((line) => String(JSON.parse(line.slice(TROUBLE.length))));
}

/** What a test must answer for: trouble that it did not expect, and expected trouble that did not happen. Pure. */
export function unexpected(output: string, expects: readonly RegExp[]): readonly string[] {
  const all = troubleIn(output);
  const strange = all.filter((text) => !expects.some((pattern) => pattern.test(text)));
  const missing = expects.filter((pattern) => !all.some((text) => pattern.test(text)));
  return [...strange, ...missing.map((pattern) => `${String(pattern)} was expected`)];
}
