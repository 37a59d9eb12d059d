/** Which source files count as the confirmed ones, and may therefore be moved. */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inspectFile } from '../../../../main/engine/files/read/inspectFile.ts';
import { confirmUnsent } from '../../../../main/engine/store/queue/waiting.ts';
import { addItem } from '../../../../main/engine/store/tables/items.ts';
import { addWatch, watchById } from '../../../../main/engine/store/tables/watches.ts';
import { createSourceMover } from '../../../../main/engine/watches/moveSources.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { createTestLedger, identified } from '../../../helpers/ledger.ts';
import { tinyJpeg } from '../../../helpers/media.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';
import { valueOf } from '../../../helpers/results.ts';

test('a file that the service had already, and that was never hashed whole, is moved while it is the same', async () => {
  const ledger = createTestLedger();
  const { store, connectionId, directory } = ledger;
  const camera = join(directory, 'camera');
  mkdirSync(camera);
  const rule = { ...standardRule(camera, 'camera'), moveTo: join(directory, 'uploaded') };
  const watchId = addWatch(store, connectionId, rule, 'camera', false, 1).id;
  const watch = watchById(store, watchId);
  if (watch === null) throw new Error('the watch is there');
  const batch = ledger.batch({ batchId: 'camera' });
  store.run(`UPDATE batches SET watch_id = ?, state = 'sealed' WHERE id = ?`, watchId, batch.id);
  for (const name of ['same.jpg', 'touched.jpg']) {
    const path = join(camera, name);
    writeFileSync(path, tinyJpeg(name.length));
    const { stamp, fingerprint, sizeBytes } = valueOf(inspectFile(path, 'b3'));
    const content = identified(name, { stamp, fingerprint, sizeBytes, contentHash: null });
    const place = {
      destinationId: watch.destinationId,
      path,
      relativePath: name,
      baseId: null,
    };
    const id = addItem(store, place, content, 1000);
    confirmUnsent(store, id, { batchRow: batch.id, name, key: name }, 1000);
  }
  utimesSync(join(camera, 'touched.jpg'), 1, 1);
  await createSourceMover(createTestPipeline(ledger), watch)();
  expect(existsSync(join(directory, 'uploaded/same.jpg'))).toBe(true);
  expect(existsSync(join(camera, 'touched.jpg'))).toBe(true);
});
