/** Results of jobs for the window, from the ledger and the disk: even after a restart, offline, and once the service deleted them. */
import type { InputOf } from '../core/contract.ts';
import { fail, ok, type Result, usage } from '../core/errors.ts';
import type { PageOf, ResultFile, ResultKind, ResultsView } from '../core/model.ts';
import type { Files, Ports } from '../core/ports.ts';
import type { ActiveDownloads } from '../jobs/activeDownloads.ts';
import { resultBatchesOf } from '../jobs/downloads.ts';
import { codeOrNull, integer, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { jobByServiceId, type StoredJob } from '../store/tables/jobs.ts';
import { sortedResultFiles } from './listSort.ts';
import { listResultFiles, type ResultFiles } from './resultFiles.ts';
import { isInside } from '../core/isInside.ts';
import { holds } from './mergedPage.ts';

const MOST_TABLES = 200;
/** How long a folder's listing is reused, in ms. Our choice. */
const FILES_MS = 5_000;

/** The folder that a results batch was last downloaded to; null when it never was. */
function tallyOf(store: Store, connectionId: number, batchId: string) {
  const sql = `SELECT target, count(*) AS known, coalesce(sum(state = 'done'), 0) AS here,
       coalesce(sum(CASE WHEN state = 'done' THEN size_bytes END), 0) AS bytes,
       min(last_code) AS code
     FROM outputs INDEXED BY outputs_batch WHERE connection_id = ? AND batch_id = ?
     GROUP BY target ORDER BY max(state_at) DESC LIMIT 1`;
  const row = store.get(sql, connectionId, batchId);
  if (row === null) return null;
  return {
    batchId,
    target: text(row, 'target'),
    known: integer(row, 'known'),
    here: integer(row, 'here'),
    bytes: integer(row, 'bytes'),
    code: codeOrNull(row, 'code'),
  };
}

interface PagesDeps {
  readonly store: Store;
  readonly ports: Pick<Ports, 'clock' | 'files'>;
  readonly downloads: Pick<ActiveDownloads, 'views'>;
  readonly selectedId: () => number;
  readonly signal: AbortSignal;
}

type Tally = Readonly<NonNullable<ReturnType<typeof tallyOf>>>;

/** What the ledger knows about the results of a job of the selected connection. */
function knownOf({ store, selectedId }: PagesDeps, jobId: string) {
  const connectionId = selectedId();
  const job = jobByServiceId(store, connectionId, jobId);
  const tally: Tally | null =
    resultBatchesOf(jobId, job?.resultsBatch ?? null)
      .map((batchId) => tallyOf(store, connectionId, batchId))
      .find((found) => found !== null) ?? null;
  return { connectionId, jobId, job, tally };
}

type Known = Readonly<ReturnType<typeof knownOf>>;

function stateOf(
  tally: Tally | null,
  folderIsThere: boolean,
  missing: number,
): ResultsView['state'] {
  if (tally === null || (tally.here === 0 && tally.code === null)) return 'none';
  if (tally.here > 0 && !folderIsThere) return 'gone';
  return tally.here === tally.known && missing === 0 ? 'here' : 'incomplete';
}

const NO_FILES: ResultFiles = { files: [], missing: 0, packed: [] };

function countKinds(files: readonly ResultFile[]): Readonly<Record<ResultKind, number>> {
  const counts = { table: 0, image: 0, archive: 0, other: 0 };
  for (const { kind } of files) counts[kind] += 1;
  return counts;
}

/** Unpacks archives one after the other; stops at the first that fails. */
async function unpackAll(
  files: Files,
  packed: ResultFiles['packed'],
  signal: AbortSignal,
): Promise<Result<number>> {
  for (const { archive, directory } of packed) {
    const unpacked = await files.unpack(archive, directory, signal);
    if (!unpacked.ok) return unpacked;
  }
  return ok(packed.length);
}

/** True while the results of a job are downloaded automatically, or will be at once. */
function comesByItself(job: StoredJob | null): boolean {
  return (
    job?.state === 'succeeded' && job.downloadTo !== null && job.lastCode === null && !job.fetched
  );
}

/** The real path of a listed file, provided that it is in the results folder. */
async function followInside(files: Files, path: string, folder: string): Promise<Result<string>> {
  const [real, target] = await Promise.all([files.realPath(path), files.realPath(folder)]);
  if (real === null || target === null) return fail('item.gone', { path });
  return isInside(real, target) ? ok(real) : usage('this file is not in its folder');
}

async function detailOf(
  { ports, downloads }: PagesDeps,
  { connectionId, jobId, job, tally }: Known,
  { files, missing, packed }: ResultFiles,
): Promise<ResultsView> {
  const running = downloads
    .views(connectionId)
    .find((view) => view.jobId === jobId && view.state === 'running');
  const folderIsThere = tally !== null && (await ports.files.typeOf(tally.target)) !== null;
  const isComing = comesByItself(job) || running !== undefined;
  // The error of a failed job is not about its results.
  const why = job?.state === 'succeeded' ? job.lastCode : null;
  const state = stateOf(tally, folderIsThere, missing);
  return {
    jobId,
    state: isComing ? 'fetching' : state === 'none' && why !== null ? 'incomplete' : state,
    folder: running?.to ?? tally?.target ?? job?.downloadTo ?? null,
    automatic: (job?.downloadTo ?? null) !== null,
    known: tally?.known ?? 0,
    here: Math.max(0, (tally?.here ?? 0) - missing),
    bytes: tally?.bytes ?? 0,
    code: why ?? tally?.code ?? null,
    counts: countKinds(files),
    packed: packed.length,
    tables: files.filter(({ kind }) => kind === 'table').slice(0, MOST_TABLES),
  };
}

/** Creates the reader of results; a folder is listed again after a few seconds. */
export function createResultPages(deps: PagesDeps) {
  const { store, signal } = deps;
  const { clock, files } = deps.ports;
  let listed: { key: string; at: number; found: Promise<ResultFiles> } | null = null;
  const unpacking = new Map<string, Promise<Result<number>>>();
  const filesOf = ({ connectionId, tally }: Known): Promise<ResultFiles> => {
    if (tally === null) return Promise.resolve(NO_FILES);
    const key = JSON.stringify([connectionId, tally.batchId, tally.target, tally.here]);
    const now = clock.monotonicMs();
    if (listed?.key !== key || now - listed.at >= FILES_MS) {
      listed = { key, at: now, found: listResultFiles(store, files, connectionId, tally) };
    }
    return listed.found;
  };
  return {
    detail: async (jobId: string) => {
      const known = knownOf(deps, jobId);
      return detailOf(deps, known, await filesOf(known));
    },
    /** Result files of one kind whose names contain the search text. */
    files: async (query: InputOf<'result.files'>): Promise<PageOf<ResultFile>> => {
      const { jobId, kind, search, offset, limit, sort = 'listed', descending = false } = query;
      const found = await filesOf(knownOf(deps, jobId));
      const fits = found.files.filter((file) => file.kind === kind && holds(file.name, search));
      const rows = sortedResultFiles(fits, sort, descending).slice(offset, offset + limit);
      return { total: fits.length, rows };
    },
    /** The real path of a result file. Errors: usage.invalid for any other file, item.gone. */
    realPath: async (jobId: string, path: string) => {
      const known = knownOf(deps, jobId);
      const found = await filesOf(known);
      if (known.tally === null || !found.files.some((file) => file.path === path)) {
        return usage('this is not a result file');
      }
      // A folder along the path, or the file itself, may have become a link since.
      return followInside(files, path, known.tally.target);
    },
    /** Unpacks downloaded archives next to themselves. Returns how many. Errors as for Files.unpack. */
    unpack: async (jobId: string) => {
      const running = unpacking.get(jobId);
      if (running !== undefined) return running;
      const work = filesOf(knownOf(deps, jobId))
        .then(({ packed }) => unpackAll(files, packed, signal))
        .finally(() => {
          unpacking.delete(jobId);
          listed = null;
        });
      unpacking.set(jobId, work);
      return work;
    },
  };
}

export type ResultPages = ReturnType<typeof createResultPages>;
