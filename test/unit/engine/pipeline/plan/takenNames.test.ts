/** A service refuses an image because it has one of its name: that may be ours, and is waited for until the list shows it. */
import { expect, test } from 'vitest';
import { NAME_LOOKS } from '../../../../../main/engine/core/limits.ts';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import type { RemoteFile } from '../../../../../main/engine/core/model.ts';
import { nameKey } from '../../../../../main/engine/files/names/safeNames.ts';
import { nameMembers, uniqueName } from '../../../../../main/engine/pipeline/plan/names.ts';
import { matchExisting } from '../../../../../main/engine/pipeline/plan/matchExisting.ts';
import { noteLost } from '../../../../../main/engine/store/queue/lost.ts';
import { itemsToPlan, postponePlanning } from '../../../../../main/engine/store/queue/waiting.ts';
import { batchByRow } from '../../../../../main/engine/store/tables/batches.ts';
import { itemById } from '../../../../../main/engine/store/tables/items.ts';
import { dropTransfer } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

const THEIRS = listedFile('a.jpg');

interface Given {
  readonly tries?: number;
  readonly isExclusive?: boolean;
  readonly listed?: readonly RemoteFile[];
  /** False if nothing says that the name is taken. */
  readonly isTaken?: boolean;
}

/** An image whose name was refused `tries` times, in a batch that lists these files. */
function refused({ tries = 1, isExclusive = true, listed = [], isTaken = true }: Given = {}) {
  const ledger = createTestLedger();
  const { store, destinationId } = ledger;
  const batch = ledger.batch({ mode: 'single', isExclusive });
  const {
    id,
    itemIds: [itemId = 0],
  } = ledger.transfer(batch, ['a.jpg']);
  dropTransfer(store, id, 1);
  for (let time = 0; time < tries; time += 1) postponePlanning(store, itemId, 0);
  const client = {
    askFilesPage: () => Promise.resolve(ok({ items: listed, nextPageToken: null })),
    describeSigned: () => Promise.resolve(ok({ status: 206, lengthBytes: 7, headers: {} })),
  };
  const pipeline = createTestPipeline(ledger, { client });
  if (isTaken) pipeline.foreign.add(batch.id, 'a.jpg');
  const waiting = { destinationId, baseId: null, kind: 'image' } as const;
  const match = () => matchExisting(pipeline, batch, itemsToPlan(store, waiting, 0, 10));
  const item = () => itemById(store, itemId);
  return { match, item, isShared: () => batchByRow(store, batch.id)?.isExclusive === false };
}

test.each([true, false])(
  'while the list does not show it, the image waits under its name (only ours: %s)',
  async (isExclusive) => {
    const { match, item } = refused({ isExclusive });
    expect(await match()).toEqual(ok(1));
    expect(item()).toMatchObject({ state: 'queued', name: 'a.jpg', tries: 2 });
  },
);

test('a file of another ledger that the list showed, and does not show now, waits as well', async () => {
  const { match, item } = refused({ tries: 0, isExclusive: false });
  expect(await match()).toEqual(ok(1));
  expect(item()).toMatchObject({ state: 'queued', tries: 1 });
});

test('what is never listed is waited for only so long', async () => {
  const { match } = refused({ tries: NAME_LOOKS });
  expect(await match()).toEqual(ok(0));
});

test.each([
  ['was refused', true],
  ['had changed while it was sent', false],
] as const)(
  'another computer’s file of the name of one that %s shows that it fills the batch, too',
  async (_, isTaken) => {
    const { match, item, isShared } = refused({ listed: [THEIRS], isTaken });
    expect(await match()).toEqual(ok(0));
    expect(isShared()).toBe(true);
    expect(item()?.state).toBe('queued');
  },
);

test('while the storage lets nothing be read, it is asked about a few files, and all wait equally long', async () => {
  const ledger = createTestLedger();
  const { store, destinationId } = ledger;
  const batch = ledger.batch({ mode: 'single', isExclusive: false });
  const names = Array.from({ length: 90 }, (_, at) => `${at}.jpg`);
  const items = names.map((fileName) => ({ ...THEIRS, fileName }));
  for (const name of names) ledger.item(name);
  let asked = 0;
  const client = {
    askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
    describeSigned: () => Promise.resolve(fail<never>('service.busy', { asked: (asked += 1) })),
  };
  const pipeline = createTestPipeline(ledger, { client });
  for (const name of names) pipeline.foreign.add(batch.id, name);
  const waiting = { destinationId, baseId: null, kind: 'image' } as const;
  const due = itemsToPlan(store, waiting, 0, 100);
  expect(await matchExisting(pipeline, batch, due)).toEqual(ok(90));
  // Six are compared at the same time.
  expect(asked).toBeLessThan(32 + 6);
  expect(store.all('SELECT DISTINCT retry_at FROM items WHERE retry_at > 0').length).toBe(1);
});

test('a video under a name that only its content can have is there once its object is', async () => {
  const ledger = createTestLedger();
  const { store, destinationId } = ledger;
  const batch = ledger.batch({ mode: 'single', kind: 'video', isExclusive: false });
  const id = ledger.item('a.mp4', { kind: 'video' });
  const item = () => itemById(store, id);
  const name = uniqueName(item() ?? { path: '', relativePath: '', fingerprint: null }) ?? '';
  const object = { status: 416, lengthBytes: 0, headers: {} };
  const client = {
    askFilesPage: () => Promise.resolve(ok({ items: [listedFile(name)], nextPageToken: null })),
    describeSigned: () => Promise.resolve(ok(object)),
  };
  const pipeline = createTestPipeline(ledger, { client });
  pipeline.foreign.add(batch.id, nameKey(name));
  const waiting = { destinationId, baseId: null, kind: 'video' } as const;
  const due = () => itemsToPlan(store, waiting, Number.MAX_SAFE_INTEGER, 10);
  for (let looks = 0; looks < NAME_LOOKS; looks += 1)
    expect(await matchExisting(pipeline, batch, due())).toEqual(ok(1));
  // Its body does not come any more: it is sent under another name.
  expect(await matchExisting(pipeline, batch, due())).toEqual(ok(0));
  expect(item()).toMatchObject({ state: 'queued' });
  expect(nameMembers(pipeline, batch, due())).not.toMatchObject([{ name }]);
  object.lengthBytes = 9;
  await matchExisting(pipeline, batch, due());
  expect(item()).toMatchObject({ state: 'confirmed', name });
});

test('a video that got its second name because its first is listed without content is found under it after a lost ledger', async () => {
  const ledger = createTestLedger();
  const { store, destinationId } = ledger;
  const batch = ledger.batch({ mode: 'single', kind: 'video', isExclusive: false });
  const id = ledger.item('a.mp4', { kind: 'video' });
  const item = itemById(store, id) ?? { path: '', relativePath: '', fingerprint: null };
  const [first = '', second = ''] = [uniqueName(item) ?? '', uniqueName(item, 1) ?? ''];
  const items = [first, second].map((name) => ({ ...listedFile(name), url: name }));
  const pipeline = createTestPipeline(ledger, {
    client: {
      askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
      describeSigned: (url) => {
        const lengthBytes = url === second ? 9 : 0;
        return Promise.resolve(ok({ status: 206, lengthBytes, headers: {} }));
      },
    },
  });
  for (const name of [first, second]) pipeline.foreign.add(batch.id, nameKey(name));
  const waiting = { destinationId, baseId: null, kind: 'video' } as const;
  await matchExisting(pipeline, batch, itemsToPlan(store, waiting, 0, 10));
  expect(itemById(store, id)).toMatchObject({ state: 'confirmed', name: second });
});

test.each([
  ['waits, if it seemed lost: it arrived late', true, 1],
  ['is sent in the end, for example if a person wants it', false, 0],
] as const)(
  'a listed image that this ledger planned and that cannot be read %s',
  async (_, wasLost, waiting) => {
    const ledger = createTestLedger();
    const { store, destinationId } = ledger;
    const batch = ledger.batch();
    const id = ledger.item('a.jpg');
    const sql = `UPDATE items SET batch_row = ?, name = ?2, name_key = ?2, tries = ?3 WHERE id = ?4`;
    store.run(sql, batch.id, 'a.jpg', NAME_LOOKS, id);
    if (wasLost) noteLost(store, [id], { lastByteAt: 1, absentAt: 2 });
    const items = [listedFile('a.jpg')];
    const pipeline = createTestPipeline(ledger, {
      client: {
        askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
        describeSigned: () => Promise.resolve(fail('upload.urlExpired')),
      },
    });
    const due = itemsToPlan(store, { destinationId, baseId: null, kind: 'image' }, 0, 10);
    expect(await matchExisting(pipeline, batch, due)).toEqual(ok(waiting));
  },
);
