/** Requests about the results of jobs. The window names only files that main listed; see queries/resultPages.ts. */
import { resultsBatchOf } from '../../engine/jobs/downloads.ts';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { app } from 'electron';
import type { ResultGlance } from '../../../preload/contract/results.ts';
import { fail, ok, type Result } from '../../engine/core/errors.ts';
import { pathOnDisk } from '../../engine/queries/pathOnDisk.ts';
import { resultKind } from '../../engine/queries/resultFiles.ts';
import { createResultPages, type ResultPages } from '../../engine/queries/resultPages.ts';
import { createTableReader } from '../../engine/queries/tables/tableReader.ts';
import type { AppContext } from '../appContext.ts';
import { openPath, showInFolder } from '../system/desktop.ts';
import { dragOut } from './files.ts';
import type { Handlers } from './ipcServer.ts';
import { pictureOf } from './pictureOf.ts';
import { withConnection } from './withConnection.ts';

/** How much of a text file is shown as a preview, in bytes. */
const GLANCE_BYTES = 32 * 1024;

async function glanceAt(path: string): Promise<Result<ResultGlance>> {
  try {
    const file = await open(pathOnDisk(path));
    try {
      const { size, mtimeMs } = await file.stat();
      const { bytesRead, buffer } = await file.read(Buffer.alloc(GLANCE_BYTES), 0, GLANCE_BYTES, 0);
      const begin = buffer.subarray(0, bytesRead);
      // Nearly every binary file contains a NUL; text files do not.
      const text = begin.includes(0) ? null : begin.toString('utf8');
      return ok({ sizeBytes: size, changedAt: mtimeMs, text });
    } finally {
      await file.close();
    }
  } catch {
    return fail('item.gone', { path });
  }
}

function fileHandlers(context: AppContext, pages: ResultPages) {
  const tables = createTableReader();
  /** Answers a request about a result file, given its real path. */
  const withFile =
    <Input extends { readonly jobId: string; readonly path: string }, Value>(
      answer: (path: string, input: Input) => Promise<Result<Value>>,
    ) =>
    async (input: Input): Promise<Result<Value>> => {
      const real = await pages.realPath(input.jobId, input.path);
      return real.ok ? answer(real.value, input) : real;
    };
  return {
    'result.table': withFile((path, query) => tables.page(path, query)),
    'result.picture': withFile(async (path, { size }) => ok(await pictureOf(path, size))),
    'result.show': withFile(async (path) => {
      await showInFolder(path);
      return ok(null);
    }),
    'result.open': withFile(async (path) => {
      // Anything else could be a program.
      const isSafe = ['table', 'image'].includes(resultKind(path));
      await (isSafe ? openPath(path) : showInFolder(path));
      return ok(null);
    }),
    'result.glance': withFile(glanceAt),
    'result.drag': async ({ jobId, paths }) => {
      const files: string[] = [];
      for (const path of paths) {
        const real = await pages.realPath(jobId, path);
        if (real.ok) files.push(real.value);
      }
      return dragOut(context, files);
    },
  } satisfies Partial<Handlers>;
}

export function resultHandlers(context: AppContext) {
  const { host, allowed } = context;
  const pages = createResultPages(host);
  return {
    ...fileHandlers(context, pages),
    'result.detail': async ({ jobId }) => ok(await pages.detail(jobId)),
    'result.download': withConnection(host)(({ runner }, { jobId, to }) =>
      allowed.run([to], async () => {
        const batch = await resultsBatchOf(runner.pipeline, jobId);
        if (!batch.ok) return batch;
        const { folder } = await pages.detail(jobId);
        const target = to ?? folder ?? join(app.getPath('downloads'), 'Sluice', batch.value);
        allowed.allow([target]);
        host.downloads.start(runner.pipeline, { batchId: batch.value, jobId, to: target });
        return ok({ to: target });
      }),
    ),
    'result.unpack': async ({ jobId }) => {
      const unpacked = await pages.unpack(jobId);
      return unpacked.ok ? ok({ archives: unpacked.value }) : unpacked;
    },
    'result.files': async (query) => ok(await pages.files(query)),
  } satisfies Partial<Handlers>;
}
