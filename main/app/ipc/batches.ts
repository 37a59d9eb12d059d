import { join } from 'node:path';
import { app } from 'electron';
import type { Result } from '../../../preload/contract/errors.ts';
import { closeBatch } from '../../engine/decisions/closeBatches.ts';
import {
  batchDetail,
  createBatchPages,
  knownBatch,
  batchOutputs,
} from '../../engine/queries/batchPages.ts';
import { ok, usage } from '../../engine/core/errors.ts';
import { itemPage } from '../../engine/queries/itemPages.ts';
import { leftOutPage } from '../../engine/queries/leftOutPages.ts';
import { filesOfExpired } from '../../engine/queries/uploadAgain.ts';
import {
  readReceipt,
  receiptBatches,
  receiptCsv,
  receiptCsvHeading,
} from '../../engine/queries/receipt.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';
import { saveAs } from './saveAs.ts';
import { withConnection } from './withConnection.ts';

async function writeReceipt(
  context: AppContext,
  batchId: string,
  format: 'csv' | 'json',
): Promise<Result<{ path: string } | null>> {
  const { store, ports, signal } = context.host;
  const selected = context.host.selected();
  const [batch] = receiptBatches(
    store,
    batchId,
    selected?.apiUrl ?? null,
    selected?.workspace ?? null,
  );
  if (batch === undefined) return usage('this batch was not created here');
  const lines = async function* (): AsyncGenerator<string> {
    yield format === 'csv' ? receiptCsvHeading().join('') : '[';
    let first = true;
    const reading = { files: ports.files, batch, withSha256: true };
    for await (const group of readReceipt(store, reading, signal)) {
      if (format === 'csv') yield receiptCsv(group).join('');
      else yield `${first ? '' : ','}\n${group.map((line) => JSON.stringify(line)).join(',\n')}`;
      first = false;
    }
    if (format === 'json') yield '\n]\n';
  };
  return saveAs(context, `${batchId}-receipt.${format}`, lines());
}

export function batchHandlers(context: AppContext) {
  const { host, allowed } = context;
  const { store } = host;
  const pages = createBatchPages();
  const { selectedId } = host;
  const connected = withConnection(host);
  return {
    'batch.page': async (query) => ok(await pages(host.selection(), query)),
    'batch.detail': async ({ batchId }) => batchDetail(host.selection(), batchId),
    'batch.known': async ({ batchId }) => ok(knownBatch(host.selection(), batchId)),
    'batch.items': async (query) => ok(await itemPage(store, selectedId(), query)),
    'leftOut.page': async (query) => ok(leftOutPage(store, selectedId(), query)),
    'batch.outputs': connected((connection, { batchId }) => batchOutputs(connection, batchId)),
    'batch.download': connected(({ runner }, { batchId, to }) =>
      allowed.run([to], () => {
        const target = to ?? join(app.getPath('downloads'), 'Sluice', batchId);
        allowed.allow([target]);
        host.downloads.start(runner.pipeline, { batchId, jobId: null, to: target });
        return ok({ to: target });
      }),
    ),
    'batch.again': async ({ batchId }) => {
      const found = await filesOfExpired(store, host.ports.files, selectedId(), batchId);
      if (!found.ok) return found;
      const { files, bytes, gone, done } = found.value;
      return ok({ files, bytes, gone, done });
    },
    'batch.uploadAgain': connected(async ({ uploads, row }, { batchId }) => {
      const found = await filesOfExpired(store, host.ports.files, row.id, batchId);
      if (!found.ok) return found;
      const { baseId, places, mode } = found.value;
      if (places.length > 0) uploads.add(baseId, places, mode);
      return ok({ files: places.length });
    }),
    'batch.seal': async ({ batchId }) => {
      const closed = closeBatch(host.selection(), batchId);
      if (closed.ok) host.reload();
      return closed;
    },
    'batch.receipt': async ({ batchId, format }) => writeReceipt(context, batchId, format),
  } satisfies Partial<Handlers>;
}
