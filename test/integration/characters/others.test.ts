/** A second computer writes files with our names into our batches: a listed name does not prove that the file is ours. */
import { describe, expect, test } from 'vitest';
import { sample, tinyImages } from '../../helpers/media.ts';
import { otherImage } from '../../service/otherComputer.ts';
import type { ServiceOptions } from '../../service/referenceService.ts';
import { CHARACTER_TIMES } from '../characters.ts';
import { createWorld, type Finished, type World } from '../world.ts';

const MODES = ['bulk', 'single'] as const;

async function worldOf(service: ServiceOptions, finished: Finished, images = 12): Promise<World> {
  const world = await createWorld({ service, times: CHARACTER_TIMES }, finished);
  await world.local.writeImages(images);
  return world;
}

async function expectAll(
  world: World,
  mode: 'bulk' | 'single',
  signal: AbortSignal,
): Promise<void> {
  const { end, tally } = await world.upload({ mode, signal });
  expect(end.kind).toBe('settled');
  expect(tally).toMatchObject({ confirmed: 12, attention: 0 });
  await world.expectExactlyOnce({ allConfirmed: true });
  world.service.log.clear();
  await world.upload({ mode, signal });
  expect(world.requestCount('*', /\/upload\/|\/bulk-upload/)).toBe(0);
  await world.expectExactlyOnce({ allConfirmed: true });
}

describe.each([
  ['both are kept', { sameName: 'both' }],
  ['the later one replaces the earlier', { sameName: 'replaces' }],
] as const)('of two files of one name %s', (_, settings) => {
  test.concurrent.for(MODES)(
    '%s: theirs comes while we send',
    async (mode, { onTestFinished, signal }) => {
      const service: ServiceOptions = {
        character: 'shared',
        settings: { ...settings, otherEvery: 2, otherNames: 'same' },
      };
      await expectAll(await worldOf(service, onTestFinished), mode, signal);
    },
  );

  test.concurrent.for(MODES)(
    '%s: ours is thrown away, theirs is there',
    async (mode, { onTestFinished, signal }) => {
      const world = await worldOf({ settings: { ...settings, dropEvery: 5 } }, onTestFinished);
      const { state, otherComputer } = world.service;
      const stop = world.service.onRequest(
        { method: 'GET', path: /(count|list|shards)$/ },
        async () => {
          const [dropped] = state.dropped;
          const name = dropped?.name ?? null;
          if (name === null) return;
          stop();
          if (mode === 'bulk')
            await otherComputer.uploadShard('batch-1', [{ name, bytes: otherImage(1) }]);
          else await otherComputer.uploadImage('batch-1', name, otherImage(1));
        },
      );
      await expectAll(world, mode, signal);
      expect(state.objects('batch-1').some(({ writer }) => writer === 'other')).toBe(true);
    },
  );

  test.concurrent.for(MODES)(
    '%s: theirs was there before',
    async (mode, { onTestFinished, signal }) => {
      const world = await worldOf({ settings }, onTestFinished);
      const { otherComputer } = world.service;
      const names = [...tinyImages(3)].map(({ name }) => name);
      const theirs = names.map((name, index) => ({ name, bytes: otherImage(index) }));
      if (mode === 'bulk') await otherComputer.uploadShard('batch-1', theirs);
      else
        for (const { name, bytes } of theirs)
          await otherComputer.uploadImage('batch-1', name, bytes);
      await expectAll(world, mode, signal);
    },
  );
});

test.concurrent('a storage that has a video of our name answers 412 to the first try: ours goes under another name', async ({
  onTestFinished,
  signal,
}) => {
  const world = await worldOf({ settings: { sameName: 'refused' } }, onTestFinished, 0);
  await world.local.write('clip.mp4', await sample('mp4'));
  await world.local.remember();
  world.service.onRequest({ method: 'PUT', path: /storage/, times: 1 }, async () => {
    await world.service.otherComputer.uploadVideo('batch-1', 'clip.mp4', otherImage(1));
  });
  const { end, tally } = await world.upload({ signal });
  expect(end.kind).toBe('settled');
  expect(tally).toMatchObject({ confirmed: 1, attention: 0 });
  expect(world.service.log.find('PUT', /storage/).some(({ status }) => status === 412)).toBe(true);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent.for([
  ['other', 0],
  ['same', 0],
  ['same', 300],
] as const)(
  'a service that has an image of our name answers 409: %s content is compared, and nothing waits for a person (listed after %i ms)',
  async ([content, listingDelayMs], { onTestFinished, signal }) => {
    const settings = { sameName: 'refused', listingDelayMs } as const;
    const world = await worldOf({ settings }, onTestFinished, 3);
    const [first] = tinyImages(3);
    if (first === undefined) throw new Error('no image');
    const bytes = content === 'same' ? first.content : otherImage(1);
    world.service.onRequest({ method: 'POST', path: /\/upload\/image/, times: 1 }, async () => {
      await world.service.otherComputer.uploadImage('batch-1', first.name, bytes);
    });
    const { end, tally } = await world.upload({ mode: 'single', signal });
    expect(end.kind).toBe('settled');
    expect(tally).toMatchObject({ confirmed: 3, attention: 0 });
    expect(world.service.log.find('POST', /image/).some(({ status }) => status === 409)).toBe(true);
    const names = world.service.state.objects('batch-1').map(({ name }) => name);
    expect(names).toHaveLength(content === 'same' ? 3 : 4);
  },
);
