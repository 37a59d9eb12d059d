/** Files whose delivery was never proved, and which the service has after all. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ErrorCode, fail, ok } from '../../../../../main/engine/core/errors.ts';
import { confirmUnproven } from '../../../../../main/engine/pipeline/confirm/confirmUnproven.ts';
import { itemById } from '../../../../../main/engine/store/tables/items.ts';
import { moveItem } from '../../../../../main/engine/store/transitions.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

const SHA256 = createHash('sha256').update('ours').digest();

/** Looks for a file twice; at the first look, its object cannot be read. Returns its state after each look, and how many lists were read. */
async function lookTwice(code: ErrorCode) {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ mode: 'single' });
  const {
    id,
    itemIds: [itemId = 0],
  } = ledger.transfer(batch, ['a.jpg']);
  store.run('UPDATE items SET content_hash = ?', SHA256.toString('hex'));
  ledger.sent(id, 1);
  moveItem(store, itemId, 'parked', 1, { code: 'upload.unproven', detail: null });
  let lists = 0;
  const items = [listedFile('a.jpg')];
  const headers = { 'x-amz-checksum-sha256': SHA256.toString('base64') };
  const pipeline = createTestPipeline(ledger, {
    client: {
      askCount: () => Promise.resolve(ok(1)),
      askFilesPage: () => {
        lists += 1;
        return Promise.resolve(ok({ items, nextPageToken: null }));
      },
      describeSigned: () =>
        Promise.resolve(lists === 1 ? fail(code) : ok({ status: 206, lengthBytes: 100, headers })),
    },
  });
  const looked = new Map<number, number>();
  const states: unknown[] = [];
  for (let look = 0; look < 2; look += 1) {
    await confirmUnproven(pipeline, null, 1, looked);
    states.push(itemById(store, itemId)?.state);
  }
  return { states, lists };
}

test.each(['service.busy', 'service.refused'] as const)(
  'what could not be read (%s) is looked for again',
  async (code) => {
    expect(await lookTwice(code)).toEqual({ states: ['parked', 'confirmed'], lists: 2 });
  },
);
