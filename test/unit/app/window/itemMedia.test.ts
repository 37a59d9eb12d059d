/** What Quick Look may show: items by their ids, whole or as ranges. */
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answerMedia, mediaId, rangeOf } from '../../../../main/app/window/itemMedia.ts';
import { pathOnDisk } from '../../../../main/engine/queries/pathOnDisk.ts';
import { scratch } from '../../../helpers/scratch.ts';

test('only the address of an item is one', () => {
  expect(mediaId('/media/12')).toBe(12);
  for (const other of ['/media/0', '/media/1/..', '/media/-1', '/media/x', '/media/', '/12']) {
    expect(mediaId(other)).toBeNull();
  }
});

test('a range lies within the file, or is the whole file', () => {
  expect(rangeOf('bytes=0-', 10)).toEqual({ from: 0, until: 9 });
  expect(rangeOf('bytes=4-6', 10)).toEqual({ from: 4, until: 6 });
  expect(rangeOf('bytes=8-99', 10)).toEqual({ from: 8, until: 9 });
  expect(rangeOf('bytes=-3', 10)).toEqual({ from: 7, until: 9 });
  for (const odd of [null, '', 'bytes=-', 'bytes=9-2', 'bytes=20-', 'lines=1-2']) {
    expect(rangeOf(odd, 10)).toBeNull();
  }
});

test('a picture comes whole or in part; an unknown id, a missing file and another type do not', async () => {
  const directory = scratch();
  // The name of the last one is not text.
  const names = ['a.JPG', 'gone.jpg', 'a.html', '', 'b\uefff.jpg'];
  const paths = names.map((name) => join(directory, name));
  for (const at of [0, 2, 4]) writeFileSync(pathOnDisk(paths[at] ?? ''), '0123456789');
  const ask = (id: number, range?: string): Promise<Response | null> =>
    answerMedia(
      new Request(`http://sluice/media/${id}`, range === undefined ? {} : { headers: { range } }),
      async (one) => Promise.resolve(paths[one - 1] ?? null),
      { 'x-content-type-options': 'nosniff' },
    );
  const whole = await ask(1);
  expect([whole?.status, whole?.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(await whole?.text()).toBe('0123456789');
  const part = await ask(1, 'bytes=2-4');
  expect([part?.status, part?.headers.get('content-range')]).toEqual([206, 'bytes 2-4/10']);
  expect(await part?.text()).toBe('234');
  expect(await Promise.all([ask(2), ask(3), ask(4)])).toEqual([null, null, null]);
  expect((await ask(5))?.status).toBe(200);
});
