/** What a body counts: bytes that go to the network, not those that are only read for checks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openBody } from '../../../../../main/engine/pipeline/send/transferBody.ts';
import { itemsOfTransfer } from '../../../../../main/engine/store/tables/items.ts';
import { inspectFile } from '../../../../../main/engine/files/read/inspectFile.ts';
import { tinyJpeg } from '../../../../helpers/media.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';
import { valueOf } from '../../../../helpers/results.ts';

test('a body that is read again for its checksum is not counted as sent, and has no rate limit', async () => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const path = join(ledger.directory, 'a.jpg');
  writeFileSync(path, tinyJpeg(1));
  const { id, itemIds } = ledger.transfer(ledger.batch({ mode: 'single' }), [path]);
  const { stamp, fingerprint, sizeBytes } = valueOf(inspectFile(path, 'b3'));
  store.run(
    'UPDATE items SET stamp = ?, fingerprint = ?, size_bytes = ? WHERE id = ?',
    ...[stamp, fingerprint, sizeBytes, itemIds[0] ?? 0],
  );
  let [counted, asked] = [0, 0];
  const throttle = {
    isBound: () => true,
    take: (bytes: number) => {
      asked += 1;
      return Promise.resolve(bytes);
    },
  };
  const sentBytes = (bytes: number): number => (counted += bytes);
  const pipeline = { ...createTestPipeline(ledger), sentBytes, throttle };
  const transfer = ledger.stored(id);
  const { signal, ports } = pipeline;
  const { body, plan } = openBody(pipeline, transfer, itemsOfTransfer(store, id), signal);
  const sums = await ports.files.sumSources(plan, signal);
  // Of a form, the storage keeps only the file.
  expect(sums).toMatchObject({ lengthBytes: sizeBytes, md5: expect.any(String) });
  expect([counted, asked]).toEqual([0, 0]);
  const sent = await buffer(body.chunks());
  expect([counted, asked]).toEqual([sent.length, 1]);
  expect(body.checksums()).toEqual({ ...sums, md5: null });
});
