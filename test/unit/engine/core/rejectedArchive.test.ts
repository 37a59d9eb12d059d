/** A service may reject one file of an archive, or the archive as a whole: one sentence must be true for both. */
import { expect, test } from 'vitest';
import { explain } from '../../../../preload/contract/messages.ts';

test('a file that was not taken does not claim that its archive was accepted', () => {
  const { message } = explain({ code: 'shard.rejected', context: {} });
  expect(message).toBe('The service did not take this file from its archive.');
});
