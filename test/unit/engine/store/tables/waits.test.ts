/** What waits, as rows: since when, for what, and gone when it no longer waits. */
import { expect, test } from 'vitest';
import { clearWait, noteWait, waitsOf } from '../../../../../main/engine/store/tables/waits.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';

const busy = { code: 'service.busy', detail: null, nextAt: null } as const;

test('a wait keeps its beginning while its code stays the same', () => {
  const { store, connectionId } = createTestLedger();
  noteWait(store, connectionId, 'send', { ...busy, nextAt: 2000 }, 1000);
  noteWait(store, connectionId, 'send', { ...busy, nextAt: 9000, detail: 'later' }, 5000);
  expect(waitsOf(store, connectionId)).toEqual([
    {
      connectionId,
      subject: 'send',
      code: 'service.busy',
      detail: 'later',
      since: 1000,
      nextAt: 9000,
    },
  ]);
  noteWait(store, connectionId, 'send', { ...busy, code: 'auth.rejected' }, 6000);
  expect(waitsOf(store, connectionId)).toMatchObject([{ code: 'auth.rejected', since: 6000 }]);
});

test('a wait that began in the future, since the clock was set back, begins now', () => {
  const { store, connectionId } = createTestLedger();
  noteWait(store, connectionId, 'send', busy, 9000);
  noteWait(store, connectionId, 'send', busy, 5000);
  noteWait(store, connectionId, 'send', busy, 6000);
  expect(waitsOf(store, connectionId)).toMatchObject([{ since: 5000 }]);
});

test('a wait ends, and ending a missing one writes nothing', () => {
  const { store, connectionId } = createTestLedger();
  noteWait(store, connectionId, 'batch:cups', busy, 1000);
  noteWait(store, connectionId, 'connection', busy, 500);
  expect(waitsOf(store, connectionId).map(({ subject }) => subject)).toEqual([
    'connection',
    'batch:cups',
  ]);
  clearWait(store, connectionId, 'batch:cups');
  expect(waitsOf(store, connectionId)).toHaveLength(1);
  const mark = store.changeMark();
  clearWait(store, connectionId, 'batch:cups');
  noteWait(store, connectionId, 'connection', busy, 9000);
  expect(store.changeMark()).toBe(mark);
});
