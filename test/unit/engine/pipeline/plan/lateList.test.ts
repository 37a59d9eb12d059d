/** A batch that holds more than it lists yet: a ledger that was lost may have sent what is not shown. */
import { expect, test } from 'vitest';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import type { ShardDetails } from '../../../../../main/engine/core/model.ts';
import { ListedBatches } from '../../../../../main/engine/pipeline/plan/awaitOthers.ts';
import { openBatch } from '../../../../../main/engine/pipeline/plan/openBatch.ts';
import { shareBatch } from '../../../../../main/engine/pipeline/presence/shareBatch.ts';
import {
  beginRegistration,
  endRegistration,
} from '../../../../../main/engine/store/queue/awaited.ts';
import { beginSending } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { codeOf } from '../../../../helpers/results.ts';
import { createTestPipeline, listedFile, targetOf } from '../../../../helpers/testPipeline.ts';

const SHARD: ShardDetails = {
  shardId: 's',
  status: 'succeeded',
  statusName: 'done',
  objectsCount: 2,
  eventAt: 0,
  details: null,
};

/** A new ledger, and a batch of which the service shows what a test says. */
function createScene(counted: number, shards: readonly ShardDetails[], isShared = false) {
  const ledger = createTestLedger();
  const clock = createManualClock();
  const shown: string[] = [];
  const client = {
    askCount: () => Promise.resolve(ok(counted)),
    askShards: () => Promise.resolve(ok(shards)),
    askFilesPage: () => Promise.resolve(ok({ items: shown.map(listedFile), nextPageToken: null })),
    batchMetadata: () => Promise.resolve(ok(null)),
    listBatches: () => Promise.resolve(ok(null)),
  };
  const pipeline = createTestPipeline(ledger, { client, clock });
  const target = targetOf(ledger, { baseId: 'late', isShared });
  const wanted = { baseId: 'late', kind: 'image', mode: 'bulk', modeDemanded: false } as const;
  const listed = new ListedBatches();
  /** The service says that it created the batch so many ms ago. */
  const createdBefore = (ms: number): void => {
    pipeline.time.note(pipeline.time.now(), clock.monotonicMs());
    const createdAt = pipeline.time.service() - ms;
    const made = { batchId: 'late', displayName: 'late', type: '', contentType: 'images' };
    const batchMetadata = () => Promise.resolve(ok({ ...made, createdAt, expiresAt: 0 }));
    Object.assign(pipeline.client, { batchMetadata });
  };
  const open = () => openBatch(pipeline, target, wanted, listed);
  return { ledger, pipeline, clock, shown, createdBefore, open };
}

test.each<[string, number, readonly ShardDetails[]]>([
  ['counts', 2, []],
  ['has in a shard', 0, [SHARD]],
])('nothing is sent into it until it lists what it %s', async (_what, counted, shards) => {
  const { shown, open } = createScene(counted, shards);
  expect(codeOf(await open())).toBe('service.busy');
  shown.push('one.jpg', 'two.jpg');
  expect(await open()).toMatchObject({ ok: true, value: { batchId: 'late', isExclusive: false } });
});

test('what was counted at first is waited for, though a replica that lags behind counts nothing afterwards', async () => {
  const { pipeline, shown, open } = createScene(0, []);
  const counts = [1];
  Object.assign(pipeline.client, { askCount: () => Promise.resolve(ok(counts.shift() ?? 0)) });
  expect(codeOf(await open())).toBe('service.busy');
  shown.push('one.jpg');
  expect(await open()).toMatchObject({ ok: true, value: { isExclusive: false } });
});

test('a list that repeats some files and leaves others out is complete once its readings together show all', async () => {
  const { shown, open } = createScene(4, []);
  shown.push('1.jpg', '2.jpg', '3.jpg', '3.jpg');
  expect(codeOf(await open())).toBe('service.busy');
  shown.splice(0, 4, '1.jpg', '1.jpg', '2.jpg', '3.jpg');
  expect(codeOf(await open())).toBe('service.busy');
  shown.splice(0, 4, '3.jpg', '4.jpg', '4.jpg');
  expect(await open()).toMatchObject({ ok: true, value: { isExclusive: false } });
});

test('until then, what it leaves out is not taken for files on their way', async () => {
  const { ledger, shown, open } = createScene(4, []);
  const { id } = ledger.transfer(ledger.batch({ baseId: 'late', batchId: 'late' }), ['1.jpg']);
  beginSending(ledger.store, [id], 1);
  shown.push('1.jpg', '2.jpg', '3.jpg', '3.jpg');
  expect(codeOf(await open())).toBe('service.busy');
  shown.splice(0, 4, '1.jpg', '2.jpg', '4.jpg', '4.jpg');
  expect(await open()).toMatchObject({ ok: true, value: { isExclusive: false } });
});

test.each([false, true])(
  'an empty batch that was created just now is not taken for an unused one (shared: %s)',
  async (isShared) => {
    const { pipeline, clock, shown, createdBefore, open } = createScene(0, [], isShared);
    createdBefore(pipeline.times.unmeasuredLagMs - 1);
    expect(codeOf(await open())).toBe('service.busy');
    clock.advance(1);
    expect(await open()).toMatchObject({ ok: true, value: { isExclusive: !isShared } });
    expect(shown).toEqual([]);
  },
);

test('an upload does not depend on a date that the service does not state', async () => {
  const { pipeline, open } = createScene(0, []);
  Object.assign(pipeline.client, { batchMetadata: () => Promise.resolve(fail('service.failed')) });
  expect(await open()).toMatchObject({ ok: true, value: { isExclusive: true } });
});

test('an empty batch that a service creates when it is asked about it is not waited for', async () => {
  const { createdBefore, open } = createScene(0, []);
  createdBefore(1999);
  expect(await open()).toMatchObject({ ok: true, value: { isExclusive: true } });
});

test('a new batch that was empty at first is given the time that its first file took', async () => {
  const { clock, shown, createdBefore, open } = createScene(0, []);
  createdBefore(5000);
  expect(codeOf(await open())).toBe('service.busy');
  clock.advance(1000);
  shown.push('one.jpg');
  // The first file took 6 seconds, so others may take twice as long: 11 more.
  expect(codeOf(await open())).toBe('service.busy');
  clock.advance(10_999);
  expect(codeOf(await open())).toBe('service.busy');
  clock.advance(1);
  expect(await open()).toMatchObject({ ok: true, value: { isExclusive: false } });
});

test('all files of a shard that ended just now are waited for', async () => {
  const shards: ShardDetails[] = [];
  const { pipeline, clock, shown, open } = createScene(1, shards);
  pipeline.time.note(pipeline.time.now(), clock.monotonicMs());
  shards.push({ ...SHARD, eventAt: pipeline.time.service() });
  shown.push('one.jpg');
  expect(codeOf(await open())).toBe('service.busy');
  shown.push('two.jpg');
  expect(await open()).toMatchObject({ ok: true });
});

test('what others add meanwhile is not waited for', async () => {
  let counted = 2;
  const scene = createScene(0, []);
  Object.assign(scene.pipeline.client, { askCount: () => Promise.resolve(ok(counted)) });
  expect(codeOf(await scene.open())).toBe('service.busy');
  counted = 9;
  scene.shown.push('one.jpg', 'two.jpg');
  expect(await scene.open()).toMatchObject({ ok: true });
});

test('archives that others keep adding are waited for only so long', async () => {
  const shards: ShardDetails[] = [];
  const { pipeline, clock, open } = createScene(0, shards);
  const minutes = pipeline.times.orphanShardMs / 60_000;
  for (let minute = 0; minute < minutes; minute += 1) {
    shards.splice(0, 1, { ...SHARD, shardId: String(minute), status: 'running' });
    expect(codeOf(await open())).toBe('service.busy');
    clock.advance(60_000);
  }
  shards.splice(0, 1, { ...SHARD, shardId: 'newest', status: 'running' });
  expect(await open()).toMatchObject({ ok: true });
});

test('a batch that looked empty is read once a look before sending shows that it holds more, before anything is planned again', async () => {
  let counted = 0;
  const { pipeline, shown, open } = createScene(0, []);
  Object.assign(pipeline.client, { askCount: () => Promise.resolve(ok(counted)) });
  const opened = await open();
  if (!opened.ok) throw new Error('it looks empty');
  expect(opened.value.isExclusive).toBe(true);
  counted = 1;
  shareBatch(pipeline, opened.value);
  expect(codeOf(await open())).toBe('service.busy');
  shown.push('one.jpg');
  expect(await open()).toMatchObject({ ok: true, value: { isExclusive: false } });
  expect(pipeline.foreign.has(opened.value.id, 'one.jpg')).toBe(true);
});

test('what it never lists is waited for only so long', async () => {
  const { pipeline, clock, open } = createScene(2, []);
  const reason = /^batch late lists 0 of at least 2 files; .* for 3 minutes at most$/;
  expect(await open()).toMatchObject({
    error: { code: 'service.busy', context: { reason: expect.stringMatching(reason) } },
  });
  clock.advance(pipeline.times.unmeasuredLagMs - 1);
  expect(codeOf(await open())).toBe('service.busy');
  clock.advance(1);
  expect(await open()).toMatchObject({ ok: true });
});

/** Opens, a minute after a registration of ours that was never answered, a batch with shards that are being indexed. */
async function openAbandoned(registeredMs: readonly number[], isAnswered = false) {
  const ledger = createTestLedger();
  const { store } = ledger;
  const clock = createManualClock();
  const batch = ledger.batch({ mode: 'bulk' });
  const pipeline = createTestPipeline(ledger, { clock });
  pipeline.time.note(pipeline.time.now(), clock.monotonicMs());
  const at = pipeline.time.service();
  store.transaction(() => {
    beginRegistration(store, batch.id, at);
    if (isAnswered) endRegistration(store, batch.id, at);
  });
  const shards = registeredMs.map((ms, number) => {
    return { ...SHARD, shardId: `${number}`, status: 'running' as const, eventAt: at + ms };
  });
  Object.assign(pipeline.client, {
    askCount: () => Promise.resolve(ok(0)),
    askShards: () => Promise.resolve(ok(shards)),
    askFilesPage: () => Promise.resolve(ok({ items: [], nextPageToken: null })),
  });
  clock.advance(60_000);
  const { baseId, kind, mode } = batch;
  const target = targetOf(ledger, { baseId });
  const wanted = { baseId, kind, mode, modeDemanded: false };
  return openBatch(pipeline, target, wanted, new ListedBatches());
}

test('an archive that an interrupted run registered and never sent is not waited for', async () => {
  expect(await openAbandoned([0])).toMatchObject({ ok: true, value: { isExclusive: false } });
});

test.each<[string, readonly number[], boolean?]>([
  ['a second archive', [0, 0]],
  ['one that was registered earlier', [-5_001]],
  ['one to which something has happened since', [5_001]],
  ['one that is too new', [1]],
  ['one after an answered registration', [0], true],
])('%s may be of another computer, and is waited for', async (_, registeredMs, isAnswered) => {
  expect(codeOf(await openAbandoned(registeredMs, isAnswered))).toBe('service.busy');
});
