/** What the ports implemented with Node promise. */
import { expect, test } from 'vitest';
import { systemRandom } from '../../main/nodePorts.ts';

test.each([1, 8, 9, 10, 32])('a token of %i letters and digits is new each time', (length) => {
  const tokens = Array.from({ length: 20 }, () => systemRandom.token(length));
  for (const token of tokens) expect(token).toMatch(new RegExp(`^[a-z0-9]{${length}}$`));
  expect(new Set(tokens).size).toBeGreaterThan(1);
});
