/** A hash is named after its algorithm. */
import { expect, it } from 'vitest';
import { hashWords } from '../../../../renderer/text/hashWords.ts';

it('is called by its algorithm', () => {
  expect(hashWords('b3:00ff')).toEqual({ kind: 'BLAKE3', hex: '00ff' });
  expect(hashWords('00ff')).toEqual({ kind: 'SHA-256', hex: '00ff' });
});
