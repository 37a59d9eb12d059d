/**
 * Step: identify. Candidates become items: what they are, whether their content is known already, whether they may go.
 * Reading happens outside the ledger; what was learned is written in one transaction per group.
 */
import type { Result } from '../../../preload/errorCodes.ts';
import { sluiceError } from '../errors.ts';
import { TRUNCATED_GRACE_MS } from '../limits.ts';
import type { Inspection } from '../model.ts';
import {
  addItem,
  type Identified,
  type Item,
  itemById,
  itemsToIdentify,
  itemsWithContent,
  newestByPath,
  reidentify,
  restamp,
  reviveDuplicates,
} from '../store/items.ts';
import { markSeen, replaceSeen } from '../store/seen.ts';
import { moveItem } from '../store/transitions.ts';
import { isWatched } from '../store/watches.ts';
import { backoffMs } from './backoff.ts';
import { decide, isSettled, judge, reasonOf, unread } from './judge.ts';
import type { Line } from './line.ts';
import type { Found } from './scan.ts';

/** What is looked for and where it goes. */
export interface Intake {
  readonly destinationId: number;
  /** An explicit upload sends again what stood in a batch that has expired. */
  readonly ignoreExpired: boolean;
  /** How long a half-copied file is waited for, ms since its last touch; 0: the user says now. */
  readonly truncatedGraceMs: number;
  /** Asked in the transaction that would write: false writes nothing. A watch may be removed while its files are read. */
  readonly isWanted?: () => boolean;
  /** Told in the transaction that items were added or queued anew, with the highest id of them. */
  readonly added?: (newest: number) => void;
}

const GROUP = 256;
/** The hash of an item's content if it can still be told: from the ledger, or from the file while it is untouched. */
async function hashOf(line: Line, item: Item): Promise<string | null> {
  if (item.sha256 !== null) return item.sha256;
  const facts = await line.ports.files.facts(item.path);
  if (!facts.ok || facts.value.stamp !== item.stamp) return null;
  const hash = await line.ports.files.hash(item.path);
  return hash.ok ? hash.value : null;
}

/** Full hashes of large files whose samples agree with those of another item: only then can they be called duplicates. */
async function hashLookalikes(
  line: Line,
  intake: Intake,
  candidates: readonly { path: string; judged: Identified }[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  const firstWith = new Map<string, string>();
  for (const { path, judged } of candidates) {
    if (judged.fingerprint === null || judged.sha256 !== null || judged.state !== 'queued')
      continue;
    const others = itemsWithContent(
      line.store,
      intake.destinationId,
      judged.fingerprint,
      intake.ignoreExpired,
    ).filter((other) => other.path !== path);
    const twin = firstWith.get(judged.fingerprint);
    firstWith.set(judged.fingerprint, twin ?? path);
    if (others.length === 0 && twin === undefined) continue;
    for (const one of twin === undefined ? [path] : [path, twin]) {
      if (hashes.has(one)) continue;
      const hash = await line.ports.files.hash(one);
      if (hash.ok) hashes.set(one, hash.value);
    }
    for (const other of others) {
      if (other.sha256 !== null || hashes.has(other.path)) continue;
      const hash = await hashOf(line, other);
      if (hash !== null) hashes.set(other.path, hash);
    }
  }
  return hashes;
}

/** Marks an item as a duplicate when another one of its destination holds the same content. */
function withDuplicate(
  line: Line,
  intake: Intake,
  judged: Identified,
  self: { id: number | null; path: string },
  hashes: ReadonlyMap<string, string>,
): Identified {
  const { fingerprint } = judged;
  if (judged.state !== 'queued' || fingerprint === null) return judged;
  const sha256 = judged.sha256 ?? hashes.get(self.path) ?? null;
  const original = itemsWithContent(
    line.store,
    intake.destinationId,
    fingerprint,
    intake.ignoreExpired,
  ).find((other) => {
    if (other.id === self.id) return false;
    const otherHash = other.sha256 ?? hashes.get(other.path) ?? null;
    return sha256 !== null && otherHash === sha256;
  });
  if (original === undefined) return { ...judged, sha256 };
  const reason = reasonOf(sluiceError('item.duplicate', { of: original.path }));
  return { ...judged, sha256, state: 'skipped', reason, duplicateOf: original.id };
}

/** What a look found, and the ledger's item of the path at that moment. */
interface Look {
  readonly found: Found;
  readonly known: Item | null;
  /** null: it is as the ledger says. */
  readonly judged: Identified | null;
}

/** Writes what a look found; answers the item of the path from now on, and whether it was queued just now. */
function write(
  line: Line,
  intake: Intake,
  look: Look & { readonly judged: Identified },
  hashes: ReadonlyMap<string, string>,
): { readonly id: number; readonly isNew: boolean } {
  const { store, ports } = line;
  const { judged } = look;
  const now = ports.clock.now();
  // The file was read for seconds: meanwhile its item may have gone on, or have been forgotten.
  const known = look.known === null ? null : itemById(store, look.known.id);
  const decision = decide(known, judged);
  if (known !== null) {
    if (decision === 'keep') return { id: known.id, isNew: false };
    if (decision === 'restamp') {
      restamp(store, known.id, judged.stamp);
      return { id: known.id, isNew: false };
    }
    if (decision === 'rewrite') {
      const self = { id: known.id, path: known.path };
      const found = withDuplicate(line, intake, judged, self, hashes);
      reidentify(store, known, found, now);
      return { id: known.id, isNew: found.state === 'queued' };
    }
  }
  const self = { id: null, path: look.found.path };
  const place = { ...look.found, destinationId: intake.destinationId };
  const id = addItem(store, place, withDuplicate(line, intake, judged, self, hashes), now);
  if (known !== null && decision === 'retire') {
    moveItem(store, known.id, 'skipped', now, { code: 'item.replaced', detail: null });
    replaceSeen(store, known.id, id);
    reviveDuplicates(store, known.id, now);
  }
  return { id, isNew: true };
}

/** Writes a group of looks; called inside a transaction. */
function writeGroup(
  line: Line,
  intake: Intake,
  looks: readonly Look[],
  hashes: ReadonlyMap<string, string>,
): void {
  if (intake.isWanted?.() === false) return;
  const ids: number[] = [];
  let newest: number | null = null;
  for (const look of looks) {
    const { judged, known } = look;
    if (judged === null) {
      if (known !== null) ids.push(known.id);
      continue;
    }
    const { id, isNew } = write(line, intake, { ...look, judged }, hashes);
    ids.push(id);
    if (isNew) newest = Math.max(newest ?? 0, id);
  }
  markSeen(line.store, ids);
  if (newest !== null) intake.added?.(newest);
}

async function inspectGroup(
  line: Line,
  intake: Intake,
  group: readonly Found[],
): Promise<readonly Look[]> {
  const { store, ports } = line;
  const paths = group.map((found) => found.path);
  const knownItems = newestByPath(store, intake.destinationId, paths, intake.ignoreExpired);
  const facts = await ports.files.look(paths.filter((path) => knownItems.has(path)));
  let position = 0;
  const open: { found: Found; known: Item | null }[] = [];
  const done: Look[] = [];
  for (const found of group) {
    const known = knownItems.get(found.path) ?? null;
    const look = known === null ? undefined : facts[position++];
    if (known !== null && look?.ok && isSettled(known, look.value.stamp)) {
      done.push({ found, known, judged: null });
    } else if (found.error === null) open.push({ found, known });
    else {
      const state = found.error.next === 'park' ? 'parked' : 'skipped';
      done.push({ found, known, judged: unread(state, reasonOf(found.error), 0) });
    }
  }
  const inspected = await ports.files.inspect(open.map(({ found }) => found.path));
  const now = ports.clock.now();
  const retryAt = now + line.times.backoffFirstMs;
  const grace = { now, graceMs: intake.truncatedGraceMs };
  open.forEach(({ found, known }, index) => {
    const result = inspected[index];
    if (result !== undefined) done.push({ found, known, judged: judge(result, retryAt, grace) });
  });
  return done;
}

/**
 * Takes found files into the ledger and marks them as seen. Files known and untouched cost one look each. Nothing is
 * written before a group is wholly inspected; a crash repeats the group.
 */
export async function identify(line: Line, intake: Intake, found: readonly Found[]): Promise<void> {
  for (let from = 0; from < found.length && !line.signal.aborted; from += GROUP) {
    const looked = await inspectGroup(line, intake, found.slice(from, from + GROUP));
    const hashes = await hashLookalikes(
      line,
      intake,
      looked.flatMap(({ found: { path }, judged }) => (judged === null ? [] : [{ path, judged }])),
    );
    // What was stopped meanwhile is left to the next look: its rule may be another one by then.
    if (line.signal.aborted) return;
    await line.store.soon(() => writeGroup(line, intake, looked, hashes));
    line.changed('plan', 'identify');
  }
}

/** How items of a destination are looked at again: as its watch would, or as an explicit upload does. */
function intakeAgain(line: Line, destinationId: number): Intake {
  const watched = isWatched(line.store, destinationId);
  const truncatedGraceMs = watched ? TRUNCATED_GRACE_MS : 0;
  return { destinationId, ignoreExpired: !watched, truncatedGraceMs };
}

function rewrite(
  line: Line,
  item: Item,
  result: Result<Inspection>,
  hashes: ReadonlyMap<string, string>,
): void {
  const { store, ports, times } = line;
  const now = ports.clock.now();
  const pause = backoffMs(item.tries + 1, ports.random.fraction(), times);
  const { truncatedGraceMs: graceMs } = intakeAgain(line, item.destinationId);
  const judged = judge(result, now + pause, { now, graceMs });
  const current = itemById(store, item.id);
  if (current === null || current.state !== 'queued' || current.fingerprint !== null) return;
  const newest = newestByPath(store, item.destinationId, [item.path], false).get(item.path);
  if (newest !== undefined && newest.id !== item.id) {
    // The scan met the new content first; this row only remembers the old.
    moveItem(store, item.id, 'skipped', now, { code: 'item.replaced', detail: null });
    replaceSeen(store, item.id, newest.id);
  } else {
    const intake = intakeAgain(line, item.destinationId);
    reidentify(store, current, withDuplicate(line, intake, judged, item, hashes), now);
  }
  reviveDuplicates(store, item.id, now);
}

/** Looks again at items whose file read differently than expected. True when there were any. */
export async function identifyAgain(line: Line): Promise<boolean> {
  const due = itemsToIdentify(line.store, line.ports.clock.now(), GROUP);
  const first = due[0];
  if (first === undefined) return false;
  const items = due.filter((item) => item.destinationId === first.destinationId);
  const results = await line.ports.files.inspect(items.map((item) => item.path));
  const intake = intakeAgain(line, first.destinationId);
  const now = line.ports.clock.now();
  const grace = { now, graceMs: intake.truncatedGraceMs };
  const candidates = items.flatMap((item, index) => {
    const result = results[index];
    return result === undefined ? [] : [{ path: item.path, judged: judge(result, 0, grace) }];
  });
  const hashes = await hashLookalikes(line, intake, candidates);
  await line.store.soon(() => {
    items.forEach((item, index) => {
      const result = results[index];
      if (result !== undefined) rewrite(line, item, result, hashes);
    });
  });
  line.changed('plan', 'identify');
  return true;
}
