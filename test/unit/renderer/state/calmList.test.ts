/** Lists in which nothing moves under the pointer. */
import { expect, test } from 'vitest';
import { inPlace } from '../../../../renderer/state/calmList.svelte.ts';

interface Row {
  readonly id: string;
  readonly said: string;
}

function rows(ids: string, said: string): readonly Row[] {
  return [...ids].map((id) => ({ id, said }));
}

test('what is shown keeps its place, with its newest words; what is new comes last', () => {
  const next = inPlace(rows('abc', 'old'), rows('dca', 'new'), ({ id }) => id);
  expect(next.map(({ id, said }) => `${id} ${said}`)).toEqual(['a new', 'b old', 'c new', 'd new']);
});
