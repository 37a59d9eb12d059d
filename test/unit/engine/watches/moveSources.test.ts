/** Which source files count as the confirmed ones, and may therefore be moved. */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fail, ok } from '../../../../main/engine/core/errors.ts';
import type { Files } from '../../../../main/engine/core/ports.ts';
import { inspectFile } from '../../../../main/engine/files/read/inspectFile.ts';
import { confirmUnsent } from '../../../../main/engine/store/queue/waiting.ts';
import { readWaits } from '../../../../main/engine/status/waits.ts';
import { addItem } from '../../../../main/engine/store/tables/items.ts';
import { addWatch, editWatch, watchById } from '../../../../main/engine/store/tables/watches.ts';
import { confirmItems } from '../../../../main/engine/store/transitions.ts';
import { createSourceMover } from '../../../../main/engine/watches/moveSources.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { createTestLedger, identified } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { tinyJpeg } from '../../../helpers/media.ts';
import { createTestPipeline, type PipelineParts } from '../../../helpers/testPipeline.ts';
import { valueOf } from '../../../helpers/results.ts';

/** A watch with two files, confirmed in a closed batch, that are to be moved. */
function moving(names: readonly [string, string]) {
  const ledger = createTestLedger();
  const { store, connectionId, directory } = ledger;
  const [camera, uploaded] = [join(directory, 'camera'), join(directory, 'uploaded')];
  mkdirSync(camera);
  const rule = { ...standardRule(camera, 'camera'), moveTo: uploaded };
  const watchId = addWatch(store, connectionId, rule, 'camera', false, 1).id;
  const watch = watchById(store, watchId);
  if (watch === null) throw new Error('the watch is there');
  const batch = ledger.batch({ batchId: 'camera' });
  store.run(`UPDATE batches SET watch_id = ?, state = 'sealed' WHERE id = ?`, watchId, batch.id);
  for (const name of names) {
    const path = join(camera, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, tinyJpeg(name.length));
    const { stamp, fingerprint, sizeBytes } = valueOf(inspectFile(path, 'b3'));
    const content = identified(name, { stamp, fingerprint, sizeBytes, contentHash: null });
    const place = {
      destinationId: watch.destinationId,
      path,
      relativePath: name,
      baseId: null,
    };
    const id = addItem(store, place, content, 1000);
    confirmUnsent(store, id, { batchRow: batch.id, name, key: name }, 1000);
  }
  /** `count`: how many files the service says that the batch has; null for a batch that it does not know. */
  const mover = (count: number | null, parts: PipelineParts = {}) => {
    const client = { askCount: () => Promise.resolve(ok(count)) };
    return createSourceMover(createTestPipeline(ledger, { client, ...parts }), watch);
  };
  const why = () => readWaits(store, 1000, true).map(({ code }) => code);
  const details = () => readWaits(store, 1000, true).map(({ detail }) => detail);
  const moved = () => (existsSync(uploaded) ? readdirSync(uploaded) : []);
  return { camera, mover, why, details, moved, store, ledger, batch, watch };
}

test('a file that the service had already, and that was never hashed whole, is moved while it is the same', async () => {
  const { camera, mover, moved } = moving(['same.jpg', 'touched.jpg']);
  utimesSync(join(camera, 'touched.jpg'), 1, 1);
  await mover(2)();
  expect(moved()).toEqual(['same.jpg']);
  expect(readdirSync(camera)).toEqual(['touched.jpg']);
});

test('nothing is moved while a file of the batch is on its way: until then, a list may show that a confirmed one was replaced', async () => {
  const { mover, moved, store, ledger, batch } = moving(['a.jpg', 'b2.jpg']);
  const { id, itemIds } = ledger.transfer(batch, ['on-its-way.jpg']);
  ledger.sent(id, 1000);
  await mover(3)();
  expect(moved()).toEqual([]);
  confirmItems(store, itemIds, 1000);
  await mover(3)();
  expect(moved()).toEqual(['a.jpg', 'b2.jpg']);
});

test('a batch that stays unfinished is counted only before a file of it is moved', async () => {
  const { camera, mover, moved } = moving(['a.jpg', 'touched.jpg']);
  utimesSync(join(camera, 'touched.jpg'), 1, 1);
  const clock = createManualClock();
  let counts = 0;
  const askCount = () => {
    counts += 1;
    return Promise.resolve(ok(2));
  };
  const move = mover(2, { clock, client: { askCount } });
  for (let second = 0; second < 60; second += 1) {
    await move();
    clock.advance(1_000);
  }
  expect([moved(), counts]).toEqual([['a.jpg'], 1]);
});

test('a file that another program has open waits, and the others are moved', async () => {
  const { mover, moved, why } = moving(['open.jpg', 'closed.jpg']);
  let isOpen = true;
  const files = createInlineFiles();
  const clock = createManualClock();
  const move = mover(2, {
    clock,
    files: {
      ...files,
      moveFile: (from, ...rest) =>
        isOpen && from.endsWith('open.jpg')
          ? Promise.resolve(fail('file.busy', { path: from }))
          : files.moveFile(from, ...rest),
    },
  });
  await move();
  expect(moved()).toEqual(['closed.jpg']);
  expect(why()).toEqual(['file.busy']);
  isOpen = false;
  clock.advance(10_000);
  await move();
  expect(moved()).toEqual(['closed.jpg', 'open.jpg']);
  expect(why()).toEqual([]);
});

test.each([
  ['a directory that it cannot leave', { at: 'directory', errno: 'EACCES' }],
  ['a name that the other disk does not accept', { at: 'to', errno: 'EINVAL' }],
  ['a directory of the other disk that takes no files', { at: 'to', errno: 'EACCES' }],
])('%s keeps no other file from being moved, and is named', async (_, { at, errno }) => {
  const { camera, mover, moved, why, details } = moving(['sub/a.jpg', 'b.jpg']);
  const files = createInlineFiles();
  const from = join(camera, 'sub', 'a.jpg');
  const refused: Files['moveFile'] = (one, to, part) =>
    one === from
      ? Promise.resolve(fail('disk.failed', { path: at === 'to' ? to : dirname(one), errno }))
      : files.moveFile(one, to, part);
  const clock = createManualClock();
  const move = mover(2, { clock, files: { ...files, moveFile: refused } });
  await move();
  expect([moved(), why()]).toEqual([['b.jpg'], ['disk.failed']]);
  expect(details()).toEqual([expect.stringMatching(/^E[A-Z]+: .*sub/)]);
  // It is tried again, and until then still said.
  clock.advance(10_000);
  await move();
  expect(why()).toEqual(['disk.failed']);
});

test('a file with the name of a directory that is needed keeps no other file from being moved', async () => {
  const { camera, mover, moved, why } = moving(['sub/a.jpg', 'b.jpg']);
  const uploaded = join(dirname(camera), 'uploaded');
  mkdirSync(uploaded);
  writeFileSync(join(uploaded, 'sub'), '');
  await mover(2)();
  expect([moved(), why()]).toEqual([['b.jpg', 'sub'], ['disk.failed']]);
});

test('a move that was only planned is not carried out after the batch lost files', async () => {
  const { camera, mover, moved, why } = moving(['a.jpg', 'b2.jpg']);
  const files = createInlineFiles();
  const full: Files['moveFile'] = (path) => Promise.resolve(fail('disk.full', { path }));
  await mover(2, { files: { ...files, moveFile: full } })();
  expect(why()).toEqual(['disk.full']);
  await mover(0)();
  expect([moved(), why()]).toEqual([[], ['batch.lacksFiles']]);
  expect(readdirSync(camera)).toEqual(['a.jpg', 'b2.jpg']);
});

test('a move that was planned waits while its drive does not answer', async () => {
  const { mover, moved, why, store } = moving(['a.jpg', 'b2.jpg']);
  const files = createInlineFiles();
  const full: Files['moveFile'] = (path) => Promise.resolve(fail('disk.full', { path }));
  await mover(2, { files: { ...files, moveFile: full } })();
  const planned = () =>
    store.count(`SELECT count(*) AS count FROM moved_sources WHERE state = 'planned'`);
  expect(planned()).toBe(2);
  await mover(2, { files: { ...files, typeOf: () => Promise.resolve('other') } })();
  expect([moved(), why(), planned()]).toEqual([[], ['file.busy'], 2]);
  await mover(2)();
  expect([moved(), why()]).toEqual([['a.jpg', 'b2.jpg'], []]);
});

test.each([
  ['at the end of its time is over, and its files are moved', 7, ['a.jpg', 'b2.jpg']],
  ['after a day was deleted there, and its files stay', 1, []],
])('a batch that the service does not know any more %s', async (_, days, expected) => {
  const { mover, moved, store } = moving(['a.jpg', 'b2.jpg']);
  store.run(
    `UPDATE batches SET state = 'expired', first_sent_at = 1000, expires_at = 1000 + ?`,
    days * 24 * 60 * 60_000,
  );
  await mover(null)();
  expect(moved()).toEqual(expected);
});

test.each([
  ['was deleted', null],
  ['lost files', 1],
])('nothing is moved after the batch %s at the service, until it is back', async (_, count) => {
  const { mover, moved, why } = moving(['a.jpg', 'b2.jpg']);
  const clock = createManualClock();
  const move = mover(count, { clock });
  await move();
  clock.advance(10_000);
  await move();
  expect(moved()).toEqual([]);
  expect(why()).toEqual(['batch.lacksFiles']);
  await mover(2)();
  expect(moved()).toEqual(['a.jpg', 'b2.jpg']);
  expect(why()).toEqual([]);
});

test.each([
  ['only what is in its directory', null, []],
  ['what a link led to before, too,', 'link', ['before-the-link-was-switched.jpg']],
])('of a batch that others fill, %s is moved', async (_, link, elsewhere) => {
  const { mover, moved, store, ledger, batch, watch } = moving(['a.jpg', 'b.jpg']);
  store.transaction(() => editWatch(store, watch.id, { ...watch.rule, link }));
  const add = (name: string, destinationId: number, baseId: string | null): void => {
    const path = join(ledger.directory, name);
    writeFileSync(path, tinyJpeg(name.length));
    const { stamp, fingerprint, sizeBytes } = valueOf(inspectFile(path, 'b3'));
    const content = identified(name, { stamp, fingerprint, sizeBytes, contentHash: null });
    const id = addItem(store, { destinationId, path, relativePath: name, baseId }, content, 1000);
    confirmUnsent(store, id, { batchRow: batch.id, name, key: name }, 1000);
  };
  // By hand with the same batch id, by another watch, and by this one while its link led elsewhere.
  add('by-hand.jpg', watch.destinationId, null);
  add('second-camera.jpg', ledger.destinationId, 'camera');
  // Without a link, this is by hand, too: planning by the watch that runs chose its batch.
  add('before-the-link-was-switched.jpg', watch.destinationId, 'camera');
  await mover(5)();
  expect(moved()).toEqual(['a.jpg', 'b.jpg', ...elsewhere]);
  expect(existsSync(join(ledger.directory, 'by-hand.jpg'))).toBe(true);
  expect(existsSync(join(ledger.directory, 'second-camera.jpg'))).toBe(true);
  // Nothing is left to move: the batch is not looked at again.
  expect(store.count('SELECT sources_moved AS count FROM batches WHERE id = ?', batch.id)).toBe(1);
});
