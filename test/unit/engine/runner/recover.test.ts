/** What a run finds of an earlier one: planned again where the batch is open, left alone where it is closed, in doubt where it may be there. */
import { expect, test } from 'vitest';
import { recover } from '../../../../main/engine/runner/recover.ts';
import { noteAbsence } from '../../../../main/engine/store/queue/lost.ts';
import { sealBatch } from '../../../../main/engine/store/tables/batches.ts';
import {
  beginSending,
  markSent,
  markUnknown,
  requeueTransfer,
  saveUpload,
  transferById,
} from '../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

function stateOf({ store }: TestLedger, id: number): string | undefined {
  return transferById(store, id)?.state;
}

test.each([
  ['only we fill', true],
  ['others fill, too,', false],
])(
  'a single file that was planned in an open batch that %s is planned again; in a closed one it stays',
  (_, isExclusive) => {
    const ledger = createTestLedger();
    const open = ledger.transfer(ledger.batch({ mode: 'single', isExclusive }), ['/a.jpg']);
    const batch = ledger.batch({ mode: 'single', batchId: 'batch-2', baseId: 'batch-2' });
    const closed = ledger.transfer(batch, ['/b.jpg']);
    sealBatch(ledger.store, batch.id, 1000);
    recover(createTestPipeline(ledger));
    expect([stateOf(ledger, open.id), stateOf(ledger, closed.id)]).toEqual(['dropped', 'planned']);
  },
);

test.each(['single', 'bulk'] as const)('what was being sent is in doubt (%s)', (mode) => {
  const ledger = createTestLedger();
  const { id, itemIds } = ledger.transfer(ledger.batch({ mode }), ['/a.jpg']);
  beginSending(ledger.store, [id], 1000);
  recover(createTestPipeline(ledger));
  expect(ledger.stored(id)).toMatchObject({ state: 'unknown', doubtful: true });
  expect(ledger.store.ids(`SELECT id FROM items WHERE state = 'unknown'`)).toEqual(itemIds);
});

test.each(['single', 'bulk'] as const)(
  'what counted as lost and was not sent again is in doubt (%s)',
  (mode) => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const { id, itemIds } = ledger.transfer(ledger.batch({ mode }), ['/a.jpg']);
    beginSending(store, [id], 1000);
    markUnknown(store, id, { lastByteAt: 1000, askAt: 0 }, 1000);
    noteAbsence(store, id, 2000);
    requeueTransfer(store, ledger.stored(id), false, 1000);
    recover(createTestPipeline(ledger));
    expect(stateOf(ledger, id)).toBe('unknown');
    expect(store.ids(`SELECT id FROM items WHERE state = 'unknown'`)).toEqual(itemIds);
  },
);

test.each(['single', 'bulk'] as const)(
  'what was to be sent once more is in doubt, since others may use its name by now (%s)',
  (mode) => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const { id } = ledger.transfer(ledger.batch({ mode }), ['/a.mp4']);
    saveUpload(store, id, { url: 'http://127.0.0.1:1/a', headers: {}, expiresAt: null }, 1000);
    beginSending(store, [id], 1000);
    markUnknown(store, id, { lastByteAt: 1000, askAt: 0 }, 1000);
    requeueTransfer(store, ledger.stored(id), true, 1000);
    expect(stateOf(ledger, id)).toBe('registered');
    recover(createTestPipeline(ledger));
    expect(ledger.stored(id)).toMatchObject({
      state: 'unknown',
      uploadUrl: 'http://127.0.0.1:1/a',
    });
  },
);

const T = 1_800_000_000_000;
const MINUTE = 60_000;

/** Starts a run by a clock that shows `wall`, `bootMs` after this computer was switched on. */
function start(ledger: TestLedger, wall: number, bootMs: number | null): void {
  const clock = createManualClock(wall);
  const known = bootMs === null ? {} : { bootMs: () => bootMs };
  recover(createTestPipeline(ledger, { clock: { ...clock, ...known } }));
}

test.each<[string, number, number | null, number]>([
  ['passed by both clocks', T + 2 * MINUTE, 102 * MINUTE, T + MINUTE],
  ['passed, if the clock was set ahead', T + 1000 * MINUTE, 102 * MINUTE, T + 999 * MINUTE],
  ['passed by the clock, if the ledger moved', T + 2 * MINUTE, 9000 * MINUTE, T + MINUTE],
  ['is not known, if the clock was set back', T - 5 * MINUTE, 102 * MINUTE, T - 5 * MINUTE],
  ['is not known after a reboot', T + 20 * MINUTE, MINUTE, T + 20 * MINUTE],
  ['is not known without the second clock', T + 20 * MINUTE, null, T + 20 * MINUTE],
])('a doubt keeps its age over two runs: what %s', (_, wall, bootMs, lastByteAt) => {
  const ledger = createTestLedger();
  const { store } = ledger;
  start(ledger, T, 100 * MINUTE);
  const batch = ledger.batch();
  const [doubtful, lost, sent] = ['/a.jpg', '/b.jpg', '/c.jpg'].map((path) => {
    const { id } = ledger.transfer(batch, [path]);
    beginSending(store, [id], T);
    return id;
  });
  for (const id of [doubtful, lost])
    markUnknown(store, id ?? 0, { lastByteAt: T + MINUTE, askAt: 0 }, T);
  requeueTransfer(store, ledger.stored(lost ?? 0), false, T);
  noteAbsence(store, lost ?? 0, T + MINUTE);
  markSent(store, [{ id: sent ?? 0, hashes: [], proof: null }], T + MINUTE, T);
  start(ledger, wall, bootMs);
  for (const [id, state] of [
    [doubtful, 'unknown'],
    [lost, 'unknown'],
    [sent, 'sent'],
  ] as const)
    expect(ledger.stored(id ?? 0)).toMatchObject({ state, lastByteAt });
});

test('what was being sent counts as sent now, however long ago the run was', () => {
  const ledger = createTestLedger();
  start(ledger, T, 100 * MINUTE);
  const { id } = ledger.transfer(ledger.batch(), ['/a.jpg']);
  beginSending(ledger.store, [id], T);
  start(ledger, T + MINUTE, 101 * MINUTE);
  expect(ledger.stored(id)).toMatchObject({ state: 'unknown', lastByteAt: T + MINUTE });
});
