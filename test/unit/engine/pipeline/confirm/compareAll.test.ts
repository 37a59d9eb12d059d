/** Which of many listed objects are looked at. */
import { expect, test } from 'vitest';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import { compareAll } from '../../../../../main/engine/pipeline/confirm/compareAll.ts';
import { Comparisons } from '../../../../../main/engine/pipeline/presence/comparisons.ts';
import { itemsNamed, ownFiles } from '../../../../../main/engine/store/queue/awaited.ts';
import { beginSending, markUnknown } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

test('each doubtful video is looked at, however many of them have not arrived', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ mode: 'single', kind: 'video' });
  const names = Array.from({ length: 200 }, (_, number) => `${number}.mp4`);
  for (const name of names) {
    const { id } = ledger.transfer(batch, [name]);
    beginSending(store, [id], 1_000);
    markUnknown(store, id, { lastByteAt: 1_000, askAt: 0 }, 1_000);
  }
  const pipeline = createTestPipeline(ledger, {
    client: {
      describeSigned: (url) =>
        Promise.resolve(
          url === '7.mp4'
            ? ok({ status: 206, lengthBytes: 1_000, headers: {} })
            : fail('service.notFound'),
        ),
    },
  });
  const items = itemsNamed(store, batch.id, names);
  const files = ownFiles(
    store,
    items.map(([, { itemId }]) => itemId),
  );
  const claims = items.flatMap(([url, item]) => {
    const file = files.get(item.itemId);
    return file === undefined ? [] : [{ item, file, url, byName: true, mayBeEmpty: true }];
  });
  const compared = await compareAll(pipeline, claims, 'samples', new Comparisons());
  const kinds = items.map(([url, { itemId }]) => [url, compared.get(itemId)?.kind]);
  expect(Object.fromEntries(kinds)).toEqual(
    Object.fromEntries(names.map((name) => [name, name === '7.mp4' ? 'same' : 'nothing'])),
  );
});
