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
import type { Handlers } from './requestTypes.ts';
import { saveAs } from './saveAs.ts';
import { wayToShow } from '../system/wayToShow.ts';

type Family = Pick<
  Handlers,
  | 'batch.page'
  | 'batch.detail'
  | 'batch.items'
  | 'leftOut.page'
  | 'batch.outputs'
  | 'batch.download'
  | 'batch.seal'
  | 'batch.receipt'
  | 'item.thumbnail'
  | 'item.show'
  | 'folder.open'
>;

const THUMBNAIL = { width: 96, height: 96 };
/** A larger picture would hold up everything while it is decoded. Ours. */
const MOST_THUMBNAIL_BYTES = 12 * 1024 * 1024;

/** A small picture of a file; null when none can be made. */
async function thumbnailOf(path: string): Promise<{ dataUrl: string } | null> {
  try {
    if (process.platform !== 'linux') {
      return { dataUrl: (await nativeImage.createThumbnailFromPath(path, THUMBNAIL)).toDataURL() };
    }
    if ((await stat(path)).size > MOST_THUMBNAIL_BYTES) return null;
    const image = nativeImage.createFromPath(path);
    if (image.isEmpty()) return null;
    const dataUrl = image.resize({ height: THUMBNAIL.height }).toDataURL();
    // A runtime that only carries pictures around hands back the whole file.
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
  const { store, ports, signal } = context.station;
  const selected = context.station.selected();
  const [batch] = receiptBatches(
    store,
    batchId,
    selected?.apiUrl ?? null,
    selected?.workspace ?? null,
  );
  if (batch === undefined) return fail('usage.invalid', { said: 'this batch was not made here' });
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

function fileHandlers(
  context: AppContext,
): Pick<Family, 'item.thumbnail' | 'item.show' | 'folder.open'> {
  const { store } = context.station;
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
        return fail('usage.invalid', { said: 'this folder is not one of Sluice' });
      }
      try {
        // Where a link leads is what would be opened.
        const real = await realpath(path);
        const isDirectory = (await stat(real)).isDirectory();
        const way = wayToShow(real, isDirectory, process.platform);
        if (way === 'beside') shell.showItemInFolder(path);
        else await shell.openPath(way);
      } catch {
        return fail('item.gone', { path });
      }
      return ok(null);
    },
  };
}

/** Handlers of batches. */
export function batchHandlers(context: AppContext): Family {
  const { station, allowed } = context;
  const { store } = station;
  const pages = createBatchPages();
  const selectedId = (): number => station.selected()?.id ?? 0;
  return {
    ...fileHandlers(context),
    'batch.page': async (query) => {
      const id = selectedId();
      return ok(await pages(station.line(id), store, id, query));
    },
    'batch.detail': async ({ batchId }) => {
      const id = selectedId();
      return batchDetail(station.line(id), store, id, batchId);
    },
    'batch.items': async ({ batchId, ...query }) =>
      ok(itemPage(store, selectedId(), batchId, query)),
    'leftOut.page': async ({ watchId, batchId, ...query }) =>
      ok(leftOutPage(store, selectedId(), { watchId, batchId }, query)),
    'batch.outputs': async ({ batchId }) => {
      const line = station.working();
      return line.ok ? batchOutputs(line.value, batchId) : line;
    },
    'batch.download': async ({ batchId, to, unpack }) => {
      const line = station.working();
      if (!line.ok) return line;
      if (to !== null && !(await allowed.has(to))) {
        return fail('usage.invalid', { said: 'choose the folder in the dialog' });
      }
      const target = to ?? join(app.getPath('downloads'), 'Sluice', batchId);
      allowed.allow([target]);
      station.downloads.start(line.value.running, { batchId, to: target, unpack });
      return ok({ to: target });
    },
    'batch.seal': async ({ batchId }) => {
      const closed = closeBatch(store, selectedId(), batchId, station.ports.clock.now());
      if (closed.ok) station.reload();
      return closed;
    },
    'batch.receipt': async ({ batchId, format }) => writeReceipt(context, batchId, format),
  };
}
