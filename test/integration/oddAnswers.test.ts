/** A service that accepts images and answers with something that proves nothing. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { createBench } from './cliRun.ts';
import { fastClock } from './ports.ts';

test.each(['{}', ''])(
  'images that are answered with %j arrive without long pauses',
  async (text) => {
    const bench = await createBench();
    const images = join(bench.directory, 'images');
    await mkdir(images);
    for (let number = 0; number < 24; number += 1)
      await writeFile(join(images, `${String(number)}.jpg`), tinyJpeg(number));
    bench.service.faults.always('POST', /\/upload\/image$/, {
      ...{ kind: 'wrongJson', text, status: 200 },
      acted: true,
    });
    const given = ['upload', images, '--batch', 'b', '--mode', 'single'];
    const end = await bench.sluice(given, { wraps: [fastClock(10)] });
    expect(end).toMatchObject({ exitCode: 0 });
    expect(bench.service.log.count('POST', /\/upload\/image$/)).toBe(24);
    // Checked one by one, each would need its own listing.
    expect(bench.service.log.count('GET', /\/list$/)).toBeLessThan(18);
  },
);
