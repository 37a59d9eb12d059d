import { ok, type Result } from '../core/errors.ts';
import type { OutputRow } from '../core/model.ts';
import type { WorkingConnection } from '../host/workingConnection.ts';
import { text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

const MOST_OUTPUTS = 2000;

/** Local paths of the downloaded files of a part, by name, read with one query. */
function pathsHere(
  store: Store,
  connectionId: number,
  batchId: string,
  part: string,
): ReadonlyMap<string, string> {
  const sql = `SELECT file_name, path FROM outputs
     WHERE connection_id = ? AND batch_id = ? AND part = ? AND state = 'done' ORDER BY id DESC`;
  const rows = store.all(sql, connectionId, batchId, part);
  return new Map(rows.map((row) => [text(row, 'file_name'), text(row, 'path')]));
}

/** The files in a batch, with their local paths where downloaded. */
export async function batchOutputs(
  connection: WorkingConnection,
  batchId: string,
): Promise<Result<readonly OutputRow[]>> {
  const { client, signal, store, connectionId } = connection.runner.pipeline;
  const parts = await client.batchParts(batchId, signal);
  if (!parts.ok) return parts;
  const names = parts.value.length === 0 ? [null] : parts.value.map(({ name }) => name);
  const rows: OutputRow[] = [];
  for (const part of names) {
    const files = await client.batchFiles(batchId, part, signal);
    if (!files.ok) return files;
    const here = pathsHere(store, connectionId, batchId, part ?? '');
    for (const { fileName, contentType } of files.value.slice(0, MOST_OUTPUTS - rows.length)) {
      rows.push({ part, fileName, contentType, path: here.get(fileName) ?? null });
    }
  }
  return ok(rows);
}
