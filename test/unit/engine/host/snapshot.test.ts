/** What the window is told about a connection's work. */
import { expect, test } from 'vitest';
import { addConnection, selectConnection } from '../../../../main/engine/host/connections.ts';
import { openEngineHost } from '../../../../main/engine/host/host.ts';
import { createSnapshotReader } from '../../../../main/engine/host/snapshot.ts';
import { addItem } from '../../../../main/engine/store/tables/items.ts';
import { addWatch, moveWatch } from '../../../../main/engine/store/tables/watches.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { createTestLedger, identified } from '../../../helpers/ledger.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { valueOf } from '../../../helpers/results.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';

test('the time left is that of what is sent, without what a person paused', () => {
  const clock = createManualClock();
  const { ports } = createTestPipeline(createTestLedger(), { clock });
  const host = valueOf(openEngineHost(scratch(), ports, () => undefined));
  const { store } = host;
  const address = { apiUrl: 'http://127.0.0.1:1', projectsUrl: 'http://127.0.0.1:1' };
  const connectionId = addConnection(store, { ...address, workspace: 'demo' }, 'person');
  selectConnection(store, connectionId);
  const watchOf = (name: string, sizeBytes: number) => {
    const rule = standardRule(`/${name}`, name);
    const watch = addWatch(store, connectionId, rule, name, false, 1);
    const file = { path: `/${name}/a.jpg`, relativePath: 'a.jpg', baseId: null };
    addItem(
      store,
      { ...file, destinationId: watch.destinationId },
      identified(name, { sizeBytes }),
      1,
    );
    return watch;
  };
  watchOf('moving', 2000);
  const paused = watchOf('paused', 100_000);
  host.throughput.record(0, 0);
  host.throughput.record(100, 1000);
  expect(createSnapshotReader(host, () => false)().pipeline.leftMs).toBe(1_020_000);
  moveWatch(store, paused.id, 'paused', 1);
  expect(createSnapshotReader(host, () => false)().pipeline.leftMs).toBe(20_000);
  // Before the folders are read, there may be more in them.
  expect(createSnapshotReader(host, () => true)().pipeline.leftMs).toBeNull();
});
