import { expect, test } from 'vitest';
import { RETENTION_MS } from '../../../../main/engine/core/limits.ts';
import {
  createExpiryReporter,
  expiringResults,
} from '../../../../main/engine/jobs/resultsExpiry.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;

/** A job whose results expire this many hours from now. */
function job({ store, connectionId }: TestLedger, id: string, hours: number, sets = ''): void {
  const created = NOW + hours * HOUR - RETENTION_MS;
  store.run(
    `INSERT INTO jobs (connection_id, batch_id, job_id, body, state, created_at, state_at)
     VALUES (?, 'cups', ?, '{}', 'succeeded', ?, ?)`,
    connectionId,
    id,
    created,
    created,
  );
  if (sets !== '') store.run(`UPDATE jobs SET ${sets} WHERE job_id = ?`, id);
}

function fetched({ store, connectionId }: TestLedger, batchId: string): void {
  store.run(
    `INSERT INTO outputs (connection_id, batch_id, part, file_name, occurrence, target, path, unpack, state, state_at)
     VALUES (?, ?, '', 'a', 0, '/t', '/t/a', 0, 'done', 0)`,
    connectionId,
    batchId,
  );
}

test('results that were not fetched and end within 48 hours are found', () => {
  const ledger = createTestLedger();
  job(ledger, 'later', 49);
  job(ledger, 'soon', 47);
  job(ledger, 'urgent', 11, "results_batch = 'somewhere'");
  job(ledger, 'unfollowed', 30, "state = 'running'");
  job(ledger, 'gone', -1);
  job(ledger, 'never-started', 20, "state = 'planned'");
  job(ledger, 'failed', 20, "state = 'failed'");
  job(ledger, 'noted', 20, 'fetched = 1');
  job(ledger, 'downloaded', 20);
  fetched(ledger, 'downloaded-export');
  job(ledger, 'elsewhere', 20, "results_batch = 'other'");
  fetched(ledger, 'other');
  expect(expiringResults(ledger.store, NOW).map((one) => [one.job, one.resultsBatch])).toEqual([
    ['urgent', 'somewhere'],
    ['unfollowed', 'unfollowed-export'],
    ['soon', 'soon-export'],
  ]);
});

test('each is announced when it ends soon, and once more when it is urgent', () => {
  const ledger = createTestLedger();
  const clock = createManualClock(NOW);
  job(ledger, 'night', 49);
  const said: string[] = [];
  const look = createExpiryReporter(ledger.store, clock, (_, sentence) => said.push(sentence));
  for (let hours = 0; hours < 60; hours += 1) {
    look();
    look();
    clock.advance(HOUR);
  }
  const sentence = (left: string): string =>
    `The results of job night end at the service in about ${left} and are not on this computer.`;
  expect(said).toEqual([sentence('48 hours'), sentence('12 hours')]);
});
