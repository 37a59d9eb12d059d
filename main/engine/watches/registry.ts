/** Adding, changing and removing watches, with every check that a rule must pass when it is entered. */
import { basename, dirname, join, resolve } from 'node:path';
import { type ErrorCode, fail, ok, type Result, allOf, usage } from '../core/errors.ts';
import { mistakeOf, sayLimit, type WatchRule, watchRuleSchema } from '../core/contract.ts';
import { inTime } from '../core/inTime.ts';
import { DIRECTORY_CHECK_MS } from '../core/limits.ts';
import type { Clock, Files, Ports } from '../core/ports.ts';
import { isOnKnownDrive, knownMissingDrive } from '../pipeline/drives.ts';
import { batchNameOf, refuseRule } from './rule.ts';
import { forgetUnsent } from '../store/queue/forgetting.ts';
import type { Store } from '../store/store.ts';
import {
  addWatch,
  editWatch,
  givenPathOf,
  moveWatch,
  type Watch,
  watchById,
  watchesOf,
} from '../store/tables/watches.ts';

export { everyWatch, type Watch, watchById, watchesOf } from '../store/tables/watches.ts';

/** What happens to unsent items of a removed watch. */
export type OnRemove = 'keep' | 'forget';

export interface WatchRegistry {
  readonly store: Store;
  readonly ports: Pick<Ports, 'clock' | 'files'>;
  readonly dataDirectory: string;
}

/** Without a ledger (null) there are no other watches. */
type Checking = Omit<WatchRegistry, 'store'> & { readonly store: Store | null };

function noWatch(id: number): Result<never> {
  return usage(`there is no watch ${id}`);
}

const SILENT = 'this directory does not answer; is its drive or share connected?';
const REFUSED: Readonly<Partial<Record<ErrorCode, string>>> = {
  'item.gone': 'there is no such directory:',
  'item.unsupported': 'this is not a directory:',
  'file.busy': SILENT,
};

/** Waits for a check of a path, but not forever. Error: usage.invalid after DIRECTORY_CHECK_MS. */
async function checked<T>(clock: Clock, path: string, look: Promise<T>): Promise<Result<T>> {
  const done = await inTime(clock, DIRECTORY_CHECK_MS, look);
  return done === null ? fail('usage.invalid', { said: SILENT, path }) : ok(done.found);
}

/** The path itself when its drive, which does not answer now, was used before: the drive is waited for, like one that is not connected. */
function unlessKnown({ store }: Checking, path: string, silent: Result<never>): Result<string> {
  const whole = resolve(path);
  return store !== null && isOnKnownDrive(store, whole) ? ok(whole) : silent;
}

/** The real path of a directory. The directory may be missing if the ledger knows that it is on a drive that is not connected. */
async function realDirectory(watches: Checking, path: string): Promise<Result<string>> {
  const { store, ports } = watches;
  const look = await checked(ports.clock, path, ports.files.directoryAt(path));
  if (!look.ok) return unlessKnown(watches, path, look);
  if (look.value.ok) return look.value;
  const { code } = look.value.error;
  const isGone = store !== null && code === 'item.gone';
  if (isGone && (await knownMissingDrive({ store, ports }, resolve(path))) !== null)
    return realTarget(watches, path);
  const refused = fail('usage.invalid', {
    said: REFUSED[code] ?? 'this directory may not be read:',
    path,
  });
  return code === 'file.busy' ? unlessKnown(watches, path, refused) : refused;
}

/** The path, with links resolved in the part of it that exists. */
export async function followExisting(
  files: Pick<Files, 'realPath'>,
  path: string,
): Promise<string> {
  const whole = resolve(path);
  const real = await files.realPath(whole);
  if (real !== null) return real;
  const parent = dirname(whole);
  return parent === whole ? whole : join(await followExisting(files, parent), basename(whole));
}

async function realTarget(watches: Checking, path: string): Promise<Result<string>> {
  const { clock, files } = watches.ports;
  const real = await checked(clock, path, followExisting(files, path));
  return real.ok ? real : unlessKnown(watches, path, real);
}

/** A rule with real paths, and the real data directory to compare it with. */
interface RealRule {
  readonly rule: WatchRule;
  readonly dataDirectory: string;
}

/** Checks the shape of a rule and its directories. Error: usage.invalid. */
async function resolveRule(watches: Checking, rule: WatchRule): Promise<Result<RealRule>> {
  const parsed = watchRuleSchema().safeParse(rule, { error: sayLimit });
  if (!parsed.success) return usage(mistakeOf(parsed.error));
  const { downloadTo, moveTo } = parsed.data;
  const none = ok(null);
  const [directory, download, move, data] = await Promise.all([
    realDirectory(watches, parsed.data.directory),
    downloadTo === null ? none : realTarget(watches, downloadTo),
    moveTo === null ? none : realTarget(watches, moveTo),
    realTarget(watches, watches.dataDirectory),
  ]);
  const real = allOf({ directory, downloadTo: download, moveTo: move, dataDirectory: data });
  if (!real.ok) return real;
  const { dataDirectory, ...paths } = real.value;
  const given = resolve(parsed.data.directory);
  const link = given === paths.directory ? parsed.data.link : given;
  return ok({ rule: { ...parsed.data, ...paths, link }, dataDirectory });
}

/**
 * The rule if it makes sense and conflicts with no other watch; without a ledger (null) there are no other watches. Error: usage.invalid.
 */
function checkAgainstOthers(
  store: Store | null,
  { rule, dataDirectory }: RealRule,
  exceptId: number | null,
): Result<WatchRule> {
  const others = (store === null ? [] : watchesOf(store, null))
    // A one-off watch ends with its command.
    .filter((watch) => watch.id !== exceptId && !watch.oneOff)
    .map((watch) => watch.rule);
  const refused = refuseRule(rule, { dataDirectory, others });
  return refused === null ? ok(rule) : usage(refused);
}
/**
 * Checks a new rule: shape, directories, templates, and overlaps with watches if there is a ledger. Returns it with real
 * paths. Error: usage.invalid with what is wrong, also when a directory does not respond.
 */
export async function checkRule(
  watches: Checking,
  rule: WatchRule,
  exceptId: number | null,
): Promise<Result<WatchRule>> {
  const real = await resolveRule(watches, rule);
  return real.ok ? checkAgainstOthers(watches.store, real.value, exceptId) : real;
}

/** Checks a new rule, then writes it in the same transaction: what it is compared with cannot change in between. */
async function enter<T>(
  watches: WatchRegistry,
  rule: WatchRule,
  write: (rule: WatchRule) => T,
): Promise<Result<T>> {
  const real = await resolveRule(watches, rule);
  if (!real.ok) return real;
  return watches.store.transaction((): Result<T> => {
    const fitting = checkAgainstOthers(watches.store, real.value, null);
    return fitting.ok ? ok(write(fitting.value)) : fitting;
  });
}

/** Adds a watch. Error: usage.invalid with what is wrong. */
export async function enterWatch(
  watches: WatchRegistry,
  connectionId: number,
  rule: WatchRule,
): Promise<Result<Watch>> {
  const { store, ports } = watches;
  return enter(watches, rule, (real) =>
    addWatch(store, connectionId, real, batchNameOf(real), false, ports.clock.now()),
  );
}

/** The watch of an earlier command for the same directory; else the watch with the same given path, whatever it led to then. */
function earlierWatch(earlier: readonly Watch[], rule: WatchRule): Watch | undefined {
  return (
    earlier.find((watch) => watch.rule.directory === rule.directory) ??
    earlier.find((watch) => givenPathOf(watch.rule) === givenPathOf(rule))
  );
}

/** The watch of a command that lasts only as long as the command: found again by path and batch, or created as one that began then. */
export async function ensureOneOffWatch(
  watches: WatchRegistry,
  connectionId: number,
  rule: WatchRule,
  beganAt = watches.ports.clock.now(),
): Promise<Result<Watch>> {
  const { store } = watches;
  return enter(watches, rule, (real): Watch => {
    const into = batchNameOf(real);
    const earlier = watchesOf(store, connectionId).filter(
      (watch) => watch.oneOff && batchNameOf(watch.rule) === into,
    );
    const known = earlierWatch(earlier, real);
    if (known === undefined) return addWatch(store, connectionId, real, into, true, beganAt);
    editWatch(store, known.id, real);
    return { ...known, rule: real };
  });
}

/** The change that replaces a rule by what a form says; the link in it may have been switched since the form was opened. */
export function toRule(rule: WatchRule): (now: WatchRule) => Result<WatchRule> {
  return (now) => {
    const isSameLink = rule.link !== null && rule.link === now.link;
    return ok(isSameLink ? { ...rule, directory: now.directory } : rule);
  };
}

/**
 * Changes the rule of a watch, and returns it; items already in a batch stay in it. `change` is called again when another
 * program changed the rule meanwhile, so that neither change is lost. Errors: usage.invalid, and those of `change`.
 */
export async function changeWatch(
  watches: WatchRegistry,
  id: number,
  change: (rule: WatchRule) => Result<WatchRule>,
): Promise<Result<WatchRule>> {
  const { store } = watches;
  for (;;) {
    const before = watchById(store, id);
    if (before === null) return noWatch(id);
    const draft = change(before.rule);
    if (!draft.ok) return draft;
    const real = await resolveRule(watches, draft.value);
    if (!real.ok) return real;
    const changed = store.transaction((): Result<WatchRule> | null => {
      const now = watchById(store, id);
      if (JSON.stringify(now?.rule) !== JSON.stringify(before.rule)) return null;
      const fitting = checkAgainstOthers(store, real.value, id);
      if (fitting.ok) editWatch(store, id, fitting.value);
      return fitting;
    });
    if (changed !== null) return changed;
  }
}

/**
 * Records that a watch moves to the directory to which its given path leads now. Null when the ledger's rule is no longer the running one.
 * Error: usage.invalid when it may not be watched.
 */
export async function moveToLinked(
  watches: WatchRegistry,
  { id, rule: running }: Pick<Watch, 'id' | 'rule'>,
  directory: string,
): Promise<Result<WatchRule | null>> {
  const data = await realTarget(watches, watches.dataDirectory);
  if (!data.ok) return data;
  return watches.store.transaction((): Result<WatchRule | null> => {
    const now = watchById(watches.store, id)?.rule ?? null;
    if (now === null || now.directory !== running.directory || now.link !== running.link)
      return ok(null);
    const given = givenPathOf(now);
    const rule = { ...now, directory, link: given === directory ? null : given };
    const fitting = checkAgainstOthers(watches.store, { rule, dataDirectory: data.value }, id);
    if (fitting.ok) editWatch(watches.store, id, rule);
    return fitting;
  });
}

/** Reads the state of a watch in the transaction that changes it: another program may have changed it meanwhile. */
function withPresent(store: Store, id: number, act: (watch: Watch) => void): Result<void> {
  return store.transaction((): Result<void> => {
    const watch = watchById(store, id);
    if (watch === null) return noWatch(id);
    act(watch);
    return ok(undefined);
  });
}

/** Pauses or resumes a watch; does nothing if it already is in that state. Error: usage.invalid when it is removed. */
export function pauseWatch(store: Store, id: number, paused: boolean, now: number): Result<void> {
  const to = paused ? 'paused' : 'active';
  return withPresent(store, id, ({ state }) => {
    if (state !== to) moveWatch(store, id, to, now);
  });
}

/** Removes a watch. `forget` drops files that were not sent yet; `keep` still sends them. Error: as for pauseWatch. */
export function removeWatch(
  store: Store,
  id: number,
  onRemove: OnRemove,
  now: number,
): Result<void> {
  return withPresent(store, id, ({ destinationId }) => {
    moveWatch(store, id, 'removed', now);
    if (onRemove === 'forget') forgetUnsent(store, destinationId, now);
  });
}
