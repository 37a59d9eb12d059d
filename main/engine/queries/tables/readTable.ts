/** Reads as much of a table file as is shown. Parsing takes long, so use it only in a separate thread. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { encodePath } from '../../files/names/pathBytes.ts';
import { csvParser, type Table } from '../../core/csv.ts';
import { jsonLinesParser } from './jsonLines.ts';

/** Limits of what is read. Our choice: as much as a person looks through; the file itself has everything. */
const BOUNDS = { maxRows: 500_000, maxColumns: 100, maxCell: 2_000 } as const;
const MAX_BYTES = 128 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Opens a table file; its `mark` differs when it has changed. Links were resolved before, so none is followed here; a pipe must not block.
 */
async function openRegular(path: string) {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(encodePath(path), flags);
  const facts = await handle.stat();
  if (facts.isFile()) return { handle, mark: `${facts.ino} ${facts.size} ${facts.mtimeMs}` };
  await handle.close();
  throw new Error('no regular file');
}

/** The mark of a file: it differs when the file has changed. Throws the system's error. */
export async function markOf(path: string): Promise<string> {
  const { handle, mark } = await openRegular(path);
  await handle.close();
  return mark;
}

/** Reads a file as CSV, or as JSON lines, depending on its name. Throws the system's error. */
export async function readTable(
  path: string,
): Promise<{ readonly table: Table; readonly mark: string }> {
  const { handle, mark } = await openRegular(path);
  try {
    const parser = /\.(jsonl|ndjson)$/i.test(path) ? jsonLinesParser(BOUNDS) : csvParser(BOUNDS);
    const decoder = new TextDecoder('utf-8');
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let wantsMore = true;
    let total = 0;
    while (wantsMore && total < MAX_BYTES) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      total += bytesRead;
      wantsMore = parser.push(decoder.decode(buffer.subarray(0, bytesRead), { stream: true }));
    }
    const table = parser.end();
    return { table: { ...table, truncated: table.truncated || total >= MAX_BYTES }, mark };
  } finally {
    await handle.close();
  }
}
