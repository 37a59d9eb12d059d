/** CRC-32C, native and in JavaScript: the same checksums. */
import { expect, test } from 'vitest';
import { chooseCrc32c, crc32c } from '../../../../main/engine/core/crc32c.ts';

const portable = chooseCrc32c(() => {
  throw new Error('there is no native file');
});

test('the check value of the algorithm', () => {
  const digits = Buffer.from('123456789');
  expect(crc32c(digits, 0)).toBe(0xe3069283);
  expect(portable(digits, 0)).toBe(0xe3069283);
});

test.each([5000, 3_000_000])(
  'a checksum of %i bytes continues from the previous one, in both implementations',
  (length) => {
    const bytes = Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7919) % 251));
    const whole = portable(bytes, 0);
    expect(crc32c(bytes, 0)).toBe(whole);
    for (const at of [0, 1, 7, 4096, length]) {
      expect(portable(bytes.subarray(at), crc32c(bytes.subarray(0, at), 0))).toBe(whole);
    }
  },
);

test('a package that is not the expected one is not used', () => {
  const odd = chooseCrc32c(() => ({ crc32c: undefined }));
  expect(odd(Buffer.from('123456789'), 0)).toBe(0xe3069283);
});
