/** Reads tables of results in a separate thread. */
import { Worker } from 'node:worker_threads';
import { fail, ok, type Result } from '../../core/errors.ts';
import type { TablePage, TableQuery } from '../../core/model.ts';
import type { TableReply, TableRequest } from './tableWorker.ts';

/** Memory of the thread, in MB: 500,000 rows need about half of it. A file that needs more ends the thread, not the program. */
const MAX_MEMORY_MB = 1024;

export function createTableReader() {
  const waiting = new Map<number, (page: TablePage | null) => void>();
  let thread: Worker | null = null;
  let last = 0;
  const start = (): Worker => {
    const worker = new Worker(new URL('./tableWorker.ts', import.meta.url), {
      name: 'sluice-tables',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    });
    worker.unref();
    worker.on('message', ({ id, page }: TableReply) => {
      waiting.get(id)?.(page);
      waiting.delete(id);
    });
    // The exit event follows; without a listener the error would end the program.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (thread === worker) thread = null;
      for (const resolve of waiting.values()) resolve(null);
      waiting.clear();
    });
    return worker;
  };
  return {
    /** A page of the CSV or JSON lines file at a path with resolved links. Error: item.unreadable, also when the file is too large. */
    page: async (path: string, query: TableQuery): Promise<Result<TablePage>> => {
      thread ??= start();
      last += 1;
      const id = last;
      const answer = new Promise<TablePage | null>((resolve) => waiting.set(id, resolve));
      thread.postMessage({ id, path, query } satisfies TableRequest);
      const page = await answer;
      return page === null ? fail('item.unreadable', { path }) : ok(page);
    },
    close: async () => {
      await thread?.terminate();
    },
  };
}
