/** Files that are identified while the list of a batch is read for others: the batch may have these, too. */
import { expect, test } from 'vitest';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import { nameKey } from '../../../../../main/engine/files/names/safeNames.ts';
import { uniqueName } from '../../../../../main/engine/pipeline/plan/names.ts';
import { ListedBatches } from '../../../../../main/engine/pipeline/plan/awaitOthers.ts';
import { plan } from '../../../../../main/engine/pipeline/plan/plan.ts';
import { itemById } from '../../../../../main/engine/store/tables/items.ts';
import { newestTransfer } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger, identified } from '../../../../helpers/ledger.ts';
import { createTestPipeline, listedFile, targetOf } from '../../../../helpers/testPipeline.ts';

test('they are looked for before they are sent', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ isExclusive: false });
  const names = ['a.jpg', 'b.jpg'].map((path) => {
    const { fingerprint } = identified(path);
    return uniqueName({ path, relativePath: path, fingerprint }) ?? '';
  });
  const ids = [ledger.item('a.jpg')];
  const items = names.map(listedFile);
  const client = {
    askFilesPage: () => {
      if (ids.length === 1) ids.push(ledger.item('b.jpg'));
      return Promise.resolve(ok({ items, nextPageToken: null }));
    },
  };
  const pipeline = createTestPipeline(ledger, { client });
  for (const name of names) pipeline.foreign.add(batch.id, nameKey(name));
  const listed = { ...new ListedBatches(), done: new Map([[batch.id, batch.isExclusive]]) };
  expect(await plan(pipeline, targetOf(ledger), listed, false)).toBeNull();
  expect(ids.map((id) => itemById(store, id)?.state)).toEqual(['confirmed', 'confirmed']);
  expect(newestTransfer(store)).toBe(0);
});

test('what could not be compared before a stop is not planned, and does not wait longer', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ isExclusive: false });
  const names = Array.from({ length: 20 }, (_, at) => `${at}.jpg`);
  const ids = names.map((name) => ledger.item(name));
  const items = names.map(listedFile);
  const stopping = new AbortController();
  const client = {
    askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
    describeSigned: () => {
      stopping.abort();
      return Promise.resolve(fail<never>('network.lost', { fault: 'aborted' }));
    },
  };
  const pipeline = { ...createTestPipeline(ledger, { client }), signal: stopping.signal };
  for (const name of names) pipeline.foreign.add(batch.id, name);
  const listed = { ...new ListedBatches(), done: new Map([[batch.id, batch.isExclusive]]) };
  expect(await plan(pipeline, targetOf(ledger), listed, false)).toBeNull();
  expect(ids.map((id) => itemById(store, id)?.state)).toEqual(names.map(() => 'queued'));
  expect(store.count('SELECT count(*) AS count FROM items WHERE retry_at > 0')).toBe(0);
});

test.each([
  ['is there after a lost ledger', false, 'confirmed'],
  ['may only be registered, if this ledger planned it', true, 'queued'],
] as const)('a video whose object cannot be read %s', async (_, wasPlanned, state) => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ isExclusive: false, kind: 'video', mode: 'single' });
  const path = 'a.mp4';
  const name = uniqueName({ path, relativePath: path, ...identified(path) }) ?? '';
  const id = ledger.item(path);
  store.run("UPDATE items SET kind = 'video' WHERE id = ?", id);
  if (wasPlanned) {
    const sql = 'UPDATE items SET batch_row = ?, name = ?2, name_key = ?2 WHERE id = ?3';
    store.run(sql, batch.id, name, id);
  }
  const client = {
    askFilesPage: () => Promise.resolve(ok({ items: [listedFile(name)], nextPageToken: null })),
    describeSigned: () => Promise.resolve(fail<never>('upload.urlExpired')),
  };
  const pipeline = createTestPipeline(ledger, { client });
  pipeline.foreign.add(batch.id, nameKey(name));
  const listed = { ...new ListedBatches(), done: new Map([[batch.id, batch.isExclusive]]) };
  await plan(pipeline, targetOf(ledger), listed, false);
  expect(itemById(store, id)?.state).toBe(state);
});
