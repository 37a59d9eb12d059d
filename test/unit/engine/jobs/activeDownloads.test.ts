/** Downloads that a person starts in the window, in several workspaces. */
import { expect, test, vi } from 'vitest';
import { createActiveDownloads } from '../../../../main/engine/jobs/activeDownloads.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

test('a download belongs to the workspace in which it was started, whichever is in use when it ends', async () => {
  const ledger = createTestLedger();
  const client = { batchParts: () => Promise.reject(new Error('ended')) };
  const pipelineOf = (connectionId: number) =>
    createTestPipeline({ store: ledger.store, connectionId }, { client });
  const ended: number[] = [];
  const downloads = createActiveDownloads(({ connectionId }) => ended.push(connectionId));
  const order = { batchId: 'cups', jobId: null, to: '/to' };
  const [one, other] = [ledger.connectionId, ledger.connectionId + 1];
  downloads.start(pipelineOf(one), order);
  downloads.start(pipelineOf(other), order);
  expect(downloads.views(one)).toHaveLength(1);
  expect(downloads.views(other)).toHaveLength(1);
  expect(downloads.views(other + 1)).toEqual([]);
  await vi.waitFor(() => expect(ended).toEqual([one, other]));
});
