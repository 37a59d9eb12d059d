/** Whatever keeps a connection, its planning or its jobs waiting is in the ledger exactly as long as it does. */
import { expect, test } from 'vitest';
import { fail, ok, sluiceError, SluiceFailure } from '../../../../main/engine/core/errors.ts';
import { treatAsDelivered } from '../../../../main/engine/decisions/problems.ts';
import { createAutoJobs } from '../../../../main/engine/jobs/autoJobs.ts';
import { blockedJob } from '../../../../main/engine/jobs/countCheck.ts';
import { saveJob } from '../../../../main/engine/jobs/jobs.ts';
import type { Pipeline } from '../../../../main/engine/pipeline/context.ts';
import { laneSteps } from '../../../../main/engine/runner/laneSteps.ts';
import { noteOrClear } from '../../../../main/engine/pipeline/waitNotes.ts';
import { recover } from '../../../../main/engine/runner/recover.ts';
import { clearOpened, noteGate } from '../../../../main/engine/runner/upkeep.ts';
import type { ServiceClient } from '../../../../main/engine/service/serviceClient.ts';
import { readWaits } from '../../../../main/engine/status/waits.ts';
import { confirmUnsent, postponePlanning } from '../../../../main/engine/store/queue/waiting.ts';
import { noteEngineBehind } from '../../../../main/engine/store/tables/engineClock.ts';
import { addWatch } from '../../../../main/engine/store/tables/watches.ts';
import { noteWait, waitsOf } from '../../../../main/engine/store/tables/waits.ts';
import { moveItem } from '../../../../main/engine/store/transitions.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { cliReader, sentenceOfWait } from '../../../../preload/contract/waitMessages.ts';
import type { WatchRule } from '../../../../preload/contract/watchRule.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { valueOf } from '../../../helpers/results.ts';
import { createTestPipeline, targetOf } from '../../../helpers/testPipeline.ts';

const subjects = ({ store, connectionId }: TestLedger): readonly (readonly [string, string])[] =>
  waitsOf(store, connectionId).map(({ subject, code }) => [subject, code]);

test('every family that is closed is noted', async () => {
  const ledger = createTestLedger();
  const stop = new AbortController();
  const pipeline = { ...createTestPipeline(ledger), signal: stop.signal };
  const quota = sluiceError('service.quota');
  for (const family of ['send', 'ask', 'job', 'fetch'] as const)
    pipeline.gate.failed(family, quota);
  const noting = noteGate(pipeline);
  await expect.poll(() => subjects(ledger)).toHaveLength(4);
  expect(
    subjects(ledger)
      .map(([subject]) => subject)
      .toSorted(),
  ).toEqual(['ask', 'fetch', 'job', 'send']);
  stop.abort();
  await noting;
});

test('what has opened no longer waits, although it was noted a moment ago', async () => {
  const ledger = createTestLedger();
  const stop = new AbortController();
  const pipeline = { ...createTestPipeline(ledger), signal: stop.signal };
  pipeline.gate.failed('send', sluiceError('service.quota'));
  pipeline.gate.failed('ask', sluiceError('auth.rejected'));
  const noting = noteGate(pipeline);
  await expect.poll(() => subjects(ledger)).toHaveLength(2);
  pipeline.gate.reached();
  clearOpened(pipeline);
  expect(subjects(ledger)).toEqual([['send', 'service.quota']]);
  stop.abort();
  await noting;
});

test('a connection whose ledger is no longer in its place breaks', async () => {
  const ledger = createTestLedger();
  const moved = new SluiceFailure(sluiceError('disk.missing'));
  const checkPlace = (): never => {
    throw moved;
  };
  const pipeline = createTestPipeline(ledger);
  await expect(noteGate({ ...pipeline, store: { ...ledger.store, checkPlace } })).rejects.toBe(
    moved,
  );
});

test('after the clock was set, a wait is as old as before, and its next try as near', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const clock = createManualClock();
  let setBy = 0;
  const now = (): number => clock.now() + setBy;
  const running = async (work: () => Promise<void>): Promise<void> => {
    const stop = new AbortController();
    const shared = createTestPipeline(ledger, { clock: { ...clock, now } });
    recover(shared);
    const pipeline = { ...shared, signal: stop.signal };
    const noting = noteGate(pipeline);
    noteOrClear(pipeline, 'batch:cups', sluiceError('service.busy'), 60_000);
    await work();
    stop.abort();
    await noting;
  };
  const wait = () => readWaits(store, now(), true).map(({ since, nextAt }) => [since, nextAt]);
  await running(async () => {
    for (const by of [40, -5]) {
      setBy = by * 3_600_000;
      // In each look: the loop may still be writing, and not be waiting for the clock yet.
      const later = () => {
        clock.advance(1_000);
        return wait();
      };
      await expect
        .poll(later)
        .toEqual([[now() - clock.monotonicMs(), now() + 60_000 - clock.monotonicMs()]]);
    }
  });
  // A new run begins with the clock as it is then.
  await running(async () => {
    expect(wait()).toEqual([[now() - clock.monotonicMs(), now() + 60_000]]);
    expect(waitsOf(store, connectionId)[0]?.nextAt).toBe(now() + 60_000);
    await Promise.resolve();
  });
});

test('a shortage of open files is as old as before, too, although this computer’s clock says when it began', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const short = { code: 'system.openFiles', detail: null, nextAt: null } as const;
  noteWait(store, connectionId, 'files', short, 1_000);
  noteEngineBehind(store, connectionId, 3_600_000);
  recover(createTestPipeline(ledger));
  expect(waitsOf(store, connectionId)).toMatchObject([{ since: 1_000 }]);
});

test('what planning waits for is noted, also when an earlier run left a note', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  ledger.item('/a.jpg');
  let answers: 'nothing' | 'busy' = 'busy';
  const busy = fail('service.busy', { reason: 'it is taking in other files' });
  const pipeline = createTestPipeline(ledger, {
    client: {
      askCount: () => Promise.resolve(answers === 'busy' ? busy : ok(null)),
      askShards: () => Promise.resolve(ok(null)),
      askFilesPage: () => Promise.resolve(ok(null)),
    },
  });
  const targets = [targetOf(ledger, { baseId: 'cups' })];
  const state = { planError: null, planFailingSince: null, targets };
  const steps = laneSteps(pipeline, { ...state, confirmations: new Map() });
  const pause = await steps.plan();
  expect(pause).toBeGreaterThan(0);
  expect(readWaits(store, 1000, true)).toMatchObject([
    { kind: 'planning', code: 'service.busy', detail: 'it is taking in other files' },
  ]);
  answers = 'nothing';
  await steps.plan();
  expect(subjects(ledger)).toEqual([]);
  noteWait(store, connectionId, 'plan', { code: 'service.busy', detail: null, nextAt: null }, 1);
  await laneSteps(pipeline, { ...state, confirmations: new Map() }).plan();
  expect(subjects(ledger)).toEqual([]);
});

test('that a run ended while it planned is not noted as a failure of the service', async () => {
  const ledger = createTestLedger();
  ledger.item('/a.jpg');
  const stop = new AbortController();
  const end = () => {
    stop.abort();
    return Promise.resolve(fail('network.lost'));
  };
  const client = { askCount: end, askShards: end, askFilesPage: end };
  const pipeline = { ...createTestPipeline(ledger, { client }), signal: stop.signal };
  const targets = [targetOf(ledger, { baseId: 'cups' })];
  const state = { planError: null, planFailingSince: null, targets, confirmations: new Map() };
  await laneSteps(pipeline, state).plan();
  expect(stop.signal.aborted).toBe(true);
  expect(subjects(ledger)).toEqual([]);
});

test('files that others are sending are looked for often, and stop nothing else', async () => {
  const ledger = createTestLedger();
  ledger.item('/a.jpg');
  const clock = createManualClock();
  const shard = { shardId: 's', statusName: '', objectsCount: 0, eventAt: 0, details: null };
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: {
      askCount: () => Promise.resolve(ok(0)),
      askShards: () => Promise.resolve(ok([{ ...shard, status: 'running' as const }])),
      askFilesPage: () => Promise.resolve(ok({ items: [], nextPageToken: null })),
      batchMetadata: () => Promise.resolve(ok(null)),
      listBatches: () => Promise.resolve(ok(null)),
    },
  });
  const waited: unknown[] = [];
  pipeline.wait = (_error, family) => waited.push(family);
  const targets = [targetOf(ledger, { baseId: 'cups' })];
  const state = { planError: null, planFailingSince: null, targets };
  const steps = laneSteps(pipeline, { ...state, confirmations: new Map() });
  await steps.plan();
  clock.advance(5 * 60_000);
  expect(await steps.plan()).toBe(pipeline.times.confirmMaxMs);
  expect(waited).toEqual([]);
});

function jobScene(
  client: Partial<ServiceClient>,
  given: Partial<WatchRule> = {},
): {
  ledger: TestLedger;
  pipeline: Pipeline;
  clock: ReturnType<typeof createManualClock>;
} {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const clock = createManualClock();
  const rule = {
    ...standardRule('/camera', 'camera'),
    job: { workflowId: 'count-cups' },
    ...given,
  };
  const watch = addWatch(store, connectionId, rule, 'camera', false, 1);
  const batch = ledger.batch({ batchId: 'camera' });
  store.run(`UPDATE batches SET watch_id = ?, state = 'sealed'`, watch.id);
  const place = { batchRow: batch.id, name: 'a', key: 'a' };
  confirmUnsent(store, ledger.item('/a.jpg'), place, 1000);
  return { ledger, pipeline: createTestPipeline(ledger, { client, clock }), clock };
}

function autoJobs(pipeline: Pipeline): ReturnType<typeof createAutoJobs> {
  return createAutoJobs(
    pipeline,
    'demo',
    () => null,
    () => undefined,
  );
}

test('a batch that is still being ingested, and an unreadable job, are polled ever more slowly, and say so', async () => {
  let asked = 0;
  let isBusy = true;
  const { ledger, pipeline, clock } = jobScene({
    askCount: () => {
      asked += 1;
      return Promise.resolve(isBusy ? fail('service.busy', {}) : ok(1));
    },
    askShards: () => Promise.resolve(ok([])),
    startJob: () => Promise.resolve(ok(undefined)),
    jobStatus: () => {
      asked += 1;
      return Promise.resolve(isBusy ? fail('service.failed', {}) : ok(null));
    },
  });
  const jobs = autoJobs(pipeline);
  for (let round = 0; round < 5; round += 1) await jobs.round();
  expect(asked).toBe(1);
  // A webhook, or a person, makes it ask at once.
  jobs.hint();
  await jobs.round();
  expect(asked).toBe(2);
  expect(subjects(ledger)).toEqual([['ready:camera', 'service.busy']]);
  expect(readWaits(ledger.store, 1, true)).toMatchObject([{ kind: 'ready', name: 'camera' }]);
  isBusy = false;
  clock.advance(60_000);
  await jobs.round();
  expect(subjects(ledger)).toEqual([]);
  isBusy = true;
  clock.advance(60_000);
  asked = 0;
  for (let round = 0; round < 5; round += 1) await jobs.round();
  expect(asked).toBe(1);
  expect(readWaits(ledger.store, 1, true)).toMatchObject([{ kind: 'job', code: 'service.failed' }]);
  isBusy = false;
  clock.advance(60_000);
  await jobs.round();
  expect(subjects(ledger)).toEqual([]);
});

test('a file that a person counts as delivered holds up the job of a rule that moves files, until that person starts it', async () => {
  const { ledger, pipeline } = jobScene(
    { askCount: () => Promise.resolve(ok(1)), askShards: () => Promise.resolve(ok([])) },
    { moveTo: '/uploaded' },
  );
  const { store } = ledger;
  const [batch = 0] = store.ids('SELECT id FROM batches');
  const [watchId = 0] = store.ids('SELECT id FROM watches');
  const id = ledger.item('/b.jpg');
  store.run('UPDATE items SET batch_row = ? WHERE id = ?', batch, id);
  moveItem(store, id, 'parked', 1, { code: 'upload.unproven', detail: null });
  treatAsDelivered(store, [{ id }], 1);
  await autoJobs(pipeline).round();
  expect(subjects(ledger)).toEqual([['ready:camera', 'batch.lacksFiles']]);
  const [wait] = readWaits(store, 1, true);
  if (wait === undefined) throw new Error('it waits');
  expect(sentenceOfWait(wait, cliReader(1, true))).toMatch(
    /^The job over batch camera has not started yet: .*counts 1 of 2 files.* start the job yourself\.$/,
  );
  expect(blockedJob(pipeline, [watchId])).toMatchObject({ subject: 'ready:camera' });
  expect(blockedJob(pipeline, [watchId + 1])).toBeNull();
  const request = { jobId: null, name: null, batchId: 'camera', body: {}, downloadTo: null };
  valueOf(saveJob(pipeline, request));
  expect(blockedJob(pipeline, [watchId])).toBeNull();
  expect(readWaits(store, 1, true)).toEqual([]);
});

test('a job that a person starts while a watch asks whether its own may start is the only one', async () => {
  const request = { jobId: null, name: null, batchId: 'camera', body: {}, downloadTo: null };
  const { ledger, pipeline } = jobScene({
    askCount: () => {
      valueOf(saveJob(pipeline, request));
      return Promise.resolve(ok(1));
    },
    askShards: () => Promise.resolve(ok([])),
    startJob: () => Promise.resolve(ok(undefined)),
  });
  await autoJobs(pipeline).round();
  expect(ledger.store.count('SELECT count(*) AS count FROM jobs')).toBe(1);
});

test('a pause caused by a wrong clock ends at start-up', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const pipeline = createTestPipeline(ledger);
  const now = pipeline.time.now();
  postponePlanning(store, ledger.item('/a.jpg'), now + 1e10);
  const reason = { code: 'service.busy', detail: null, nextAt: now + 1e10 } as const;
  noteWait(store, connectionId, 'batch:cups', reason, now);
  recover(pipeline);
  expect(store.get('SELECT retry_at FROM items')).toEqual({ retry_at: now });
  expect(waitsOf(store, connectionId)).toMatchObject([{ nextAt: now }]);
});
