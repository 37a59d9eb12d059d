/** Uploading files again: which ones are allowed, and for which batches it would have no effect. */
import { expect, test } from 'vitest';
import { fail, ok } from '../../../../main/engine/core/errors.ts';
import { isStamp } from '../../../../main/engine/core/ids.ts';
import type { Files } from '../../../../main/engine/core/ports.ts';
import { filesOfExpired, uploadAgain } from '../../../../main/engine/queries/uploadAgain.ts';
import { finishMove, planMove } from '../../../../main/engine/store/tables/moves.ts';
import { beginSending } from '../../../../main/engine/store/tables/transfers.ts';
import { move, moveItem, moveItemsOf } from '../../../../main/engine/store/transitions.ts';
import {
  againFault,
  againWords,
  batchAgainWords,
  nothingAgain,
} from '../../../../renderer/views/uploads/againWords.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

/** Every file exists except this one. */
function without(missing: string): Pick<Files, 'facts'> {
  const stamp = '1:2:3:4';
  if (!isStamp(stamp)) throw new Error('a legal stamp');
  return {
    facts: async (path) =>
      path === missing ? fail('item.gone', { path }) : ok({ sizeBytes: 1, stamp, touchedAt: 1 }),
  };
}

test('confirmed files may go to another batch, files deleted on the service to a new one', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ baseId: 'cups', batchId: 'cups-2', generation: 2 });
  const { id, itemIds } = ledger.transfer(batch, ['/a.jpg', '/b.jpg']);
  beginSending(store, [id], 1);
  for (const state of ['sent', 'confirmed'] as const) {
    move(store, 'transfers', id, state, 2);
    moveItemsOf(store, [id], [state === 'sent' ? 'sending' : 'sent'], state, 2);
  }
  const waiting = ledger.item('/waits.jpg');
  const ignored = ledger.item('/ignored.jpg');
  moveItem(store, ignored, 'skipped', 2, { code: 'item.ignored', detail: null });
  const returned = ledger.item('/returned.jpg');
  moveItem(store, returned, 'skipped', 2, { code: 'item.gone', detail: null });
  const ids = [...itemIds, waiting, ignored, returned];

  expect(await uploadAgain(store, without('/b.jpg'), ids)).toEqual({
    paths: ['/a.jpg', '/returned.jpg'],
    gone: 1,
    batches: ['cups-2', 'cups'],
    expired: null,
  });
  move(store, 'batches', batch.id, 'expired', 3);
  expect(await uploadAgain(store, without(''), itemIds)).toEqual({
    paths: ['/a.jpg', '/b.jpg'],
    gone: 0,
    batches: [],
    expired: 'cups',
  });
});

test('of a batch that was deleted: its files with their old names, without those that are gone or on their way again', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const names = ['/in/a.jpg', '/in/row-1/b.jpg', '/in/gone.jpg', '/in/again.jpg', '/in/c.jpg'];
  const batch = ledger.batch({ baseId: 'cups', batchId: 'cups-2', generation: 2 });
  const { id, itemIds } = ledger.transfer(batch, names);
  // Its rule moved the last one after the upload.
  const moved = { itemId: itemIds.at(-1) ?? 0, from: '/in/c.jpg', to: '/done/c.jpg' };
  planMove(store, moved, 1);
  finishMove(store, moved.itemId, 'moved', 1);
  store.run(`UPDATE items SET relative_path = substr(path, 5)`);
  beginSending(store, [id], 1);
  for (const state of ['sent', 'confirmed'] as const) {
    move(store, 'transfers', id, state, 2);
    moveItemsOf(store, [id], [state === 'sent' ? 'sending' : 'sent'], state, 2);
  }
  const { facts } = without('/in/gone.jpg');
  const files = { stat: (paths: readonly string[]) => Promise.all(paths.map(facts)) };
  const ask = () => filesOfExpired(store, files, connectionId, 'cups-2');
  expect(await ask()).toMatchObject({ ok: false, error: { code: 'usage.invalid' } });
  move(store, 'batches', batch.id, 'expired', 3);
  ledger.item('/in/again.jpg');
  expect(await ask()).toEqual(
    ok({
      baseId: 'cups',
      mode: 'bulk',
      places: [
        { path: '/in/a.jpg', root: '/in' },
        { path: '/in/row-1/b.jpg', root: '/in' },
        { path: '/done/c.jpg', root: '/done' },
      ],
      files: 3,
      bytes: 3,
      gone: 1,
      done: 1,
    }),
  );
  expect((await filesOfExpired(store, files, connectionId, 'unknown')).ok).toBe(false);
});

test('the question before a whole batch says how much is sent, and what cannot be', () => {
  expect(batchAgainWords({ files: 3000, bytes: 2_000_000, gone: 1, done: 0 })).toBe(
    'The service deleted this batch and what was in it. 3,000 files (2 MB) are still on this computer: Sluice uploads them into a new batch, with the same names. 1 file is no longer on this computer and cannot be uploaded. Jobs and results of the old batch stay as they are.',
  );
  expect(nothingAgain({ files: 0, bytes: 0, gone: 2, done: 0 }).text).toBe(
    'The files of this batch are no longer on this computer.',
  );
  expect(nothingAgain({ files: 0, bytes: 0, gone: 0, done: 2 }).text).toBe(
    'These files were uploaded again already.',
  );
});

test('the text names the batch that has them, and what is missing', () => {
  const again = { paths: ['/a.jpg'], gone: 0, batches: ['cups'], expired: null };
  expect(againWords(again)).toBe(
    'Already in cups. Choose another batch to upload it a second time, as a copy.',
  );
  expect(againWords({ ...again, batches: [], expired: 'cups', gone: 2 })).toBe(
    'The service deleted the batch cups and what was in it. Uploading it again starts a new one. 2 files are no longer on this computer and cannot be uploaded.',
  );
  expect([againFault(again, 'cups'), againFault(again, 'other')]).toEqual([
    'The file is in this batch already. Choose another one.',
    null,
  ]);
});
