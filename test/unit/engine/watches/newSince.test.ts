/** A watch that was added while the clock was ahead takes new files once the clock is right. */
import { expect, test } from 'vitest';
import { createNewSince } from '../../../../main/engine/watches/newSince.ts';
import { addWatch, watchById } from '../../../../main/engine/store/tables/watches.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

const NOW = 1_000_000;

function added(at: number, existing: boolean) {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const rule = { ...standardRule('/a', 'a'), existing };
  const watch = addWatch(store, connectionId, rule, 'a', false, at);
  const clock = createManualClock(NOW);
  const newSince = createNewSince(createTestPipeline(ledger, { clock }), watch);
  newSince.check();
  clock.advance(5);
  newSince.check();
  return { since: newSince.since(), saved: watchById(store, watch.id)?.addedAt };
}

test.each([
  ['earlier', NOW - 1, false, { since: NOW - 1, saved: NOW - 1 }],
  ['in the future', NOW + 1000, false, { since: NOW, saved: NOW }],
  ['in the future, with existing files', NOW + 1000, true, { since: 0, saved: NOW + 1000 }],
])('added %s', (_, at, existing, expected) => {
  expect(added(at, existing)).toEqual(expected);
});
