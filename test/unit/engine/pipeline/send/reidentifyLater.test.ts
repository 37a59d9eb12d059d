import { expect, test } from 'vitest';
import {
  BACKOFF_MAX_MS,
  MAX_REREADS,
  REREADS_AFTER_UNSTABLE,
} from '../../../../../main/engine/core/limits.ts';
import { reidentifyLater } from '../../../../../main/engine/pipeline/send/transferSettle.ts';
import { countVanished } from '../../../../../main/engine/store/queue/awaited.ts';
import type { Item } from '../../../../../main/engine/store/tables/items.ts';
import {
  itemById,
  itemsToIdentify,
  reidentify,
} from '../../../../../main/engine/store/tables/items.ts';
import { createTestLedger, identified } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

const NOW = 1_800_000_000_000;

function present(store: Parameters<typeof itemById>[0], id: number): Item {
  const item = itemById(store, id);
  if (item === null) throw new Error('the item is there');
  return item;
}

test('a file that changes each time it is sent is parked with the facts; at rest again, it has few tries left', () => {
  const ledger = createTestLedger(NOW);
  const { store } = ledger;
  const pipeline = createTestPipeline(ledger);
  const id = ledger.item('a.jpg');
  const pauses: number[] = [];
  for (let time = 1; time <= MAX_REREADS; time += 1) {
    expect(present(store, id).state).toBe('queued');
    reidentifyLater(pipeline, present(store, id));
    const row = store.get('SELECT retry_at FROM items WHERE id = ?', id);
    pauses.push(Number(row?.['retry_at']) - NOW);
    reidentifyWhileQueued(present(store, id));
  }
  function reidentifyWhileQueued(item: Item): void {
    if (item.state === 'queued') reidentify(store, item, identified(`v${item.tries}`), NOW);
  }
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  expect(present(store, id)).toMatchObject({
    state: 'parked',
    reason: 'item.unstable',
    detail: JSON.stringify({ path: 'a.jpg', bytes: 100, tries: MAX_REREADS }),
  });
  reidentify(store, present(store, id), identified('at rest'), NOW);
  expect(present(store, id)).toMatchObject({ state: 'queued', rereads: REREADS_AFTER_UNSTABLE });
});

test('what was taken and not listed of its earlier content does not count for the new one', () => {
  const ledger = createTestLedger(NOW);
  const { store } = ledger;
  const id = ledger.item('a.jpg');
  countVanished(store, [id]);
  reidentifyLater(createTestPipeline(ledger), present(store, id));
  expect(store.get('SELECT vanished FROM items WHERE id = ?', id)).toEqual({ vanished: 0 });
});

test('a time written by a wrong clock delays no file', () => {
  const ledger = createTestLedger(NOW);
  const { store } = ledger;
  const ids = [0, NOW, NOW + 60_000, NOW + 400 * BACKOFF_MAX_MS].map((retryAt, index) =>
    ledger.item(`${index}.jpg`, { fingerprint: null, retryAt }),
  );
  const due = (): readonly number[] => itemsToIdentify(store, NOW, 10).map(({ id }) => id);
  expect(due()).toEqual(ids.slice(0, 2));
  store.run('UPDATE items SET state = ? WHERE id <= ?', 'skipped', ids[1] ?? 0);
  expect(due()).toEqual([ids[3]]);
});
