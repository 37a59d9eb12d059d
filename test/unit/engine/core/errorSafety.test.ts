/** Every error says whether the files are safe: in its own text, or in an additional sentence. */
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../../../preload/contract/errors.ts';
import { explain, wordsOf } from '../../../../preload/contract/messages.ts';

const SAID =
  /nothing is lost|safe|kept|untouched|nothing was|changed nothing|nothing to do|not unpacked|still in the batch/i;

test.each(ERROR_CODES)('%s', (code) => {
  const { message, hint, safety } = explain({ code, context: {} });
  expect(wordsOf(code).safety).toBe(safety);
  if (safety === null) expect(`${message} ${hint}`).toMatch(SAID);
  else expect(safety).toMatch(/^[A-Z].*\.$/);
});

test('what is missing is not called safe', () => {
  expect(wordsOf('item.gone').safety).not.toContain('safe');
});
