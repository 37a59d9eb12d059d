/** Requests about the results of jobs. The window names only files that main listed; see queries/resultPages.ts. */
import { join } from 'node:path';
import { app, shell } from 'electron';
import { ok } from '../../engine/core/errors.ts';
import { createResultPages, resultsBatchOf } from '../../engine/queries/resultPages.ts';
import { createTableReader } from '../../engine/queries/tables/tableReader.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';
import { pictureOf } from './pictureOf.ts';
import { withConnection } from './withConnection.ts';

/** Files that spreadsheets read. */
const SPREADSHEET = /\.(csv|tsv)$/i;

/** Handles `result.*`. */
export function resultHandlers(context: AppContext) {
  const { host, allowed } = context;
  const pages = createResultPages(host);
  const tables = createTableReader();
  const { selectedId } = host;
  return {
    'result.detail': async ({ jobId }) => ok(await pages.detail(selectedId(), jobId)),
    'result.download': async ({ jobId, to, unpack }) =>
      withConnection(host, async (connection) => {
        const refused = await allowed.require([to]);
        if (!refused.ok) return refused;
        const batch = await resultsBatchOf(connection, jobId);
        if (!batch.ok) return batch;
        const { folder } = await pages.detail(selectedId(), jobId);
        const target = to ?? folder ?? join(app.getPath('downloads'), 'Sluice', batch.value);
        allowed.allow([target]);
        const request = { batchId: batch.value, jobId, to: target, unpack };
        host.downloads.start(connection.runner, request);
        return ok({ to: target });
      }),
    'result.unpack': async ({ jobId }) => {
      const unpacked = await pages.unpack(selectedId(), jobId);
      return unpacked.ok ? ok({ archives: unpacked.value }) : unpacked;
    },
    'result.files': async ({ jobId, ...query }) =>
      ok(await pages.files(selectedId(), jobId, query)),
    'result.table': async ({ jobId, path, ...query }) => {
      const real = await pages.realPath(selectedId(), jobId, path);
      return real.ok ? tables.page(real.value, query) : real;
    },
    'result.picture': async ({ jobId, path, size }) => {
      const real = await pages.realPath(selectedId(), jobId, path);
      return real.ok ? ok(await pictureOf(real.value, size)) : real;
    },
    'result.open': async ({ jobId, path }) => {
      const real = await pages.realPath(selectedId(), jobId, path);
      if (!real.ok) return real;
      // What came from the service is opened only where opening runs nothing: as a table.
      if (SPREADSHEET.test(real.value)) await shell.openPath(real.value);
      else shell.showItemInFolder(real.value);
      return ok(null);
    },
    'result.show': async ({ jobId, path }) => {
      const real = await pages.realPath(selectedId(), jobId, path);
      if (!real.ok) return real;
      shell.showItemInFolder(real.value);
      return ok(null);
    },
  } satisfies Partial<Handlers>;
}
