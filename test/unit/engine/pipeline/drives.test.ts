import { expect, test } from 'vitest';
import { missingDrive } from '../../../../main/engine/pipeline/drives.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

const CARD = '/none/card';

/** A place where one drive after the other is mounted, by a clock that may be wrong. */
function reader() {
  const at = { drive: 'A', now: 0 };
  const files = {
    ...createInlineFiles(),
    mountOf: (path: string) => Promise.resolve({ path, mount: CARD }),
    driveAt: () => Promise.resolve(at.drive),
  };
  const clock = { ...createManualClock(), now: () => at.now };
  const ledger = createTestLedger(1_500);
  const pipeline = createTestPipeline(ledger, { files, clock });
  const isAway = async (foundAt: number | null) =>
    (await missingDrive(pipeline, CARD, foundAt)) !== null;
  return {
    insert: async (drive: string, now: number) => {
      Object.assign(at, { drive, now });
      expect(await isAway(null)).toBe(false);
    },
    isAway,
    item: ledger.item,
  };
}

test('a file is missing while another drive is where it was found', async () => {
  const card = reader();
  await card.insert('A', 1_000);
  expect(await card.isAway(1_500)).toBe(false);
  await card.insert('B', 2_000);
  expect([await card.isAway(1_500), await card.isAway(2_500)]).toEqual([true, false]);
  await card.insert('A', 3_000);
  expect([await card.isAway(1_500), await card.isAway(2_500)]).toEqual([false, true]);
});

test('what is found on a drive is on it, also after the clock was set back', async () => {
  const card = reader();
  await card.insert('A', 1_000);
  await card.insert('B', 2_000);
  await card.insert('B', 500);
  expect(await card.isAway(600)).toBe(false);
  await card.insert('C', 550);
  expect([await card.isAway(520), await card.isAway(600)]).toEqual([true, false]);
});

test('a drive with files that are not sent is remembered, however many others are used meanwhile', async () => {
  const card = reader();
  await card.insert('A', 1_000);
  card.item(`${CARD}/1.jpg`);
  for (let number = 1; number <= 40; number += 1)
    await card.insert(`${number}`, 1_000 + number * 1_000);
  await card.insert('A', 99_000);
  expect(await card.isAway(1_500)).toBe(false);
});
