/** Why a path is or is not uploaded: what the ledger knows about it, compared with the file as it is now. */
import { isAbsolute, relative, sep } from 'node:path';
import { cliReader, sentenceOfWait } from '../core/contract.ts';
import type { PathExplanation, FileFacts, WaitKind } from '../core/model.ts';
import { assertNever, type SluiceError } from '../core/errors.ts';
import { hashKindOf } from '../core/ids.ts';
import { storedSentences } from '../core/storedFacts.ts';
import { knownMissingDrive } from '../pipeline/drives.ts';
import { judge } from '../pipeline/identify/judge.ts';
import { temporaryName } from '../pipeline/find/scan.ts';
import { isTouchedSince } from '../pipeline/find/stability.ts';
import type { Files } from '../core/ports.ts';
import { readWaits } from '../status/waits.ts';
import { itemsAtPath, type PathItem } from '../store/tables/itemHistory.ts';
import type { Store } from '../store/store.ts';
import { type Watch, watchesOf } from '../store/tables/watches.ts';
import { createRuleFilter } from '../watches/rule.ts';

export type { PathItem } from '../store/tables/itemHistory.ts';

export type FileStatus =
  | { readonly kind: 'none' }
  | { readonly kind: 'directory' }
  | { readonly kind: 'error'; readonly error: SluiceError }
  | { readonly kind: 'file'; readonly facts: FileFacts };

/** The explanation: one sentence, its details, and the ledger items behind it. */
export interface Why extends PathExplanation {
  readonly items: readonly PathItem[];
  /** True for a file that the ledger does not know and an upload would send. */
  readonly isUploadable: boolean;
}

const TIME = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });

function when(at: number): string {
  return TIME.format(at);
}

/** Why and when an item is tried again; that time may have passed while everything waits, or while no Sluice runs. */
function waiting(item: PathItem, now: number): string | null {
  if (item.retryAt <= now && item.lastCode === null) return null;
  const until =
    item.retryAt > now ? `It waits until ${when(item.retryAt)}` : 'In line after a try that failed';
  return item.lastCode === null ? `${until}.` : `${until}: ${storedSentences(item.lastCode, null)}`;
}

/** Waits that keep a file from being sent. */
const HOLDING: readonly WaitKind[] = [
  ...(['connection', 'sending', 'asking', 'files', 'planning', 'paused'] as const),
  ...(['batch', 'held', 'batchPaused', 'watchPaused'] as const),
];

/** What keeps a file from being sent now, in sentences; none for a file that was sent or is at rest. `running`: a Sluice runs. */
function holding(
  store: Store,
  { state, batch, destination, workspace }: PathItem,
  { now, running }: { readonly now: number; readonly running: boolean },
): readonly string[] {
  if (state !== 'queued' && state !== 'planned') return [];
  return readWaits(store, now, running)
    .filter((wait) => {
      const isAbout = wait.name === null || wait.name === batch || wait.name === destination;
      const isHere = wait.kind === 'paused' || wait.workspace === workspace;
      return isAbout && isHere && HOLDING.includes(wait.kind);
    })
    .map((wait) => sentenceOfWait(wait, cliReader(now, running)));
}

/** How far the original is, which is sent instead of a duplicate. */
const ORIGINAL: Readonly<Record<PathItem['state'], string>> = {
  queued: 'is in line',
  planned: 'is in line',
  sending: 'is being sent',
  sent: 'was sent and waits to be confirmed',
  unknown: 'was sent, but the answer was lost',
  confirmed: 'the service has',
  skipped: 'is skipped',
  parked: 'needs attention',
};

function skipped(item: PathItem): string {
  if (item.original !== null && item.reason === 'item.duplicate') {
    const { path, state } = item.original;
    return `Not sent: its content is that of ${path}, which ${ORIGINAL[state]}.`;
  }
  return `Skipped: ${item.reason === null ? 'nothing to do.' : storedSentences(item.reason, item.detail)}`;
}

/** One sentence about an item's progress. Pure. */
export function sentenceOf(item: PathItem, now: number): string {
  switch (item.state) {
    case 'queued':
      if (!item.isUnread) return 'In line: it has no place in a batch yet.';
      return waiting(item, now) ?? 'In line to be read: it is new, was busy, or changed.';
    case 'planned':
      return waiting(item, now) ?? 'In line: it is sent when its turn comes.';
    case 'sending':
      return 'It is being sent now, or was when Sluice ended; the next run asks the service first.';
    case 'sent':
      return `Sent at ${when(item.stateAt)}; waiting for the service to confirm it.`;
    case 'unknown':
      return 'Sent, but the answer was lost: the service is asked before anything is sent again.';
    case 'confirmed':
      return `Uploaded: the service confirmed it at ${when(item.stateAt)}.`;
    case 'skipped':
      return skipped(item);
    case 'parked': {
      const said =
        item.reason === null ? 'the cause is unknown.' : storedSentences(item.reason, item.detail);
      return `Needs attention: ${said}`;
    }
    default:
      return assertNever(item.state);
  }
}

/** How the file differs from what the ledger recorded; null when there is nothing to say. Pure. */
export function changeSince(item: PathItem, status: FileStatus): string | null {
  if (status.kind === 'none') {
    return item.state === 'confirmed' ? 'The file no longer exists.' : 'The file is gone.';
  }
  if (status.kind === 'error' && status.error.code === 'disk.missing')
    return storedSentences('disk.missing', null);
  if (status.kind !== 'file' || item.stamp === '' || status.facts.stamp === item.stamp) return null;
  const touched = `The file was touched since (${when(status.facts.touchedAt)})`;
  return item.state === 'confirmed'
    ? `${touched}: if its content differs, the next upload or watch sends it.`
    : `${touched}: it is checked again before it is sent.`;
}

function hashLine(hash: string): string {
  return hashKindOf(hash) === 'b3' ? `BLAKE3: ${hash.slice('b3:'.length)}` : `SHA-256: ${hash}`;
}

function detailsOf(item: PathItem, status: FileStatus): readonly string[] {
  const place = item.batch === null ? item.destination : `batch ${item.batch}`;
  return [
    `Where: ${place}, workspace ${item.workspace}`,
    item.name === null ? null : `Name at the service: ${item.name}`,
    item.sha256 === null ? null : hashLine(item.sha256),
    changeSince(item, status),
  ].filter((line) => line !== null);
}

async function fileStatusOf(
  store: Store | null,
  files: Files,
  { path, foundAt }: { readonly path: string; readonly foundAt: number | null },
): Promise<FileStatus> {
  const real = await files.realPath(path);
  const type = await files.typeOf(real ?? path);
  if (type === null) {
    const away =
      store === null ? null : await knownMissingDrive({ ports: { files }, store }, path, foundAt);
    return away === null ? { kind: 'none' } : { kind: 'error', error: away };
  }
  if (type === 'directory') return { kind: 'directory' };
  const facts = await files.facts(path);
  if (facts.ok) return { kind: 'file', facts: facts.value };
  return { kind: 'error', error: facts.error };
}

const NOT_IN_LEDGER = 'Sluice hasn’t seen this file';
/** The explanation of a file that an upload would send. */
const UNKNOWN_FILE = [
  `${NOT_IN_LEDGER}: no upload and no watched folder has found it.`,
  'It can be uploaded.',
] as const;

/** The explanation of a file that a watch takes once it is stable, if the watch runs. */
function watchedWords({ rule }: Watch, touchedAt: number): readonly [string, ...string[]] {
  const seconds = rule.settleMs / 1000;
  return [
    `Not in the ledger yet: the watch of its directory sends it once it has not changed for ${seconds} s.`,
    `It last changed ${when(touchedAt)}. The watch has to be running; while a file changes more often, it is not sent.`,
  ];
}

/** The explanation of a file that is older than a watch that takes only new files. */
function olderWords({ addedAt }: Watch): readonly [string, ...string[]] {
  return [
    `Left out by the watch of its directory: the file has not changed since the watch was added (${when(addedAt)}), and the watch takes only new files (--new-only).`,
    'It can be uploaded.',
  ];
}

/** The explanation of a file that a watch takes, or leaves out because of its age; null without such a watch. */
function wordsOfWatches(
  store: Store | null,
  paths: readonly string[],
  facts: FileFacts,
  now: number,
): readonly [string, ...string[]] | null {
  const covers = ({ rule, state }: Watch): boolean =>
    state === 'active' &&
    paths.some((path) => {
      const within = relative(rule.directory, path);
      const isBelow = within !== '' && !isAbsolute(within) && within.split(sep)[0] !== '..';
      return isBelow && createRuleFilter(rule)(within, 'file') === null;
    });
  const watches = store === null ? [] : watchesOf(store, null).filter(covers);
  const takes = watches.find(
    ({ rule, addedAt }) => rule.existing || isTouchedSince(facts, addedAt, now),
  );
  if (takes !== undefined) return watchedWords(takes, facts.touchedAt);
  return watches[0] === undefined ? null : olderWords(watches[0]);
}

/** Why an upload would not send a file that the ledger does not know, in sentences; null when it would. */
async function reasonNotUploaded(
  files: Files,
  path: string,
  status: FileStatus,
): Promise<readonly string[] | null> {
  if (status.kind === 'none') return [`Nothing is there. ${NOT_IN_LEDGER} either.`];
  if (status.kind === 'directory') return ['This is a directory; name a file in it.'];
  if (status.kind === 'error')
    return [`${NOT_IN_LEDGER}. ${storedSentences(status.error.code, null)}`];
  const temporary = temporaryName(path, 'file');
  if (temporary !== null) return [`Left out by its name. ${storedSentences(temporary, null)}`];
  const [inspected] = await files.inspect([path]);
  if (inspected === undefined) return [`${NOT_IN_LEDGER}.`];
  if (!inspected.ok) return [`${NOT_IN_LEDGER}. ${storedSentences(inspected.error.code, null)}`];
  const { reason, state } = judge(inspected, 0);
  if (reason !== null) {
    const verdict =
      state === 'parked' ? 'An upload would report it as a problem.' : 'It would be left out.';
    return [`${verdict} ${storedSentences(reason.code, null)}`];
  }
  return null;
}

/** Explains why a path is or is not uploaded, in every destination or only for one batch id. `store`: null without a ledger. `running`: a Sluice runs. Only reads. */
export async function explainPath(
  store: Store | null,
  files: Files,
  path: string,
  asked: { readonly batchId: string | null; readonly now: number; readonly running: boolean },
): Promise<Why> {
  const real = await files.realPath(path);
  const at = (where: string): readonly PathItem[] =>
    store === null ? [] : itemsAtPath(store, where, asked.batchId);
  const direct = at(path);
  // A directory reached through a link, or through the link's target, contains the same file.
  const items = direct.length > 0 || real === null ? direct : at(real);
  const [newest, ...older] = items;
  const status = await fileStatusOf(store, files, { path, foundAt: newest?.foundAt ?? null });
  if (newest === undefined) {
    const blockedBy = await reasonNotUploaded(files, path, status);
    const watched =
      status.kind === 'file'
        ? wordsOfWatches(store, [path, real ?? path], status.facts, asked.now)
        : null;
    const [headline = '', ...details] = blockedBy ?? watched ?? UNKNOWN_FILE;
    return { path, headline, details, items, isUploadable: blockedBy === null };
  }
  // Why a file is read again later, for example because its end is missing, is not in the ledger.
  const unread = newest.isUnread ? await reasonNotUploaded(files, path, status) : null;
  const details = [
    ...(unread ?? []),
    ...(store === null ? [] : holding(store, newest, asked)),
    ...detailsOf(newest, status),
    ...older.flatMap((item) => [sentenceOf(item, asked.now), ...detailsOf(item, status)]),
  ];
  return { path, headline: sentenceOf(newest, asked.now), details, items, isUploadable: false };
}
