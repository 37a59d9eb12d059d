/** Checks the promises at the end of a seed by comparing the service, the disk and the ledger. */
import { basename, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import { nameAtService, nameKey } from '../../main/engine/files/names/safeNames.ts';
import { isRejected } from './character.ts';
import type { Computer, Ground } from './computer.ts';
import { takes } from './filters.ts';
import { checkJobs, type LedgerJobs, readJobs } from './jobChecks.ts';
import { type ComputerPlan, ROOT } from './plan.ts';
import { hasExpired, presentIn, RETENTION_MS, type StoredFile } from './serviceState.ts';

interface LedgerItem {
  readonly id: number;
  readonly path: string;
  readonly state: string;
  readonly reason: string | null;
  readonly hash: string | null;
  readonly name: string | null;
  readonly batchId: string | null;
  /** This ledger created the batch and never saw anything from others in it. */
  readonly seemsAlone: boolean;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The ledger's items, newest last, and its jobs; read from the file, not by the engine. */
function ledgerOf(directory: string): {
  readonly items: readonly LedgerItem[];
  readonly jobs: LedgerJobs;
  readonly integrity: string;
} {
  const database = new DatabaseSync(join(directory, 'ledger.db'), { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT items.*, batches.batch_id, batches.created_here FROM items LEFT JOIN batches ON batches.id = items.batch_row ORDER BY items.id`,
      )
      .all();
    const check = database.prepare('PRAGMA integrity_check').get();
    return {
      integrity: text(check?.['integrity_check']) ?? 'none',
      jobs: readJobs(database),
      items: rows.map((row) => ({
        id: Number(row['id']),
        path: text(row['path']) ?? '',
        state: text(row['state']) ?? '',
        reason: text(row['reason']),
        hash: text(row['fingerprint'])?.split('-')[1] ?? null,
        name: text(row['name']),
        batchId: text(row['batch_id']),
        seemsAlone: row['created_here'] === 1,
      })),
    };
  } finally {
    database.close();
  }
}

/** When a path was first on the disk, virtual time. */
function firstSeenAt({ edits }: ComputerPlan, path: string): number {
  return Math.min(...edits.filter((edit) => edit.path === path).map(({ at }) => at));
}

/** True for a file of which only the first part is on the disk, or nothing any more. */
function isBeginning({ plan, disk }: Computer, path: string): boolean {
  const node = disk.get(path);
  if (node?.type !== 'file') return true;
  return plan.edits.some(
    ({ isBeginning: isPart, content }) => isPart === true && content?.equals(node.bytes) === true,
  );
}

/** True if the cause lies in the file itself, or in what the service says about this very file. */
function mayBeParked({ plan, service }: Ground, computer: Computer, item: LedgerItem): boolean {
  const { character } = plan;
  const { refusesName } = character;
  const isRefusedName = refusesName !== null && (item.name?.includes(refusesName) ?? false);
  switch (item.reason) {
    case 'item.rejected':
      return isRefusedName;
    case 'shard.rejected':
      return isRejected(character, item.hash ?? '');
    case 'upload.unproven':
      // Sent but not listed before the batch expired: nothing can tell any more.
      if (hasExpired(service.state, item.batchId)) return true;
      // Thrown away twice, the second time after a resend: Sluice refuses to go on, and a person must check.
      if (service.state.thrownAway(item.hash ?? '') >= 2) return true;
      // Also not if nothing arrived within the lifetime of a batch: an expired batch looks like one that never existed.
      if (service.state.generations(item.batchId ?? '').length === 0)
        return service.state.now() - firstSeenAt(computer.plan, item.path) >= RETENTION_MS;
      // If nothing of a shard is listed and others may write, nothing tells whose file was rejected.
      return isRejected(character, item.hash ?? '');
    case 'item.truncated':
      // A file that the watch no longer takes is not looked at again.
      return isBeginning(computer, item.path) || !isTaken(computer.plan, item.path);
    case 'item.unstable':
      return true;
    case 'item.unreadable':
      // It could not be read for as long as it existed, or was meant to be sent.
      return computer.disk.get(item.path) === null || !isTaken(computer.plan, item.path);
    case 'service.refused':
      return isRefusedName;
    case null:
    default:
      return false;
  }
}

/** A one-shot command is responsible for the files that it sees, not for content that is no longer on the disk. */
function isThere({ disk }: Computer, item: LedgerItem): boolean {
  const node = disk.get(item.path);
  return node?.type === 'file' && (item.hash === null || contentHash(node.bytes) === item.hash);
}

/**
 * Our file was listed, and therefore confirmed. Later another computer, which had opened the batch before it could see our
 * file, put one of the same name in its place, and this computer saw nothing of it. Batches of several computers with
 * equal names need {host} in their id.
 */
function wasReplacedLater(
  { service, plan }: Ground,
  { plan: own }: Computer,
  item: LedgerItem,
): boolean {
  if (plan.character.sameName !== 'replaces') return false;
  const files = service.state.generations(item.batchId ?? '').flatMap((batch) => batch.files);
  const ours = files.find(({ writer, hash }) => writer === own.name && hash === item.hash);
  if (ours?.gone !== true || ours.shardId !== null) return false;
  if (!item.seemsAlone) return false;
  return files.some(
    ({ writer, name, arrivedAt }) =>
      writer !== own.name && name === ours.name && arrivedAt >= ours.listedAt,
  );
}

function checkItems(
  ground: Ground,
  computer: Computer,
  items: readonly LedgerItem[],
): readonly string[] {
  const problems: string[] = [];
  for (const item of items) {
    const words = `${item.path} (item ${item.id}): ${item.state} ${item.reason ?? ''}`;
    const rests = ['confirmed', 'skipped', 'parked'].includes(item.state);
    const isNewest = items.findLast(({ path }) => path === item.path) === item;
    if (!rests && isNewest && isThere(computer, item)) problems.push(`not at rest: ${words}`);
    if (item.state === 'parked' && !mayBeParked(ground, computer, item))
      problems.push(`parked: ${words}`);
    if (item.state !== 'confirmed') continue;
    // It was there, even if it expired later.
    const batches = ground.service.state.generations(item.batchId ?? '');
    const there = batches
      .flatMap(presentIn)
      .some(({ name, hash }) => nameKey(name) === nameKey(item.name ?? '') && hash === item.hash);
    if (!there && !wasReplacedLater(ground, computer, item))
      problems.push(`confirmed and not there: ${words} as ${item.batchId}/${item.name}`);
  }
  return problems;
}

/** Files that a watch sent although every version of its rule leaves them out. */
function checkLeftOut({ watch }: ComputerPlan, items: readonly LedgerItem[]): readonly string[] {
  if (watch === null) return [];
  return items
    .filter(({ state }) => state === 'confirmed')
    .filter(({ path }) => !watch.rules.some(({ rule }) => takes(rule, relative(ROOT, path))))
    .map(({ path }) => `sent though every rule leaves it out: ${path}`);
}

/** True for a path that a watch's last rule takes; always true without a watch. */
function isTaken({ watch }: ComputerPlan, path: string): boolean {
  const rule = watch?.rules.at(-1)?.rule ?? null;
  return rule === null || takes(rule, relative(ROOT, path));
}

/** Every user file is accounted for: confirmed, or left out for a legitimate reason. */
function checkFiles({ disk, plan }: Computer, items: readonly LedgerItem[]): readonly string[] {
  const newest = new Map(items.map((item) => [item.path, item]));
  const confirmed = new Set(
    items.filter(({ state }) => state === 'confirmed').map(({ hash }) => hash),
  );
  return disk.filesBelow(ROOT).flatMap((path) => {
    const node = disk.get(path);
    if (node?.type !== 'file') return [];
    const item = newest.get(path);
    // Files that an earlier rule took may have been sent; hidden files are left out silently.
    if (!isTaken(plan, path)) return [];
    if (item === undefined) return [`lost: ${path} is in no ledger`];
    const hash = contentHash(node.bytes);
    if (item.state === 'parked') return [];
    // Hidden files are left out by rule.
    if (item.reason === 'item.temporary' && path.includes('/.')) return [];
    if (item.hash !== hash) return [`lost: ${path} has content that the ledger does not know`];
    if (item.state === 'confirmed') return [];
    const isCopy = item.reason === 'item.duplicate' && confirmed.has(hash);
    const parkedCopy =
      item.reason === 'item.duplicate' &&
      items.some((one) => one.state === 'parked' && one.hash === hash);
    return isCopy || parkedCopy ? [] : [`lost: ${path} is ${item.state} ${item.reason ?? ''}`];
  });
}

function inWords(file: StoredFile): string {
  return `${file.name} (${file.writer}, ${file.shardId ?? 'single'}, at ${(file.arrivedAt / 1000).toFixed(1)} s)`;
}

/** Two copies of the same content, the earlier one first; `earlierUntil` is when the earlier one's batch ended. */
interface Twice {
  readonly earlier: StoredFile;
  readonly later: StoredFile;
  readonly earlierUntil: number;
}

/** The paths that hold a content at a given time. */
function pathsWith({ edits }: ComputerPlan, hash: string, at: number): readonly string[] {
  const contents = new Map<string, Buffer | null>();
  const before = edits.filter((edit) => edit.at <= at).sort((a, b) => a.at - b.at);
  for (const { path, content, from } of before) {
    if (from !== undefined) contents.set(from, null);
    contents.set(path, content);
  }
  return [...contents].flatMap(([path, content]) =>
    content !== null && contentHash(content) === hash ? [path] : [],
  );
}

/** Whether a file with this content, on the disk at that time, has the name under which it was sent; a unique name also encodes its path. */
function isNamedBy(plan: ComputerPlan, { name, hash, arrivedAt }: StoredFile, at: number): boolean {
  const before = pathsWith(plan, hash, arrivedAt);
  const stemOf = (text: string): string => nameKey(text).split(/[~.]/)[0] ?? '';
  return pathsWith(plan, hash, at)
    .filter((path) => !name.includes('~') || before.includes(path))
    .some(
      (path) => stemOf(nameAtService({ baseName: basename(path), unique: null })) === stemOf(name),
    );
}

/** False if the first copy was gone with its batch, or could not be known about. */
function isDouble(computer: Computer, { earlier, later, earlierUntil }: Twice): boolean {
  if (later.arrivedAt >= earlierUntil) return false;
  const lost = computer.ledgerLost();
  if (lost === null || later.arrivedAt < lost.at) return true;
  // The copy of the ledger knows what was sent before it was made.
  if (earlier.arrivedAt < (lost.copiedAt ?? 0)) return true;
  const lostAt = lost.at;
  // Without a ledger, only the list can tell. No program can know about files that it did not show yet when the ledger was lost, or
  // that it shows under a name that no file with this content has any more.
  return earlier.listedAt <= lostAt && isNamedBy(computer.plan, earlier, lostAt);
}

/**
 * Whatever a computer sent exists exactly once. Of what a storage alters, one file of each batch may be there twice; where others write,
 * too, or the ledger was lost, or ETags are odd, nothing tells more of them from files of others, or from damaged ones.
 */
function checkDoubles({ service, plan }: Ground, computer: Computer): readonly string[] {
  const { alters, states } = plan.character;
  const isAlone = plan.computers.length + plan.strangers.length === 1;
  if (alters && (!isAlone || computer.ledgerLost() !== null || states === 'oddEtag')) return [];
  const copies = service.state
    .everything()
    .flatMap((batch) => presentIn(batch).map((file) => ({ file, batch })))
    .filter(({ file }) => file.writer === computer.plan.name)
    .sort((a, b) => a.file.arrivedAt - b.file.arrivedAt);
  const twice = copies.flatMap(({ file: later, batch }, index) =>
    copies
      .slice(0, index)
      .filter(({ file }) => file.hash === later.hash)
      .filter((one) =>
        isDouble(computer, { earlier: one.file, later, earlierUntil: one.batch.expiresAt }),
      )
      .map(({ file: earlier }) => ({ earlier, later, batch })),
  );
  const byBatch = [...Map.groupBy(twice, ({ batch }) => batch).values()];
  return byBatch
    .flatMap((ofBatch) => (alters ? ofBatch.slice(1) : ofBatch))
    .map(({ earlier, later }) => `sent twice: ${inWords(earlier)} and ${inWords(later)}`);
}

export function checkEnd(ground: Ground, computer: Computer): readonly string[] {
  const { items, jobs, integrity } = ledgerOf(computer.dataDirectory());
  const problems = [
    ...checkItems(ground, computer, items),
    ...checkFiles(computer, items),
    ...checkLeftOut(computer.plan, items),
    ...checkJobs(ground, computer, jobs, items),
    ...checkDoubles(ground, computer),
    ...computer.disk.trespasses().map((act) => `a file of the user was touched: ${act}`),
    ...(integrity === 'ok' ? [] : [`the ledger is damaged: ${integrity}`]),
  ];
  return problems.map((problem) => `${computer.plan.name}: ${problem}`);
}
