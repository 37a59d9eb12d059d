/** Names and files that trip programs up. Each arrives, or a reason says why not. */
import { expect, test } from 'vitest';
import { MAX_IMAGE_BYTES } from '../../main/engine/core/limits.ts';
import { decodeName } from '../../main/engine/files/names/pathBytes.ts';
import {
  clipOf,
  halfWritten,
  NO_IMAGES,
  ODD_NAMES,
  sample,
  tinyJpeg,
  tinyPng,
  truncated,
} from '../helpers/media.ts';
import { filesWith, type Wrap } from './ports.ts';
import { createWorld, type World } from './world.ts';

const NOT_UTF8 = [
  decodeName(Buffer.from('bad-\xff\xfe.jpg', 'latin1')),
  decodeName(
    Buffer.concat([Buffer.from('dir-\xe9/', 'latin1'), Buffer.from('gr\xfc\xdf.jpg', 'latin1')]),
  ),
];
const MORE_NAMES = [
  '--batch.jpg',
  ';rm -rf $HOME.jpg',
  '`id`.jpg',
  '$(id).jpg',
  'tab\there.jpg',
  'bell\u0007.jpg',
  'right\u202eto-left.jpg',
  'deep/er/a/b/c/d/e/f.jpg',
  'deep/er/a/b/c/d/e/F.JPG',
  'case.jpg',
  'CASE.jpg',
  'ß.jpg',
  'SS.jpg',
  'é composed.jpg'.normalize('NFC'),
  'é composed.jpg'.normalize('NFD'),
  `${'x'.repeat(251)}.jpg`,
  `${'ü'.repeat(125)}.jpg`,
  'notification_config.json.jpg',
  '~tilde.jpg',
  'looks~12345678.jpg',
];

async function writeNames(world: World, names: readonly string[]): Promise<void> {
  let number = 0;
  for (const name of names) {
    number += 1;
    await world.local.write(name, tinyJpeg(number));
  }
  await world.local.remember();
}

const ALL_NAMES = [...ODD_NAMES, ...MORE_NAMES, ...(process.platform === 'linux' ? NOT_UTF8 : [])];

test.concurrent.for(['single', 'bulk'] as const)('odd names arrive, %s', async (mode, context) => {
  const world = await createWorld({ threads: true }, context.onTestFinished);
  await writeNames(world, ALL_NAMES);
  const { tally } = await world.upload({ mode });
  expect(tally).toMatchObject({ confirmed: ALL_NAMES.length, attention: 0, skipped: 0 });
  await world.expectExactlyOnce({ allConfirmed: true });
  const again = await world.upload({ mode });
  expect(again.tally.confirmed).toBe(ALL_NAMES.length);
  const names = world.service.state.objects('batch-1').map(({ name }) => name);
  expect(names.filter((name) => /[\u0000-\u001f\u007f/\\\u202e]|^[-.\s]/.test(name))).toEqual([]);
  expect(Math.max(...names.map((name) => Buffer.byteLength(name)))).toBeLessThanOrEqual(255);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('videos with odd names arrive', async ({ onTestFinished }) => {
  const world = await createWorld({}, onTestFinished);
  const names = ['a b.mp4', '-c.mp4', 'ü📷.mp4', 'new\nline.mp4', 'Upper.MP4', 'upper.mp4'];
  for (const [index, name] of names.entries()) {
    await world.local.write(name, await clipOf(String(index)));
  }
  await world.local.remember();
  const { tally } = await world.upload();
  expect(tally).toMatchObject({ confirmed: names.length, attention: 0 });
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('what is no image is skipped, what is damaged is kept for a person', async ({
  onTestFinished,
}) => {
  const world = await createWorld({ threads: true }, onTestFinished);
  const jpeg = await sample('jpeg');
  for (const { name, content } of NO_IMAGES) await world.local.write(name, content);
  await world.local.write('good.jpg', jpeg);
  await world.local.write('half.jpg', truncated(jpeg));
  await world.local.write('reserved.jpg', halfWritten(jpeg));
  await world.local.write('half.png', truncated(tinyPng(1)));
  await world.local.write('half.mp4', truncated(await sample('mp4')));
  await world.local.write('large.png', tinyPng(2, MAX_IMAGE_BYTES));
  await world.local.write('exact.png', tinyPng(3, MAX_IMAGE_BYTES - tinyPng(3, 1).length + 1));
  await world.local.write('copying.jpg.part', jpeg);
  await world.local.write('.hidden.jpg', jpeg);
  await world.local.remember();
  const { tally } = await world.upload();
  expect(tally).toMatchObject({ confirmed: 2, attention: 5 });
  const reasonOf = (ending: string): string | null | undefined =>
    world.ledger().items.find((item) => item.path.endsWith(ending))?.reason;
  expect(reasonOf('/empty.jpg')).toBe('item.empty');
  expect(reasonOf('/text.jpg')).toBe('item.unsupported');
  expect(reasonOf('/half.jpg')).toBe('item.truncated');
  expect(reasonOf('/half.mp4')).toBe('item.truncated');
  expect(reasonOf('/large.png')).toBe('item.tooLarge');
  expect(reasonOf('/copying.jpg.part')).toBe('item.temporary');
  await world.expectExactlyOnce();
  // The copy is finished: the same command sends it.
  await world.local.write('half.jpg', tinyJpeg(77));
  await world.local.remember();
  expect((await world.upload()).tally).toMatchObject({ confirmed: 3, attention: 4 });
  await world.expectExactlyOnce();
});

test.concurrent('links can be left out', async ({ onTestFinished }) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.write('a.jpg', tinyJpeg(1));
  await world.local.write('../elsewhere/b.jpg', tinyJpeg(2));
  await world.local.link('linked', '../elsewhere');
  await world.local.link('c.jpg', '../elsewhere/b.jpg');
  await world.local.remember();
  const args = ['upload', world.local.root, '--batch', 'x'];
  const without = await world.cli([...args, '--no-links']);
  expect(without.events.at(-1)).toMatchObject({ found: 3, confirmed: 1, skipped: 2 });
  const watched = ['watch', world.local.root, '--batch', 'x', '--once', '--settle', '1'];
  const watch = await world.cli([...watched, '--no-links']);
  expect(watch.events.at(-1)).toMatchObject({ confirmed: 1 });
  const both = await world.cli(args);
  expect(both.events.at(-1)).toMatchObject({ confirmed: 2 });
  expect(world.service.state.objects('x')).toHaveLength(2);
});

test.concurrent('links are followed once, and never in circles', async ({ onTestFinished }) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.write('real/a.jpg', tinyJpeg(1));
  await world.local.write('real/deep/b.jpg', tinyJpeg(2));
  await world.local.link('real/deep/up', '../..');
  await world.local.link('again', 'real');
  await world.local.link('a-link.jpg', 'real/a.jpg');
  await world.local.link('broken.jpg', 'nowhere.jpg');
  await world.local.link('self.jpg', 'self.jpg');
  await world.local.remember();
  const { end, tally } = await world.upload();
  expect(end.kind).toBe('settled');
  expect(tally).toMatchObject({ confirmed: 2, attention: 0 });
  const reasons = world.ledger().items.map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason === 'item.link')).toHaveLength(2);
  await world.expectExactlyOnce({ allConfirmed: true });
});

/** Files with this extension cannot be read, as with missing permissions or a broken disk: the walk sees them, reading fails. */
function unreadable(ending: string): Wrap {
  return filesWith((files) => ({
    inspect: async (paths) => {
      const results = await files.inspect(paths);
      return results.map((result, index) =>
        paths[index]?.endsWith(ending) === true
          ? { ok: false, error: { code: 'item.unreadable', next: 'park', context: {} } }
          : result,
      );
    },
    list: async (directory) =>
      directory.endsWith('closed')
        ? { ok: false, error: { code: 'directory.unreadable', next: 'park', context: {} } }
        : files.list(directory),
  }));
}

test.concurrent('what cannot be read is kept for a person until it can', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.write('a.jpg', tinyJpeg(1));
  await world.local.write('locked.jpg', tinyJpeg(2));
  await world.local.write('closed/c.jpg', tinyJpeg(3));
  await world.local.remember();
  const first = await world.upload({ wraps: [unreadable('locked.jpg')] });
  expect(first.tally).toMatchObject({ confirmed: 1, attention: 2 });
  const second = await world.upload();
  expect(second.tally).toMatchObject({ confirmed: 3, attention: 0 });
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent('what vanishes between the walk and the check is no problem', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.writeImages(3);
  const vanish = filesWith((files) => ({
    list: async (directory) => {
      const listing = await files.list(directory);
      await world.local.remove('image-000002.png').catch(() => undefined);
      await world.local.remember();
      return listing;
    },
  }));
  const { tally } = await world.upload({ wraps: [vanish] });
  expect(tally).toMatchObject({ found: 3, confirmed: 2, skipped: 1, attention: 0 });
  await world.expectExactlyOnce();
});

test.concurrent('images and videos of one source go to two batches; videos alone to the one named', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  await world.local.write('clip.mp4', await sample('mp4'));
  await world.local.remember();
  expect((await world.upload({ batch: 'alone' })).tally.confirmed).toBe(1);
  expect(world.service.state.objects('alone')).toHaveLength(1);
  await world.local.write('still.jpg', tinyJpeg(1));
  await world.local.write('clip.webm', await sample('webm'));
  await world.local.remember();
  const { tally } = await world.upload({ batch: 'mixed' });
  expect(tally.confirmed).toBe(3);
  expect(world.service.state.objects('mixed')).toHaveLength(1);
  expect(world.service.state.objects('mixed-videos')).toHaveLength(2);
});

test.concurrent('the same file named twice, in a directory and by itself, goes once', async ({
  onTestFinished,
}) => {
  const world = await createWorld({}, onTestFinished);
  const path = await world.local.write('a.jpg', tinyJpeg(1));
  await world.local.write('b/c.jpg', tinyJpeg(2));
  await world.local.remember();
  const paths = [path, world.local.root, world.local.path('b'), path];
  const { tally } = await world.upload({ paths });
  expect(tally).toMatchObject({ confirmed: 2, attention: 0 });
  await world.expectExactlyOnce({ allConfirmed: true });
});
