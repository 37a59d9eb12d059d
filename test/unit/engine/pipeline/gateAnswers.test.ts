/** Only an answer of the service opens the gate of a family: not what is known from memory, not how a file was read. */
import { buffer } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { fail, ok } from '../../../../main/engine/core/errors.ts';
import type { OperationFamily } from '../../../../main/engine/evidence/gate.ts';
import type { Pipeline } from '../../../../main/engine/pipeline/context.ts';
import { ListedBatches } from '../../../../main/engine/pipeline/plan/awaitOthers.ts';
import { openBatch } from '../../../../main/engine/pipeline/plan/openBatch.ts';
import { createSendRun, type SendTurn } from '../../../../main/engine/pipeline/send/sendRun.ts';
import { tryTransfer } from '../../../../main/engine/pipeline/send/transfer.ts';
import type { ServiceClient } from '../../../../main/engine/service/serviceClient.ts';
import { itemsOfTransfer } from '../../../../main/engine/store/tables/items.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline, targetOf } from '../../../helpers/testPipeline.ts';

/** A try that does not have to wait for the network. */
const AT_ONCE: SendTurn = (work) => work();

function listening(
  ledger: TestLedger,
  client: Partial<ServiceClient>,
): { pipeline: Pipeline; reached: readonly OperationFamily[] } {
  const reached: OperationFamily[] = [];
  const pipeline = createTestPipeline(ledger, { client });
  return { pipeline: { ...pipeline, reached: (family) => reached.push(family) }, reached };
}

test('a batch that this run knows is opened from memory, which opens no gate', async () => {
  const ledger = createTestLedger();
  const { pipeline, reached } = listening(ledger, {
    askCount: () => Promise.resolve(ok(null)),
    askShards: () => Promise.resolve(ok(null)),
    askFilesPage: () => Promise.resolve(ok(null)),
  });
  const target = targetOf(ledger, { baseId: 'cups' });
  const wanted = { baseId: 'cups', kind: 'image', mode: 'bulk', modeDemanded: false } as const;
  const listed = new ListedBatches();
  const opened = await openBatch(pipeline, target, wanted, listed);
  expect(opened.ok).toBe(true);
  expect(reached).toEqual(['ask']);
  expect(await openBatch(pipeline, target, wanted, listed)).toEqual(opened);
  expect(reached).toEqual(['ask']);
});

test('a file that is gone before anything was answered opens no gate', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ mode: 'single' });
  const { id } = ledger.transfer(batch, ['/no/such/file.jpg']);
  const { pipeline, reached } = listening(ledger, {
    uploadImage: async (_, { body }) => {
      await expect(buffer(body.chunks())).rejects.toThrow('item.gone');
      return fail('network.lost');
    },
  });
  const transfer = ledger.stored(id);
  const run = { ...createSendRun(pipeline), check: () => Promise.resolve(null) };
  const due = { transfer, batch, items: itemsOfTransfer(store, id) };
  const outcome = await tryTransfer(pipeline, due, AT_ONCE, run);
  expect(outcome).toMatchObject({ kind: 'changed' });
  expect(reached).toEqual([]);
});

test.each([
  ['held', 0],
  ['lost', 1],
])('a try whose connection was %s keeps others from starting: %i', async (fault, times) => {
  const ledger = createTestLedger();
  const batch = ledger.batch({ mode: 'single' });
  const { id } = ledger.transfer(batch, ['/no/such/file.jpg']);
  const wait = vi.fn();
  const { pipeline } = listening(ledger, {
    uploadImage: () => Promise.resolve(fail('service.noAnswer', { fault })),
  });
  const run = { ...createSendRun(pipeline), check: () => Promise.resolve(null) };
  const due = { transfer: ledger.stored(id), batch, items: itemsOfTransfer(ledger.store, id) };
  expect(await tryTransfer({ ...pipeline, wait }, due, AT_ONCE, run)).toMatchObject({
    kind: 'unknown',
  });
  expect(wait).toHaveBeenCalledTimes(times);
});
