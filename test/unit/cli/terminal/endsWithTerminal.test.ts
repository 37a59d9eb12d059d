import { expect, test } from 'vitest';
import { endsWithTerminal } from '../../../../main/cli/terminal/endsWithTerminal.ts';

test.each([
  ['linux', [], false],
  ['linux', [0], true],
  ['linux', [2], true],
  ['darwin', [0], false],
  ['darwin', [0, 2], true],
  ['win32', [], true],
] as const)('on %s, a terminal at %j: closing it ends the program: %s', (platform, at, ends) => {
  expect(endsWithTerminal(platform, (stream) => [...at].some((one) => one === stream))).toBe(ends);
});
