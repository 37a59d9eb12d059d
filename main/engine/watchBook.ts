/** Adding, changing and removing watches, with every check that belongs to the moment of entry. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Result } from '../../preload/errorCodes.ts';
import { watchRuleSchema, type WatchRule } from '../../preload/watchRule.ts';
import { fail, ok } from './errors.ts';
import { refuseRule } from './rule.ts';
import type { Store } from './store/store.ts';
import { moveItem } from './store/transitions.ts';
import { isGone } from './files/errno.ts';
import { queuedIds } from './store/waiting.ts';
import { addWatch, editWatch, moveWatch, type Watch, watchesOf } from './store/watches.ts';

export { type Watch, watchById, watchesOf } from './store/watches.ts';

/** What becomes of items of a removed watch that were not sent yet. */
export type Fate = 'keep' | 'forget';

function realDirectory(path: string): Result<string> {
  try {
    const real = realpathSync(path);
    if (!statSync(real).isDirectory())
      return fail('usage.invalid', { said: 'this is not a directory:', path });
    accessSync(real, constants.R_OK | constants.X_OK);
    return ok(real);
  } catch (error) {
    const said = isGone(error) ? 'there is no such directory:' : 'this directory may not be read:';
    return fail('usage.invalid', { said, path });
  }
}

/** A path with the links of that part of it followed that is there already. */
function realTarget(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    const parent = dirname(whole);
    return parent === whole ? whole : join(realTarget(parent), basename(whole));
  }
}

/** Checks a rule as it is entered: shape, directory, overlaps, templates. Answers it with real paths. */
export function checkRule(
  store: Store | null,
  rule: WatchRule,
  around: { readonly dataDirectory: string; readonly exceptId: number | null },
): Result<WatchRule> {
  const parsed = watchRuleSchema.safeParse(rule);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return fail('usage.invalid', {
      said: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    });
  }
  const directory = realDirectory(parsed.data.directory);
  if (!directory.ok) return directory;
  const { downloadTo, moveTo } = parsed.data;
  const real: WatchRule = {
    ...parsed.data,
    directory: directory.value,
    downloadTo: downloadTo === null ? null : realTarget(downloadTo),
    moveTo: moveTo === null ? null : realTarget(moveTo),
  };
  const others = (store === null ? [] : watchesOf(store, null))
    // What a command made for itself is over when the command is.
    .filter((watch) => watch.id !== around.exceptId && !watch.oneOff)
    .map((watch) => ({ name: watch.rule.name, rule: watch.rule }));
  const refused = refuseRule(real, { dataDirectory: realTarget(around.dataDirectory), others });
  return refused === null ? ok(real) : fail('usage.invalid', { said: refused });
}

/** Adds a watch. Error: usage.invalid with what is wrong. */
export function enterWatch(
  store: Store,
  connectionId: number,
  rule: WatchRule,
  dataDirectory: string,
  now: number,
): Result<Watch> {
  const checked = checkRule(store, rule, { dataDirectory, exceptId: null });
  if (!checked.ok) return checked;
  return ok(store.transaction(() => addWatch(store, connectionId, checked.value, false, now)));
}

/** The watch of a command that runs only while the command does: found again by directory and batch, or made. */
export function enterOneOff(
  store: Store,
  connectionId: number,
  rule: WatchRule,
  dataDirectory: string,
  now: number,
): Result<Watch> {
  const checked = checkRule(store, rule, { dataDirectory, exceptId: null });
  if (!checked.ok) return checked;
  const { directory, batch } = checked.value;
  const known = watchesOf(store, connectionId).find(
    (watch) => watch.oneOff && watch.rule.directory === directory && watch.rule.batch === batch,
  );
  if (known === undefined) {
    return ok(store.transaction(() => addWatch(store, connectionId, checked.value, true, now)));
  }
  store.transaction(() => editWatch(store, known.id, checked.value));
  return ok({ ...known, rule: checked.value });
}

/** Changes the rule of a watch; items that have a batch keep it. Error: usage.invalid. */
export function changeWatch(
  store: Store,
  id: number,
  rule: WatchRule,
  dataDirectory: string,
): Result<void> {
  const checked = checkRule(store, rule, { dataDirectory, exceptId: id });
  if (!checked.ok) return checked;
  store.transaction(() => editWatch(store, id, checked.value));
  return ok(undefined);
}

/** Pauses or resumes a watch; nothing happens when it is so already. */
export function pauseWatch(store: Store, watch: Watch, paused: boolean, now: number): void {
  const to = paused ? 'paused' : 'active';
  if (watch.state !== to) store.transaction(() => moveWatch(store, watch.id, to, now));
}

/** Removes a watch. `forget` skips what was not sent yet; `keep` lets it go on. */
export function removeWatch(store: Store, watch: Watch, fate: Fate, now: number): void {
  store.transaction(() => {
    moveWatch(store, watch.id, 'removed', now);
    if (fate === 'forget') forgetQueued(store, watch.destinationId, now);
  });
}

function forgetQueued(store: Store, destinationId: number, now: number): void {
  for (const id of queuedIds(store, destinationId)) {
    moveItem(store, id, 'skipped', now, { code: 'item.excluded', detail: null });
  }
}
