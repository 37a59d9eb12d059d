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
  ['{"said":"[] x"}', { said: '[] x' }, { said: '[] x' }, '[] x'],
  ['{"said":7}', { said: 7 }, { said: '7' }, null],
])('%s', (detail, facts, context, words) => {
  expect(storedFacts(detail)).toEqual(facts);
  expect(storedContext(detail)).toEqual(context);
  expect(storedWords(detail)).toBe(words);
});

it('limits the length of texts from others', () => {
  expect(storedWords(JSON.stringify({ said: 'x'.repeat(5000) }))).toHaveLength(1000);
});

it.each([
  [{ name: 'a.jpg', reason: 'corrupt image' }, 'corrupt image'],
  [{ failed: [{ name: 'a.jpg', error: { code: 12, text: 'bad' } }, { reason: 'bad' }] }, '12, bad'],
  [{ name: 'a.jpg', width: 0, note: null }, 'name: a.jpg, width: 0'],
  [['too large', 'too wide'], 'too large, too wide'],
])('says in plain words what a service says in JSON: %j', (said, words) => {
  expect(storedWords(JSON.stringify({ said: JSON.stringify(said) }))).toBe(words);
});
