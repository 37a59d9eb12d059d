/** Files whose names are the same, or the same as a name that was made for another file. */
import { expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { createWorld } from './world.ts';

test('a file whose own name is the one that another would get does not stop the others', async () => {
  /** Uploads two files of the same name, and one named `third` that is found before them; returns the names at the service. */
  const namesWith = async (third: string): Promise<readonly string[]> => {
    const world = await createWorld();
    await world.local.write(`0/${third}`, tinyJpeg(3));
    for (const [at, directory] of ['1', '2'].entries())
      await world.local.write(`${directory}/x.jpg`, tinyJpeg(at));
    await world.local.remember();
    expect((await world.upload()).tally).toMatchObject({ confirmed: 3, attention: 0 });
    await world.expectExactlyOnce({ allConfirmed: true });
    return world.service.state.objects('batch-1').map(({ name }) => name);
  };
  const made = (await namesWith('other.jpg')).find((name) => /^x~[0-9a-f]{8}\.jpg$/.test(name));
  const names = await namesWith(made ?? '');
  expect(new Set(names).size).toBe(3);
  expect(names).toContain(made);
});
