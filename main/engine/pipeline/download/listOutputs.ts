/** What a batch offers for download, page by page, and where each file will stand: DIR/<part or "files">/<name>. */
import { join, relative } from 'node:path';
import { fail, ok, type Result, sluiceError, type SluiceError } from '../../core/errors.ts';
import { localFileName, uniqueLocalName } from '../../files/names/localNames.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { MAX_PAGES } from '../../core/limits.ts';
import type { RemoteFile } from '../../core/model.ts';
import {
  addOutput,
  demandUnpacking,
  findOutput,
  type Output,
  outputPaths,
} from '../../store/tables/outputs.ts';
import type { Line } from '../context.ts';

/** What is to be fetched and where to. */
export interface Order {
  readonly batchId: string;
  /** Absolute directory. */
  readonly target: string;
  /** Only this part; null: everything. */
  readonly part: string | null;
  readonly unpack: boolean;
}

/** One page of the list as last read. Addresses end after about a day; all of a page are read anew together. */
export interface ListedPage {
  readonly part: string | null;
  readonly token: string | null;
  readonly names: readonly string[];
  /** Secrets, in the order of the names. */
  urls: readonly string[];
}

/** An output file and where the address that brings it stands. */
export interface Offered {
  readonly output: Output;
  readonly page: ListedPage;
  readonly index: number;
}

/** Paths that are taken in a target directory, so that no two files get one path on disks that do not tell case apart. */
interface Places {
  /** A path for a file of a part that no other has. */
  take(part: string | null, fileName: string): string;
  isTaken(path: string): boolean;
}

/** The list of an order, read one page at a time. */
export interface Listing {
  readonly places: Places;
  /** The next page, written into the ledger; null at the end. After an error the same page is asked for again. */
  next(): Promise<Result<readonly Offered[] | null>>;
  /** After the end: why the list cannot be all there is (results.incomplete); null: nothing speaks against it. */
  lacks(): SluiceError | null;
}

/** The directory of files that belong to no part. */
const NO_PART = 'files';

function createPlaces(line: Line, target: string): Places {
  const keyOf = (path: string): string => nameKey(relative(target, path));
  const taken = new Set<string>();
  for (const path of outputPaths(line.store, target)) taken.add(keyOf(path));
  return {
    isTaken: (path) => taken.has(keyOf(path)),
    take: (part, fileName) => {
      const directory = join(target, part === null ? NO_PART : localFileName(part));
      const key = (name: string): string => keyOf(join(directory, name));
      const name = uniqueLocalName(localFileName(fileName), taken, key);
      taken.add(key(name));
      return join(directory, name);
    },
  };
}

interface Cursor {
  /** Parts that are still to be listed, the present one first; null: the list without a part. */
  parts: (string | null)[];
  token: string | null;
  readonly tokens: Set<string>;
  /** Names of the present part → how often they came. */
  readonly seen: Map<string, number>;
  /** Files of the present part so far. */
  files: number;
  lacks: SluiceError | null;
}

async function begin(line: Line, order: Order): Promise<Result<Cursor>> {
  const lists = { token: null, tokens: new Set<string>(), seen: new Map<string, number>() };
  const rest = { ...lists, files: 0, lacks: null };
  if (order.part !== null) return ok({ parts: [order.part], ...rest });
  const parts = await line.client.batchParts(order.batchId, line.signal);
  if (!parts.ok) return parts;
  const names = [...new Set(parts.value.map((part) => part.name))];
  return ok({ parts: names.length === 0 ? [null] : names, ...rest });
}

/** Moves on to the next page or part. Error: service.unexpectedAnswer for a list that repeats itself or never ends. */
function advance(cursor: Cursor, token: string | null): Result<void> {
  if (token === null) {
    cursor.parts.shift();
    cursor.seen.clear();
    cursor.tokens.clear();
    cursor.files = 0;
  } else if (cursor.tokens.has(token) || cursor.tokens.size >= MAX_PAGES) {
    return fail('service.unexpectedAnswer', { reason: 'endless list' });
  } else cursor.tokens.add(token);
  cursor.token = token;
  return ok(undefined);
}

/**
 * Why the list of a part, read to its end, cannot be all of it: it is empty though the part is there, or the service
 * counts more. null: nothing speaks against it; a count that cannot be had does not.
 */
async function lackOf(
  line: Line,
  order: Order,
  part: string | null,
  listed: number,
): Promise<SluiceError | null> {
  const counted = await line.client.batchCount(order.batchId, part, line.signal);
  const count = counted.ok ? counted.value : null;
  if (listed > 0 && (count === null || count <= listed)) return null;
  const facts = { batch: order.batchId, part, listed, counted: count };
  line.ports.log.write('warn', 'outputs.incomplete', facts);
  return sluiceError('results.incomplete', facts);
}

/** Writes a page into the ledger; a file keeps its place across runs. */
function note(
  line: Line,
  order: Order,
  page: { cursor: Cursor; places: Places; part: string | null; files: readonly RemoteFile[] },
): readonly Output[] {
  const { store, connectionId, ports } = line;
  const { target, batchId, unpack } = order;
  return store.transaction(() =>
    page.files.map((file) => {
      // What stands in the list of a part belongs to it, whatever else it says of itself.
      const part = page.part ?? file.partName;
      const twin = part === page.part ? file.fileName : `${part ?? ''}\n${file.fileName}`;
      const occurrence = page.cursor.seen.get(twin) ?? 0;
      page.cursor.seen.set(twin, occurrence + 1);
      const { fileName, shardId } = file;
      const key = { connectionId, batchId, part: part ?? '', fileName, occurrence, target };
      const known = findOutput(store, key);
      if (known !== null && unpack && !known.unpack) demandUnpacking(store, known.id);
      if (known !== null) return { ...known, unpack };
      const path = page.places.take(part, fileName);
      return addOutput(store, { ...key, path, unpack, shardId }, ports.clock.now());
    }),
  );
}

/** Opens the list of an order. Nothing is asked before the first page is. */
export function openListing(line: Line, order: Order): Listing {
  const places = createPlaces(line, order.target);
  let cursor: Cursor | null = null;
  return {
    places,
    next: async () => {
      if (cursor === null) {
        const begun = await begin(line, order);
        if (!begun.ok) return begun;
        cursor = begun.value;
      }
      const part = cursor.parts[0];
      if (part === undefined) return ok(null);
      const { token } = cursor;
      const asked = await line.client.batchFilesPage(order.batchId, part, token, line.signal);
      if (!asked.ok) return asked;
      const { items, nextPageToken } = asked.value;
      const outputs = note(line, order, { cursor, places, part, files: items });
      cursor.files += items.length;
      if (nextPageToken === null) {
        const lack = await lackOf(line, order, part, cursor.files);
        cursor.lacks ??= lack;
      }
      const advanced = advance(cursor, nextPageToken);
      if (!advanced.ok) return advanced;
      const urls = items.map((file) => file.url);
      const page = { part, token, names: items.map((file) => file.fileName), urls };
      return ok(outputs.map((output, index) => ({ output, page, index })));
    },
    lacks: () => cursor?.lacks ?? null,
  };
}
