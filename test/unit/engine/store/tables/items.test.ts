/** What the ledger knows about content. */
import { expect, test } from 'vitest';
import type { Store } from '../../../../../main/engine/store/store.ts';
import { knownContent } from '../../../../../main/engine/store/tables/items.ts';
import { createTestLedger, identified } from '../../../../helpers/ledger.ts';

test('content that many items have takes no more rows than content that one has', () => {
  const ledger = createTestLedger();
  const copied = identified('copied').fingerprint ?? expect.unreachable();
  const fresh = identified('fresh').fingerprint ?? expect.unreachable();
  for (let copy = 0; copy < 20; copy += 1) ledger.item(`/${copy}.jpg`, { fingerprint: copied });
  let rows = 0;
  const counting: Store = {
    ...ledger.store,
    all: (...given) => {
      const found = ledger.store.all(...given);
      rows += found.length;
      return found;
    },
  };
  expect([...knownContent(counting, [copied, fresh, copied])]).toEqual([copied]);
  expect(rows).toBeLessThanOrEqual(2);
});
