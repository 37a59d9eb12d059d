/** Everything that waits, from the ledger alone: the same list everywhere, whether or not the program that wrote it still runs. */
import type { WaitKind, WaitView } from '../core/model.ts';
import {
  RETENTION_MS,
  UNLISTED_SHOWN_MS,
  UNSTABLE_SHOWN_MS,
  WAIT_ATTENTION_MS,
} from '../core/limits.ts';
import { isPaused } from '../runner/liveSettings.ts';
import { codeOrNull, integer, integerOrNull, type Row, text, textOrNull } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { IS_WITHOUT_JOB } from '../store/queue/closing.ts';
import { hasUnsent } from '../store/queue/waiting.ts';
import { engineBehindMs } from '../store/tables/engineClock.ts';
import { type StoredWait, waitsOf } from '../store/tables/waits.ts';
import { MOST_WAITS, NOT_PAUSED, WAIT_QUERIES } from './waitQueries.ts';

/** A wait, before its age is considered. */
export type OpenWait = Omit<WaitView, 'attention'>;

const NOTED: Readonly<Record<string, WaitKind>> = {
  connection: 'connection',
  send: 'sending',
  ask: 'asking',
  fetch: 'fetching',
  files: 'files',
  plan: 'planning',
  job: 'jobs',
  batch: 'batch',
  hold: 'held',
  ready: 'ready',
  download: 'download',
  watch: 'watch',
  moving: 'moving',
};

/**
 * Waits whose beginning is noted in engine time. The others note their beginning by this computer's clock, as unread files note their next
 * look.
 */
const BEGUN_BY_ENGINE: ReadonlySet<WaitKind> = new Set([
  ...Object.values(NOTED).filter((kind) => kind !== 'files'),
  ...(['failing', 'unlisted'] as const),
]);

/** The same wait with its times converted to this computer's clock. */
function byClock(wait: OpenWait, behindMs: number): OpenWait {
  const { kind, since, nextAt } = wait;
  return {
    ...wait,
    since: since === null || !BEGUN_BY_ENGINE.has(kind) ? since : since + behindMs,
    nextAt: nextAt === null || kind === 'unstable' ? nextAt : nextAt + behindMs,
  };
}

/** Waits that name a job. */
const OF_A_JOB: readonly WaitKind[] = ['starting', 'following', 'results'];

/** The paths of a watch: the path as it was given, and the directory that its files are moved to. */
const WATCH_PATHS: Readonly<Partial<Record<WaitKind, string>>> = {
  watch: `coalesce(json_extract(rule, '$.link'), directory)`,
  moving: `json_extract(rule, '$.moveTo')`,
};

/** A path of an active watch; null when it has none, or when the watch has been paused or removed since. */
function nameOfWatch(store: Store, path: string, id: string): string | null {
  const sql = `SELECT ${path} AS path FROM watches WHERE id = ? AND state = 'active' AND ${path} IS NOT NULL`;
  return store.one((row) => text(row, 'path'), sql, Number(id));
}

/** Whether a noted wait (?1 connection, ?2 name) still applies: the thing that waited may have ended in another way. */
const STILL: Readonly<Partial<Record<WaitKind, string>>> = {
  job: `SELECT 1 FROM jobs WHERE connection_id = ?1 AND job_id = ?2 AND state = 'running'`,
  held: `SELECT 1 FROM batches CROSS JOIN transfers INDEXED BY transfers_batch ON transfers.batch_row = batches.id
    WHERE batches.connection_id = ?1 AND batch_id = ?2 AND transfers.state IN ('planned', 'registered') AND ${NOT_PAUSED}`,
  ready: `SELECT 1 FROM batches JOIN watches ON watches.id = batches.watch_id
    WHERE batches.connection_id = ?1 AND batches.batch_id = ?2 AND watches.state <> 'removed'
      AND json_extract(watches.rule, '$.job') IS NOT NULL AND ${IS_WITHOUT_JOB}`,
};

/** A noted wait; a subject from a later version is shown as a wait of the whole connection. Empty for a wait that is over. */
function fromNote(store: Store, workspace: string, wait: StoredWait): readonly OpenWait[] {
  const [head = '', ...rest] = wait.subject.split(':');
  // The files that wait because of this have waits of their own.
  if (head === 'unknown' || head === 'drive') return [];
  const named = rest.length === 0 ? null : rest.join(':');
  const kind = head === 'job' && named !== null ? 'job' : (NOTED[head] ?? 'connection');
  const { code, detail, since, nextAt } = wait;
  const path = WATCH_PATHS[kind];
  const name = path !== undefined && named !== null ? nameOfWatch(store, path, named) : named;
  if (path !== undefined && name === null) return [];
  if (kind === 'sending' && !hasUnsent(store, wait.connectionId)) return [];
  const still = STILL[kind];
  if (still !== undefined && !store.has(still, wait.connectionId, name)) return [];
  return [{ workspace, kind, name, code, detail, count: 0, bytes: 0, since, nextAt }];
}

/** Waits that are part of larger ones: if the larger one waits for the same reason, one entry is enough. */
const PART_OF: Readonly<Partial<Record<WaitKind, readonly WaitKind[]>>> = {
  sending: ['connection'],
  asking: ['connection'],
  fetching: ['connection'],
  jobs: ['connection'],
  planning: ['connection', 'asking'],
  batch: ['connection', 'asking'],
  ready: ['connection', 'asking'],
  job: ['connection', 'jobs'],
};

function isSaidAlready({ kind, code }: OpenWait, noted: readonly OpenWait[]): boolean {
  const larger = PART_OF[kind] ?? [];
  return noted.some((one) => larger.includes(one.kind) && one.code === code);
}

function fromRow(workspace: string, kind: WaitKind, row: Row): OpenWait {
  return {
    workspace,
    kind,
    name: textOrNull(row, 'name'),
    code: codeOrNull(row, 'code'),
    detail: textOrNull(row, 'detail'),
    count: integer(row, 'count'),
    bytes: integer(row, 'bytes'),
    since: integerOrNull(row, 'since'),
    nextAt: integerOrNull(row, 'next_at'),
  };
}

/** Everything of a connection that waits, no matter how long; see shownWaits. */
export function openWaits(store: Store, connectionId: number): readonly OpenWait[] {
  const connection = store.get('SELECT workspace FROM connections WHERE id = ?', connectionId);
  if (connection === null) return [];
  const workspace = text(connection, 'workspace');
  const notes = waitsOf(store, connectionId).flatMap((wait) => fromNote(store, workspace, wait));
  const noted = notes.filter((wait) => !isSaidAlready(wait, notes));
  const notedJobs = new Set(noted.flatMap(({ kind, name }) => (kind === 'job' ? [name] : [])));
  const isShort = noted.some(({ kind, code }) => kind === 'files' && code === 'system.openFiles');
  const found = WAIT_QUERIES.flatMap(({ kind, sql }) =>
    store.list((row) => fromRow(workspace, kind, row), sql, connectionId),
  )
    .filter(({ kind, name }) => !OF_A_JOB.includes(kind) || !notedJobs.has(name))
    // The wait of a held batch stands for all of its files.
    .filter(
      ({ kind, name: of, code }) =>
        kind !== 'failing' ||
        !noted.some((one) => one.kind === 'held' && one.name === of && one.code === code),
    )
    // If a batch waits, all of its sent files wait for the same reason.
    .filter(
      ({ kind, name: of }) =>
        kind !== 'unlisted' || !noted.some((one) => one.kind === 'batch' && one.name === of),
    )
    // A file that cannot be opened during a shortage is not in use by another program.
    .filter(({ kind }) => kind !== 'unstable' || !isShort);
  const behindMs = engineBehindMs(store, connectionId);
  const waits = [...noted, ...found].map((wait) => byClock(wait, behindMs));
  return isPaused(store) ? whilePaused(workspace, waits) : waits;
}

/** While everything is paused, nothing is sent: no file is said to be tried soon. */
function whilePaused(workspace: string, waits: readonly OpenWait[]): readonly OpenWait[] {
  const nothing = { name: null, code: null, detail: null, count: 0, bytes: 0 };
  const others = waits
    .filter(({ kind }) => kind !== 'failing' && kind !== 'sending')
    .map((wait) => (wait.kind === 'held' ? { ...wait, nextAt: null } : wait));
  return [{ workspace, kind: 'paused', ...nothing, since: null, nextAt: null }, ...others];
}

/** Waits shorter than this are normal, in ms. Waits with a code, such as files whose drive is not connected, are shown at once. */
function shownAfterMs({ kind, code }: OpenWait): number {
  if (kind === 'unlisted') return UNLISTED_SHOWN_MS;
  if (code !== null) return 0;
  return kind === 'unstable' || kind === 'comparing' ? UNSTABLE_SHOWN_MS : 0;
}

function needsAttention(wait: OpenWait, now: number, running: boolean): boolean {
  const { kind, since, nextAt } = wait;
  if (kind === 'paused' || kind === 'batchPaused' || kind === 'watchPaused') return false;
  const isOld = since !== null && now - since >= WAIT_ATTENTION_MS;
  if (kind === 'givenUp' || kind === 'notStarted' || isOld) return true;
  // Without a running program nothing else continues by itself: a person must start one.
  return kind === 'download' ? nextAt === null : !running;
}

/**
 * What to show a person now: what needs attention first, then the oldest; at most 50. Pure.
 * @param running false when no program works on the ledger
 */
export function shownWaits(
  waits: readonly OpenWait[],
  now: number,
  running: boolean,
): readonly WaitView[] {
  return (
    waits
      // A clock that was set back hides nothing.
      .filter((wait) => wait.since === null || Math.max(0, now - wait.since) >= shownAfterMs(wait))
      .filter(({ kind, since }) => kind !== 'download' || now - (since ?? now) < RETENTION_MS)
      .map((wait) => ({ ...wait, attention: needsAttention(wait, now, running) }))
      .toSorted(
        (one, other) =>
          Number(other.attention) - Number(one.attention) || (one.since ?? 0) - (other.since ?? 0),
      )
      .slice(0, MOST_WAITS)
  );
}

/** The waits of all connections, for a command that reads them once; see shownWaits. */
export function readWaits(store: Store, now: number, running: boolean): readonly WaitView[] {
  const ids = store.ids('SELECT id FROM connections ORDER BY id');
  const waits = ids.flatMap((id) => openWaits(store, id));
  // A pause applies to the whole ledger, so it is shown once, at the top.
  const once = waits.filter(({ kind }, index) => kind !== 'paused' || index === 0);
  return shownWaits(once, now, running);
}
