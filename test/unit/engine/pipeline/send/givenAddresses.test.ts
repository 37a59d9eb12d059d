/** A second body never goes to an address that the service gave for another one: it would take the place of the first. */
import { expect, test } from 'vitest';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import { createTransferLanes } from '../../../../../main/engine/pipeline/send/transferLanes.ts';
import { askLater } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

/** Sends two transfers to addresses that end as given: a video's own may be told by its name. */
function sending(kind: 'video' | 'shard', endOf: (fileName: string) => string) {
  const ledger = createTestLedger();
  const batch = ledger.batch(kind === 'video' ? { kind, mode: 'single' } : {});
  const ids = ['1.mp4', '2.mp4'].map((name) => ledger.transfer(batch, [name]).id);
  const asked = { registrations: 0, puts: 0 };
  const register = (fileName: string) => {
    asked.registrations += 1;
    const url = `http://127.0.0.1:1/${endOf(fileName)}`;
    return Promise.resolve(
      ok({ url, headers: {}, maxBytes: null, maxMembers: null, expiresAt: null }),
    );
  };
  const client = {
    registerVideo: ({ fileName }: { fileName: string }) => register(fileName),
    registerShard: () => register(''),
    askCount: () => Promise.resolve(ok(null)),
    askShards: () => Promise.resolve(ok(null)),
    putSigned: () => {
      asked.puts += 1;
      return Promise.resolve(fail('upload.urlExpired'));
    },
  };
  const pipeline = createTestPipeline(ledger, { client });
  const lanes = createTransferLanes(
    pipeline,
    () => ({ least: 1, most: 4 }),
    () => false,
    () => 'oldest',
  );
  const step = async (): Promise<void> => {
    for (const id of ids) askLater(ledger.store, id, 0);
    await lanes.step();
    await lanes.drained();
  };
  return { step, asked, codes: () => ids.map((id) => ledger.stored(id).lastCode) };
}

test.each(['video', 'shard'] as const)('one address for two of kind %s', async (kind) => {
  const { step, asked, codes } = sending(kind, () => 'one');
  await step();
  expect(asked).toEqual({ registrations: 2, puts: 1 });
  expect(codes()).toContain('service.failed');
});

test('the address of an upload that is tried again may be the one that it had', async () => {
  const { step, asked } = sending('video', (fileName) => fileName);
  await step();
  await step();
  expect(asked).toEqual({ registrations: 4, puts: 4 });
});
