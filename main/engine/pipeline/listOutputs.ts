/** What a batch offers for download, and where each file will stand: DIR/<part or "files">/<name>. */
import { join } from 'node:path';
import type { Result } from '../../../preload/errorCodes.ts';
import { ok } from '../errors.ts';
import { localFileName, uniqueLocalName } from '../files/localNames.ts';
import { nameKey } from '../files/safeNames.ts';
import type { RemoteFile } from '../model.ts';
import {
  addOutput,
  demandUnpacking,
  findOutput,
  type Output,
  outputsOf,
} from '../store/outputs.ts';
import type { Line } from './line.ts';

/** What is to be fetched and where to. */
export interface Order {
  readonly batchId: string;
  /** Absolute directory. */
  readonly target: string;
  /** Only this part; null: everything. */
  readonly part: string | null;
  readonly unpack: boolean;
}

/** An output file and the address that brings it now; the address is a secret. */
export interface Offered {
  readonly output: Output;
  readonly url: string;
}

/** The directory of files that belong to no part. */
const NO_PART = 'files';

/** Reads every file of every part. */
async function readFiles(line: Line, order: Order): Promise<Result<readonly RemoteFile[]>> {
  const { client, signal } = line;
  const parts = await client.batchParts(order.batchId, signal);
  if (!parts.ok) return parts;
  const names = parts.value.map((part) => part.name);
  if (order.part !== null) return client.batchFiles(order.batchId, order.part, signal);
  if (names.length === 0) return client.batchFiles(order.batchId, null, signal);
  const all: RemoteFile[] = [];
  for (const name of names) {
    const files = await client.batchFiles(order.batchId, name, signal);
    if (!files.ok) return files;
    all.push(...files.value.map((file) => ({ ...file, partName: file.partName ?? name })));
  }
  return ok(all);
}

/** Keys of paths that are taken, so that no two files meet on disks that do not tell case apart. */
function takenKeys(outputs: readonly Output[]): Set<string> {
  return new Set(outputs.map((output) => nameKey(output.path)));
}

function placeFor(order: Order, file: RemoteFile, taken: Set<string>): string {
  const part = file.partName ?? order.part;
  const directory = join(order.target, part === null ? NO_PART : localFileName(part));
  const key = (name: string): string => nameKey(join(directory, name));
  const name = uniqueLocalName(localFileName(file.fileName), taken, key);
  taken.add(key(name));
  return join(directory, name);
}

/** Lists what is offered and writes it into the ledger; a file keeps its place across runs. */
export async function listOutputs(line: Line, order: Order): Promise<Result<readonly Offered[]>> {
  const files = await readFiles(line, order);
  if (!files.ok) return files;
  const { store, connectionId, ports } = line;
  return ok(
    store.transaction(() => {
      const taken = takenKeys(outputsOf(store, connectionId, order.target));
      const seen = new Map<string, number>();
      return files.value.map((file) => {
        const part = file.partName ?? order.part ?? '';
        const twin = `${part}\n${file.fileName}`;
        const occurrence = seen.get(twin) ?? 0;
        seen.set(twin, occurrence + 1);
        const { target, batchId, unpack } = order;
        const key = { connectionId, batchId, part, fileName: file.fileName, occurrence, target };
        const known = findOutput(store, key);
        if (known !== null && unpack && !known.unpack) demandUnpacking(store, known.id);
        if (known !== null) return { output: { ...known, unpack }, url: file.url };
        const place = { path: placeFor(order, file, taken), unpack, shardId: file.shardId };
        return { output: addOutput(store, { ...key, ...place }, ports.clock.now()), url: file.url };
      });
    }),
  );
}
