/** What a user does first: sends a directory, and sends it again. */
import { expect, test } from 'vitest';
import { sample, tinyImages } from '../helpers/media.ts';
import { newKey } from './apiKey.ts';
import { createWorld, type World } from './world.ts';

const UPLOADS = /\/upload\/|\/bulk-upload\/|\/storage\/uploads\//;

async function writeThousand(world: World): Promise<void> {
  let number = 0;
  for (const { name, content } of tinyImages(1000)) {
    // Equal base names in many directories.
    const directory = `line-${number % 7}/cam-${Math.floor(number / 7) % 20}`;
    await world.local.write(
      `${directory}/frame-${Math.floor(number / 140)}${name.slice(-4)}`,
      content,
    );
    number += 1;
  }
  for (const clip of ['a', 'b', 'deep/c']) {
    await world.local.write(
      `clips/${clip}.mp4`,
      Buffer.concat([await sample('mp4'), freeBox(clip)]),
    );
  }
  await world.local.remember();
}

/** A box that players skip: gives a video with the same pictures different content. */
function freeBox(text: string): Buffer {
  const box = Buffer.alloc(8 + text.length);
  box.writeUInt32BE(box.length, 0);
  box.write(`free${text}`, 4);
  return box;
}

test('a thousand images and three videos arrive once, and the second run sends nothing', async () => {
  const world = await createWorld({ threads: true, service: { apiKey: newKey() } });
  await writeThousand(world);
  const first = await world.upload();
  expect(first.end.kind).toBe('settled');
  expect(first.tally).toMatchObject({ found: 1003, confirmed: 1003, attention: 0 });
  await world.expectExactlyOnce({ allConfirmed: true });
  const { batches } = world.ledger();
  expect(batches).toMatchObject([
    { batchId: 'batch-1', mode: 'bulk' },
    { batchId: 'batch-1-videos', mode: 'single' },
  ]);
  world.service.log.clear();
  const second = await world.upload();
  expect(second.tally).toMatchObject({ found: 1003, confirmed: 1003 });
  expect(world.requestCount('*', UPLOADS)).toBe(0);
  await world.expectExactlyOnce({ allConfirmed: true });
  await world.expectNoSecrets();
});

test('a few images go one by one', async () => {
  const world = await createWorld();
  await world.local.writeImages(5);
  expect((await world.upload()).tally.confirmed).toBe(5);
  expect(world.requestCount('POST', /upload\/image/)).toBe(5);
  await world.expectExactlyOnce({ allConfirmed: true });
});
