/** How an outgoing body is sliced. */
import { expect, test } from 'vitest';
import { nextSliceBytes, outgoing } from '../../../../../main/engine/service/http/outgoingBody.ts';

const KIB = 1024;

test.each([
  ['grow while they leave quickly', 64 * KIB, 1, 128 * KIB],
  ['grow to 1 MiB and no further', 1024 * KIB, 1, 1024 * KIB],
  ['stay while they take a while', 256 * KIB, 500, 256 * KIB],
  ['start small again when they hardly move', 1024 * KIB, 1500, 64 * KIB],
])('slices %s', (_, bytes, tookMs, next) => {
  expect(nextSliceBytes(bytes, tookMs)).toBe(next);
});

test('a body is sent completely, in slices of at least 64 KiB, and the last one is announced', async () => {
  const content = Buffer.alloc(3000 * KIB, 'slices');
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < content.length; at += 1000 * KIB) {
      await Promise.resolve();
      yield content.subarray(at, at + 1000 * KIB);
    }
  }
  const lasts: boolean[] = [];
  const slices: Uint8Array[] = [];
  const body = { lengthBytes: content.length, chunks };
  const watch = {
    reading: () => undefined,
    sending: (last: boolean) => lasts.push(last) > 0,
    stopped: () => false,
  };
  for await (const slice of outgoing(body, watch)) slices.push(slice);
  expect(Buffer.concat(slices).equals(content)).toBe(true);
  expect(lasts.filter((last) => last)).toHaveLength(1);
  expect(lasts.at(-1)).toBe(true);
  expect(slices[0]).toHaveLength(64 * KIB);
});

test('a last slice that must not be sent is not sent', async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    yield Buffer.alloc(100 * KIB);
  }
  const watch = {
    reading: () => undefined,
    sending: (last: boolean) => !last,
    stopped: () => false,
  };
  let left = 100 * KIB;
  for await (const slice of outgoing({ lengthBytes: left, chunks }, watch)) left -= slice.length;
  expect(left).toBe(36 * KIB);
});
