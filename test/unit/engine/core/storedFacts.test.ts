/** Facts that the ledger stores with an item, even when they are damaged. */
import { expect, it } from 'vitest';
import {
  storedContext,
  storedFacts,
  storedWords,
} from '../../../../main/engine/core/storedFacts.ts';

it.each([
  [null, {}, {}, null],
  ['null', {}, {}, null],
  ['{"said":"no', {}, {}, null],
  ['"text"', {}, {}, null],
  [
    '{"status":404,"said":"gone"}',
    { status: 404, said: 'gone' },
    { status: '404', said: 'gone' },
    'gone',
  ],
  ['{"reason":"zeros"}', { reason: 'zeros' }, { reason: 'zeros' }, 'zeros'],
  ['{"said":7}', { said: 7 }, { said: '7' }, null],
])('%s', (detail, facts, context, words) => {
  expect(storedFacts(detail)).toEqual(facts);
  expect(storedContext(detail)).toEqual(context);
  expect(storedWords(detail)).toBe(words);
});

it('limits the length of texts from others', () => {
  expect(storedWords(JSON.stringify({ said: 'x'.repeat(5000) }))).toHaveLength(1000);
});
