/** A watched directory with every character of the service: files come in waves, change and move, and each content arrives once. */
import { describe, expect, test } from 'vitest';
import { tinyJpeg } from '../../helpers/media.ts';
import { CHARACTER_TIMES, charactersFor, replaceOneOfOurs } from '../characters.ts';
import { sha256 } from '../localFiles.ts';
import { type WatchedWorld, watchScanned } from '../watchWorld.ts';
import { createWorld, type World } from '../world.ts';

async function writeWave(world: World, from: number, count: number): Promise<void> {
  for (let number = from; number < from + count; number += 1) {
    await world.local.write(`cam-${number % 3}/${number}.jpg`, tinyJpeg(number));
  }
}

/** Resolves when `count` files are confirmed and nothing else is in progress. */
function untilConfirmed(watched: WatchedWorld, count: number): Promise<void> {
  return watched.until(() => {
    const states = Object.values(watched.states());
    const isOpen = states.some((state) => !/^(confirmed|skipped|parked)/.test(state));
    return !isOpen && states.filter((state) => state === 'confirmed').length >= count;
  });
}

describe.each(charactersFor('watches'))('%s', (character, service) => {
  test.each(['bulk', 'single'] as const)('%s', async (mode) => {
    const world = await createWorld({ service, times: CHARACTER_TIMES });
    replaceOneOfOurs(world.service, character, 'line');
    await writeWave(world, 0, 12);
    const watched = await watchScanned(world, { rule: { mode }, runnerTimes: CHARACTER_TIMES });
    // The second wave comes while the first is being sent; it repeats a name and a content.
    await writeWave(world, 12, 10);
    await world.local.write('other/0.jpg', tinyJpeg(500));
    await untilConfirmed(watched, 23);
    await world.local.write('cam-0/0.jpg', tinyJpeg(501));
    await world.local.move('cam-1/1.jpg', 'cam-1/moved.jpg');
    await watched.until(() => watched.states()['cam-1/moved.jpg'] === 'skipped item.duplicate');
    await untilConfirmed(watched, 23);
    const isThere = (): boolean =>
      world.service.state.objects('line').some((object) => object.sha256 === sha256(tinyJpeg(501)));
    await watched.until(isThere);
    await untilConfirmed(watched, 23);
    await watched.stop();
    await world.local.remember();
    const held = new Set((await world.local.files()).map((file) => file.sha256));
    expect(held.size).toBe(23);
    await world.expectExactlyOnce({ allConfirmed: true, former: [sha256(tinyJpeg(0))] });
  });
});
