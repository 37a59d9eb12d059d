/** What a batch offers for download, page by page. */
import { fail, ok, type Result, sluiceError, type SluiceError } from '../../core/errors.ts';
import { MAX_PAGES } from '../../core/limits.ts';
import type { RemoteFile } from '../../core/model.ts';
import { demandUnpacking, type Output } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';
import { createRecognizer, type ListedRow, type Recognizer } from './outputOf.ts';
import { createPlaces } from './places.ts';
import { objectAt } from './storedObject.ts';

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
interface ListedPage {
  readonly part: string | null;
  readonly token: string | null;
  readonly names: readonly string[];
  /** Secrets, in the order of the names. */
  urls: readonly string[];
  /** The request that reads the page again while it runs, so that lanes with files of the same page request it only once. */
  reading: Promise<Result<boolean>> | null;
}

export interface OfferedFile {
  readonly output: Output;
  readonly page: ListedPage;
  readonly index: number;
}

/** Parts whose list and count were both empty when last requested → since when, in monotonic ms. */
export type EmptyParts = Map<string, number>;

/** Message for a batch that the service listed before but does not know at the moment. */
export const UNKNOWN_FOR_NOW = 'it does not know the batch at the moment';

interface Cursor {
  /** Parts still to be listed, the current one first; null for the list without a part. */
  parts: (string | null)[];
  /** Every part with a name: each has its own list. */
  readonly named: ReadonlySet<string>;
  token: string | null;
  readonly tokens: Set<string>;
  /** Rows of the current part whose output can only be determined at the end of its list. */
  unclear: { readonly row: ListedRow; readonly page: ListedPage; readonly index: number }[];
  /** Number of files so far in the current part, and in all parts. */
  files: number;
  allFiles: number;
  /** Parts whose list and count are both empty. */
  readonly empty: string[];
  lacks: SluiceError | null;
  counted: number | null;
}

async function begin(pipeline: Pipeline, order: DownloadOrder): Promise<Result<Cursor>> {
  const lists = { token: null, tokens: new Set<string>(), unclear: [] };
  const rest = { ...lists, files: 0, allFiles: 0, counted: 0, empty: [], lacks: null };
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
    cursor.unclear = [];
    cursor.tokens.clear();
    cursor.files = 0;
  } else if (cursor.tokens.has(token) || cursor.tokens.size >= MAX_PAGES) {
    return fail('service.unexpectedAnswer', { reason: 'its list never ends' });
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
 * Notes why the list of a part cannot be complete: it is empty although the part exists, or the service counts more files. If the service
 * states no count, any list that is not empty counts as complete.
 */
function noteLack(
  pipeline: Pipeline,
  order: DownloadOrder,
  cursor: Cursor,
  { part, isKnown, count }: { part: string | null; isKnown: boolean; count: number | null },
): void {
  const { batchId } = order;
  const listed = cursor.files;
  cursor.counted = count === null || cursor.counted === null ? null : cursor.counted + count;
  if (listed > 0 && (count === null || count <= listed)) return;
  if (listed === 0 && isKnown && count === 0) {
    cursor.empty.push(part ?? '');
    return;
  }
  const facts = { batch: batchId, part, listed, counted: count };
  pipeline.ports.log.write('warn', 'outputs.incomplete', facts);
  const ofPart = order.part === null ? '' : `part ${order.part} of `;
  const knowsNothing = !isKnown && count === null && cursor.named.size === 0;
  cursor.lacks ??= knowsNothing
    ? sluiceError('service.notFound', { ...facts, said: `${ofPart}batch ${batchId}` })
    : sluiceError('results.incomplete', {
        ...facts,
        said: count === null ? 'it lists none' : `it lists ${listed} of ${count}`,
      });
}

/**
 * Why a list that has ended may be incomplete; null when it seems complete. Results may be listed a minute late, so an empty part counts as
 * complete only after it stayed empty for nearly as long as a command waits for a list; longer if nothing at all is listed.
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
  { store, connectionId }: Pipeline,
  { batchId, target, unpack }: DownloadOrder,
  { cursor, recognizer }: { cursor: Cursor; recognizer: Recognizer },
  read: {
    page: ListedPage;
    files: readonly RemoteFile[];
    own: readonly number[];
    isEnd: boolean;
  },
): readonly OfferedFile[] {
  const { page } = read;
  const rows = read.files.map((file): ListedRow => {
    // A file in the list of a part belongs to that part, even if it names another.
    const part = page.part ?? file.partName ?? '';
    const name = { connectionId, batchId, target, part, fileName: file.fileName };
    return { name, object: objectAt(file.url) };
  });
  const offer = (output: Output, at: ListedPage, index: number): OfferedFile => {
    if (unpack && !output.unpack) demandUnpacking(store, output.id);
    return { output: { ...output, unpack }, page: at, index };
  };
  return store.transaction(() => {
    const offered = rows.flatMap((row, at) => {
      const index = read.own[at] ?? at;
      const output = recognizer.recognize(row, rows);
      if (output === 'later') cursor.unclear.push({ row, page, index });
      return typeof output === 'string' ? [] : [offer(output, page, index)];
    });
    if (!read.isEnd) return offered;
    const rest = cursor.unclear.map((one) =>
      offer(recognizer.settle(one.row), one.page, one.index),
    );
    recognizer.endPart();
    return [...offered, ...rest];
  });
}

/** Indexes of those files of a page that belong to the list being read. */
function ownFiles(
  files: readonly RemoteFile[],
  part: string | null,
  named: ReadonlySet<string>,
): readonly number[] {
  return files.flatMap(({ partName }, index) =>
    part === null && partName !== null && named.has(partName) ? [] : [index],
  );
}

/** Opens the list of an order, read one page at a time. Sends no request before the first next(). */
export function openListing(pipeline: Pipeline, order: DownloadOrder, emptyParts: EmptyParts) {
  const places = createPlaces(pipeline, order.target);
  const recognizer = createRecognizer(pipeline, places.take, order.unpack);
  let cursor: Cursor | null = null;
  let lacks: SluiceError | null = null;
  return {
    places,
    /** The next page, already in the ledger; null at the end. After an error, the next call requests the same page. */
    next: async (): Promise<Result<readonly OfferedFile[] | null>> => {
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
      const page = {
        part,
        token,
        names: all.map((file) => file.fileName),
        urls: all.map((file) => file.url),
        reading: null,
      };
      const read = { page, files, own, isEnd: nextPageToken === null };
      const offered = note(pipeline, order, { cursor, recognizer }, read);
      cursor.files += files.length;
      cursor.allFiles += files.length;
      if (counted !== null) {
        const isKnown = asked.value !== null;
        noteLack(pipeline, order, cursor, { part, isKnown, count: counted.value });
      }
      const advanced = advance(cursor, nextPageToken);
      if (!advanced.ok) return advanced;
      return ok(offered);
    },
    /** After the end: why the list is incomplete (results.incomplete, or service.notFound for an unknown batch); null when it seems complete. */
    lacks: () => lacks,
    /** How many names were repeated. A list that shifts between two pages shows some files twice and others not at all. */
    doubled: recognizer.doubled,
    /** True when a stored object was listed twice in a part. */
    repeats: recognizer.repeats,
    /** How many files the service counts in all parts; null when it does not say. */
    counted: () => cursor?.counted ?? null,
    /** Equal for two readings that showed the same names equally often, in any order. */
    contents: () => `${cursor?.allFiles ?? 0} ${recognizer.nameSum()}`,
  };
}

export type Listing = ReturnType<typeof openListing>;
