/** Which job holds up `watch --once` because it does not start. */
import { expect, test } from 'vitest';
import { legalJobId } from '../../../../main/engine/files/names/safeNames.ts';
import { confirmUnsent } from '../../../../main/engine/store/queue/waiting.ts';
import { addJob } from '../../../../main/engine/store/tables/jobs.ts';
import { linkJobToWatch } from '../../../../main/engine/store/queue/closing.ts';
import { noteWait } from '../../../../main/engine/store/tables/waits.ts';
import { addWatch } from '../../../../main/engine/store/tables/watches.ts';
import { blockedJob } from '../../../../main/engine/jobs/countCheck.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

test('a batch that lacks files holds up the command of its own watch only, and not while another job of it runs', () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const [lacking, other] = ['one', 'two'].map((name) => {
    const rule = { ...standardRule(`/${name}`, name), job: { workflowId: 'w' } };
    const watch = addWatch(store, connectionId, rule, name, false, 1);
    const batch = ledger.batch({ baseId: name, batchId: name });
    store.run(`UPDATE batches SET watch_id = ?, state = 'sealed' WHERE id = ?`, watch.id, batch.id);
    confirmUnsent(store, ledger.item(name), { batchRow: batch.id, name, key: name }, 1);
    return watch;
  });
  if (lacking === undefined || other === undefined) throw new Error('both watches are there');
  const why = { code: 'batch.lacksFiles', detail: 'it counts 0 of 1 files', nextAt: null } as const;
  noteWait(store, connectionId, 'ready:one', why, 1);
  expect(blockedJob(ledger, [other.id])).toBeNull();
  expect(blockedJob(ledger, [lacking.id])).toMatchObject({ subject: 'ready:one' });
  const body = {
    batchId: 'earlier',
    name: 'job',
    jobId: legalJobId('job'),
    body: {},
    downloadTo: null,
  };
  const job = addJob(store, { connectionId, ...body }, 1);
  linkJobToWatch(store, job.id, lacking.id, false);
  expect(blockedJob(ledger, [lacking.id])).toBeNull();
});
