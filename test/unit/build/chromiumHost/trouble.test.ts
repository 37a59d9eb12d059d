import { expect, test } from 'vitest';
import { TROUBLE } from '../../../../build/chromiumHost/trouble.ts';
import { unexpected } from '../../../e2e/support/trouble.ts';

const output = ['started', `${TROUBLE}"one\\nmore"`, `${TROUBLE}"two"`, 'ended', ''].join('\n');

test('an application without trouble has nothing to answer for', () => {
  expect(unexpected('started\nended\n', [])).toEqual([]);
});

test('unexpected trouble is reported, and expected trouble must happen', () => {
  expect(unexpected(output, [])).toEqual(['one\nmore', 'two']);
  expect(unexpected(output, [/one/, /two/])).toEqual([]);
  expect(unexpected(output, [/two/, /three/])).toEqual(['one\nmore', '/three/ was expected']);
});
