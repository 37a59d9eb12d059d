/** What a batch offers for download, page by page, and the path of each file: DIR/<part or "files">/<name>. */
import { join, relative } from 'node:path';
import { fail, ok, type Result, sluiceError, type SluiceError } from '../../core/errors.ts';
import { localFileName, uniqueLocalName } from '../../files/names/localNames.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { crc32c } from '../../core/crc32c.ts';
import { MAX_PAGES } from '../../core/limits.ts';
import type { RemoteFile } from '../../core/model.ts';
import {
  addOutput,
  demandUnpacking,
  findOutput,
  type Output,
  outputPaths,
} from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';

/** What to fetch, and into which directory. */
export interface DownloadOrder {
  readonly batchId: string;
  /** Absolute directory. */
  readonly target: string;
  /** Only this part; null for everything. */
  readonly part: string | null;
  readonly unpack: boolean;
}

/** One page of the list as last read. Addresses expire after about a day; those of a page are renewed together. */
export interface ListedPage {
  readonly part: string | null;
  readonly token: string | null;
  readonly names: readonly string[];
  /** Secrets, in the order of the names. */
  urls: readonly string[];
}

export interface OfferedFile {
  readonly output: Output;
  readonly page: ListedPage;
  readonly index: number;
}

/** Paths in use in a target directory, so that no two files share a path on disks that ignore case. */
interface Places {
  /** Reserves a unique path for a file of a part. */
  take(part: string | null, fileName: string): string;
  isTaken(path: string): boolean;
}

/** The list of an order, read one page at a time. */
export interface Listing {
  readonly places: Places;
  /** The next page, already in the ledger; null at the end. After an error, the next call requests the same page. */
  next(): Promise<Result<readonly OfferedFile[] | null>>;
  /**
   * After the end: why the list cannot be complete. results.incomplete, or service.notFound if the service does not know the
   * batch. null when it seems complete.
   */
  lacks(): SluiceError | null;
  /** How many names were repeated. A list that shifts between two pages shows some files twice and others not at all. */
  doubled(): number;
  /** Equal for two readings that showed the same names equally often, in any order. */
  contents(): string;
}

/** Parts whose list and count were both empty when last requested → since when, in monotonic ms. */
export type EmptyParts = Map<string, number>;

/** Message for a batch that the service listed before but does not know at the moment. */
export const UNKNOWN_FOR_NOW = 'it does not know the batch at the moment';

const NO_PART = 'files';

function createPlaces(pipeline: Pipeline, target: string): Places {
  const keyOf = (path: string): string => nameKey(relative(target, path));
  const taken = new Set<string>();
  for (const path of outputPaths(pipeline.store, target)) taken.add(keyOf(path));
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
  /** Parts still to be listed, the current one first; null for the list without a part. */
  parts: (string | null)[];
  /** Every part with a name: each has its own list. */
  readonly named: ReadonlySet<string>;
  token: string | null;
  readonly tokens: Set<string>;
  /** Names in the current part → how often they occurred. */
  readonly seen: Map<string, number>;
  /** Number of files so far in the current part, and in all parts. */
  files: number;
  allFiles: number;
  /** Parts whose list and count are both empty. */
  readonly empty: string[];
  lacks: SluiceError | null;
  doubled: number;
  /** Sum of the checksums of all names. */
  nameSum: number;
}

async function begin(pipeline: Pipeline, order: DownloadOrder): Promise<Result<Cursor>> {
  const lists = { token: null, tokens: new Set<string>(), seen: new Map<string, number>() };
  const rest = { ...lists, files: 0, allFiles: 0, empty: [], lacks: null, doubled: 0, nameSum: 0 };
  if (order.part !== null) return ok({ parts: [order.part], named: new Set(), ...rest });
  const parts = await pipeline.client.batchParts(order.batchId, pipeline.signal);
  if (!parts.ok) return parts;
  const named = new Set(parts.value.map(({ name }) => name).filter((name) => name !== ''));
  // A part without a name cannot be requested: the list without a part shows its files.
  const isAllNamed = parts.value.length > 0 && parts.value.every(({ name }) => name !== '');
  return ok({ parts: [...named, ...(isAllNamed ? [] : [null])], named, ...rest });
}

/** Moves to the next page or part. Error: service.unexpectedAnswer for a list that repeats itself or never ends. */
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

/** The service's count; null when it reports twice that it has none: one odd answer must not hide what a list lacks. */
async function countOf(
  { client, signal }: Pipeline,
  batchId: string,
  part: string | null,
): Promise<Result<number | null>> {
  const first = await client.askCount(batchId, part, signal);
  return first.ok && first.value === null ? client.askCount(batchId, part, signal) : first;
}

/**
 * Notes why the list of a part, read to its end, cannot be complete: it is empty although the part exists, or the service
 * counts more. A missing count is no objection to a list that shows something.
 */
function noteLack(
  pipeline: Pipeline,
  order: DownloadOrder,
  cursor: Cursor,
  { part, isKnown, count }: { part: string | null; isKnown: boolean; count: number | null },
): void {
  const { batchId } = order;
  const listed = cursor.files;
  if (listed > 0 && (count === null || count <= listed)) return;
  if (listed === 0 && isKnown && count === 0) {
    cursor.empty.push(part ?? '');
    return;
  }
  const facts = { batch: batchId, part, listed, counted: count };
  pipeline.ports.log.write('warn', 'outputs.incomplete', facts);
  const knowsNothing = !isKnown && count === null && cursor.named.size === 0;
  cursor.lacks ??= knowsNothing
    ? sluiceError('service.notFound', { ...facts, said: `batch ${batchId}` })
    : sluiceError('results.incomplete', {
        ...facts,
        said: count === null ? 'it lists none' : `it lists ${listed} of ${count}`,
      });
}

/**
 * Why a list that has ended may still be incomplete; null when it seems complete. Results may be listed a minute after they
 * were made, so a part whose list and count are empty counts as complete only after it stayed empty for nearly as long as a
 * command waits for a list, and for longer if nothing at all is listed.
 */
function judgeEmpty(
  pipeline: Pipeline,
  { batchId }: DownloadOrder,
  { empty, allFiles, lacks }: Cursor,
  known: EmptyParts,
): SluiceError | null {
  const { resultsAgainMs, resultsPatienceMs, sentPatienceMs } = pipeline.times;
  const now = pipeline.ports.clock.monotonicMs();
  const since = new Map(empty.map((part) => [part, known.get(`${batchId}\n${part}`) ?? now]));
  for (const key of [...known.keys()]) if (key.startsWith(`${batchId}\n`)) known.delete(key);
  for (const [part, at] of since) known.set(`${batchId}\n${part}`, at);
  if (lacks !== null) return lacks;
  const usual = Math.max(resultsAgainMs, resultsPatienceMs - resultsAgainMs);
  const believedAfter = allFiles > 0 ? usual : Math.max(usual, sentPatienceMs);
  const young = [...since].find(([, at]) => now - at < believedAfter)?.[0];
  if (young === undefined) return null;
  const said = young === '' ? 'it lists none so far' : `part ${young} is empty so far`;
  return sluiceError('results.incomplete', { batch: batchId, said });
}

/** Writes a page into the ledger; a file keeps its path across runs. */
function note(
  pipeline: Pipeline,
  order: DownloadOrder,
  page: { cursor: Cursor; places: Places; part: string | null; files: readonly RemoteFile[] },
): readonly Output[] {
  const { store, connectionId, ports } = pipeline;
  const { target, batchId, unpack } = order;
  return store.transaction(() =>
    page.files.map((file) => {
      // A file in the list of a part belongs to that part, even if it names another.
      const part = page.part ?? file.partName;
      const twin = part === page.part ? file.fileName : `${part ?? ''}\n${file.fileName}`;
      const occurrence = page.cursor.seen.get(twin) ?? 0;
      page.cursor.seen.set(twin, occurrence + 1);
      const { fileName } = file;
      if (occurrence > 0) page.cursor.doubled += 1;
      page.cursor.nameSum += crc32c(Buffer.from(`${part ?? ''}\n${fileName}\n${occurrence}`), 0);
      const key = { connectionId, batchId, part: part ?? '', fileName, occurrence, target };
      const known = findOutput(store, key);
      if (known !== null && unpack && !known.unpack) demandUnpacking(store, known.id);
      if (known !== null) return { ...known, unpack };
      const path = page.places.take(part, fileName);
      return addOutput(store, { ...key, path, unpack }, ports.clock.now());
    }),
  );
}

/** Indexes of the files of a page that belong to the list being read. */
function ownFiles(
  files: readonly RemoteFile[],
  part: string | null,
  named: ReadonlySet<string>,
): readonly number[] {
  return files.flatMap(({ partName }, index) =>
    part === null && partName !== null && named.has(partName) ? [] : [index],
  );
}

/** Opens the list of an order. Sends no request before the first next(). */
export function openListing(
  pipeline: Pipeline,
  order: DownloadOrder,
  emptyParts: EmptyParts,
): Listing {
  const places = createPlaces(pipeline, order.target);
  let cursor: Cursor | null = null;
  let lacks: SluiceError | null = null;
  return {
    places,
    next: async () => {
      if (cursor === null) {
        const begun = await begin(pipeline, order);
        if (!begun.ok) return begun;
        cursor = begun.value;
      }
      const part = cursor.parts[0];
      if (part === undefined) {
        lacks = judgeEmpty(pipeline, order, cursor, emptyParts);
        return ok(null);
      }
      const { token } = cursor;
      const asked = await pipeline.client.askFilesPage(order.batchId, part, token, pipeline.signal);
      if (!asked.ok) return asked;
      if (asked.value === null && token !== null) {
        return fail('service.busy', { said: UNKNOWN_FOR_NOW });
      }
      const { items: all, nextPageToken } = asked.value ?? { items: [], nextPageToken: null };
      const isEnd = nextPageToken === null && (part !== null || cursor.named.size === 0);
      // Count before anything of the page is noted: if the count fails, the page is requested again.
      const counted = isEnd ? await countOf(pipeline, order.batchId, part) : null;
      if (counted?.ok === false) return counted;
      const own = ownFiles(all, part, cursor.named);
      const files = own.flatMap((index) => all[index] ?? []);
      const outputs = note(pipeline, order, { cursor, places, part, files });
      cursor.files += files.length;
      cursor.allFiles += files.length;
      if (counted !== null) {
        const isKnown = asked.value !== null;
        noteLack(pipeline, order, cursor, { part, isKnown, count: counted.value });
      }
      const advanced = advance(cursor, nextPageToken);
      if (!advanced.ok) return advanced;
      const page = {
        part,
        token,
        names: all.map((file) => file.fileName),
        urls: all.map((file) => file.url),
      };
      return ok(outputs.map((output, at) => ({ output, page, index: own[at] ?? at })));
    },
    lacks: () => lacks,
    doubled: () => cursor?.doubled ?? 0,
    contents: () => `${cursor?.allFiles ?? 0} ${cursor?.nameSum ?? 0}`,
  };
}
