/** The thread that reads tables: a large or hostile file can end only this thread. */
import { parentPort } from 'node:worker_threads';
import type { TablePage, TableQuery } from '../../core/model.ts';
import { markOf, readTable } from './readTable.ts';
import { createTableView } from './tableView.ts';

/** To the thread. Both sides are from the same build, so nothing is parsed. */
export interface TableRequest {
  readonly id: number;
  readonly path: string;
  readonly query: TableQuery;
}

/** From the thread: a page, or null when the file cannot be read. */
export interface TableReply {
  readonly id: number;
  readonly page: TablePage | null;
}

/** Number of tables kept open: the most recently used. */
const MOST_OPEN = 2;

interface OpenTable {
  readonly mark: string;
  readonly view: (query: TableQuery) => TablePage;
}

const open = new Map<string, OpenTable>();

async function tableAt(path: string): Promise<OpenTable> {
  const mark = await markOf(path);
  const known = open.get(path);
  open.delete(path);
  // Dropped before reading: three large tables at once may not fit in memory.
  for (const old of open.keys()) if (open.size >= MOST_OPEN) open.delete(old);
  if (known?.mark === mark) {
    open.set(path, known);
    return known;
  }
  const read = await readTable(path);
  const table = { mark: read.mark, view: createTableView(read.table) };
  open.set(path, table);
  return table;
}

async function answer({ id, path, query }: TableRequest): Promise<void> {
  let page: TablePage | null = null;
  try {
    page = (await tableAt(path)).view(query);
  } catch {
    open.delete(path);
  }
  parentPort?.postMessage({ id, page } satisfies TableReply);
}

let last = Promise.resolve();
parentPort?.on('message', (request: TableRequest) => {
  // One after the other: the same file is not read twice at once.
  last = last.then(() => answer(request));
});
