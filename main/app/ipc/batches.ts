/** Requests about batches, their items and their outputs. */
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { app, nativeImage, shell } from 'electron';
import type { Result } from '../../../preload/contract/errors.ts';
import {
  batchDetail,
  batchOutputs,
  closeBatch,
  createBatchPages,
  tryBatchNow,
} from '../../engine/queries/batchPages.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { itemPage, itemPath } from '../../engine/queries/itemPages.ts';
import { leftOutPage } from '../../engine/queries/leftOutPages.ts';
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
import { pathToOpen } from '../system/pathToOpen.ts';

const THUMBNAIL = { width: 96, height: 96 };
/** Decoding a larger picture would block the process. Our choice. */
const MAX_THUMBNAIL_SOURCE_BYTES = 12 * 1024 * 1024;

/** A thumbnail of a file; null when none can be made. */
async function thumbnailOf(path: string): Promise<{ dataUrl: string } | null> {
  try {
    if (process.platform !== 'linux') {
      return { dataUrl: (await nativeImage.createThumbnailFromPath(path, THUMBNAIL)).toDataURL() };
    }
    if ((await stat(path)).size > MAX_THUMBNAIL_SOURCE_BYTES) return null;
    const image = nativeImage.createFromPath(path);
    if (image.isEmpty()) return null;
    const dataUrl = image.resize({ height: THUMBNAIL.height }).toDataURL();
    // The Chromium host cannot resize: it returns the whole file.
    return dataUrl.length > 256 * 1024 ? null : { dataUrl };
  } catch {
    return null;
  }
}

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
  if (batch === undefined)
    return fail('usage.invalid', { said: 'this batch was not created here' });
  const lines = async function* (): AsyncGenerator<string> {
    yield format === 'csv' ? receiptCsvHeading().join('') : '[';
    let first = true;
    for await (const group of readReceipt(store, ports.files, batch, signal)) {
      if (format === 'csv') yield receiptCsv(group).join('');
      else {
        for (const line of group) {
          yield `${first ? '\n' : ',\n'}${JSON.stringify(line)}`;
          first = false;
        }
      }
    }
    if (format === 'json') yield '\n]\n';
  };
  return saveAs(context, `${batchId}-receipt.${format}`, lines());
}

function fileHandlers(context: AppContext) {
  const { store } = context.host;
  return {
    'item.thumbnail': async ({ id }) => {
      const path = itemPath(store, id);
      return ok(path === null ? null : await thumbnailOf(path));
    },
    'item.show': async ({ id }) => {
      const path = itemPath(store, id);
      if (path === null) return fail('usage.invalid', { said: 'no such file' });
      shell.showItemInFolder(path);
      return ok(null);
    },
    'folder.open': async ({ path }) => {
      if (!(await context.allowed.has(path))) {
        return fail('usage.invalid', { said: 'Sluice does not use this folder' });
      }
      try {
        // A link opens its target, so the target is checked.
        const real = await realpath(path);
        const isDirectory = (await stat(real)).isDirectory();
        const toOpen = pathToOpen(real, isDirectory, process.platform);
        if (toOpen === null) shell.showItemInFolder(path);
        else await shell.openPath(toOpen);
      } catch {
        return fail('item.gone', { path });
      }
      return ok(null);
    },
  } satisfies Partial<Handlers>;
}

/** Handles `batch.*`, `item.*`, `leftOut.page` and `folder.open`. */
export function batchHandlers(context: AppContext) {
  const { host, allowed } = context;
  const { store } = host;
  const pages = createBatchPages();
  const selectedId = (): number => host.selected()?.id ?? 0;
  return {
    ...fileHandlers(context),
    'batch.page': async (query) => {
      const id = selectedId();
      return ok(await pages(host.workingConnection(id), store, id, query));
    },
    'batch.detail': async ({ batchId }) => {
      const id = selectedId();
      return batchDetail(host.workingConnection(id), store, id, batchId, host.ports.clock.now());
    },
    'batch.items': async ({ batchId, ...query }) =>
      ok(itemPage(store, selectedId(), batchId, query)),
    'leftOut.page': async ({ watchId, batchId, ...query }) =>
      ok(leftOutPage(store, selectedId(), { watchId, batchId }, query)),
    'batch.outputs': async ({ batchId }) =>
      withConnection(host, (connection) => batchOutputs(connection, batchId)),
    'batch.download': async ({ batchId, to, unpack }) =>
      withConnection(host, async ({ runner }) => {
        if (to !== null && !(await allowed.has(to))) {
          return fail('usage.invalid', { said: 'choose the folder in the dialog' });
        }
        const target = to ?? join(app.getPath('downloads'), 'Sluice', batchId);
        allowed.allow([target]);
        host.downloads.start(runner, { batchId, to: target, unpack });
        return ok({ to: target });
      }),
    'batch.tryNow': async ({ batchId }) => {
      const due = tryBatchNow(store, selectedId(), batchId, host.ports.clock.now());
      if (due.ok) host.reload();
      return due;
    },
    'batch.seal': async ({ batchId }) => {
      const closed = closeBatch(store, selectedId(), batchId, host.ports.clock.now());
      if (closed.ok) host.reload();
      return closed;
    },
    'batch.receipt': async ({ batchId, format }) => writeReceipt(context, batchId, format),
  } satisfies Partial<Handlers>;
}
