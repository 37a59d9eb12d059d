/** `sluice watch …`: keeps directories uploaded, once or continuously, and edits their rules. */
import type { Result } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { SETTLE_MS } from '../../../preload/contract/bounds.ts';
import { fillsSameBatch, sharedBatchWords } from '../../../preload/contract/sharedBatch.ts';
import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { hasLedger, ledgerPath } from '../../engine/core/dataDirectory.ts';
import { ok } from '../../engine/core/errors.ts';
import { previewRule } from '../../engine/watches/preview.ts';
import { type Store, type Tally, tallyDestinations } from '../../engine/queries/overview.ts';
import { describeRule, neverClosed } from '../../engine/watches/rule.ts';
import { knownMissingDrive } from '../../engine/uploads/oneShot.ts';
import { keptDestinations } from '../../engine/uploads/pendingUploads.ts';
import { readEngineSettings, STANDARD_SETTINGS } from '../../engine/settings/engineSettings.ts';
import {
  changeWatch,
  checkRule,
  ensureOneOffWatch,
  enterWatch,
  pauseWatch,
  removeWatch,
  type Watch,
  watchById,
  watchesOf,
} from '../../engine/watches/registry.ts';
import { keepRunning } from '../run/keepRunning.ts';
import { pauseNoteIn } from '../run/pauseNote.ts';
import { readNewRule, readRule, sayIfIdle } from '../options/watchRule.ts';
import { undoing } from './watchUndo.ts';
import { watchInForeground } from '../run/watchRun.ts';
import { readOwn, withClientAndLedger } from '../session/client.ts';
import { type Action, type Actions, type CommandContext, openClient } from '../session/context.ts';
import { readLedger, writeLedger } from '../session/ledger.ts';
import { ownerName, type Session, withSession } from '../session/session.ts';
import { positiveNumber, usage } from '../terminal/args.ts';
import { count, formatBytes, formatTable, iso, needAttention } from '../terminal/format.ts';
import { exact, exactIn } from '../terminal/shownText.ts';

async function registryOf<S extends Store | null>(context: CommandContext, store: S) {
  return { store, ports: await context.ports(), dataDirectory: context.dataDirectory };
}

/** Runs the work as owner of the ledger; without `--once` it continues after a full disk. */
async function inForeground(
  context: CommandContext,
  owner: string,
  work: (session: Session) => Promise<Result<number>>,
): Promise<Result<number>> {
  if (context.args.flag('once')) return withSession(context, owner, null, work);
  const note = pauseNoteIn(context.dataDirectory, ownerName(owner), context.clock);
  const run = (): Promise<Result<number>> =>
    withSession(context, owner, null, (session) => {
      note.begin();
      return work(session);
    });
  const end = await keepRunning(context, run, note);
  note.end();
  return end;
}

/** Says when nothing will close the batches of a rule, although it wants something done with them then. */
function sayIfNeverClosed({ output }: CommandContext, rule: WatchRule): void {
  const open = neverClosed(rule);
  if (open !== null) output.say(`${open} Close it with --seal-quiet, --seal-items or --seal-at.`);
}

/** Says when another watch fills the same batch. */
function sayIfShared(
  { output }: CommandContext,
  others: readonly Watch[],
  { id, rule }: Watch,
): void {
  const lasting = others.filter(({ oneOff }) => !oneOff);
  const other = fillsSameBatch(lasting, rule, id);
  if (other !== null) output.say(sharedBatchWords(`Watch ${other.id}`, 'watch'));
}

const runOne: Action = async (context, [directory = '']) => {
  const { clock } = context;
  const startedAt = clock.monotonicMs();
  const draft = readNewRule(context, directory, SETTLE_MS.standard);
  if (!draft.ok) return draft;
  // Errors in the rule are reported before asking the service. Only for those the ledger is read: it knows which drives are not connected.
  const check = async (store: Store | null): Promise<Result<WatchRule>> =>
    checkRule(await registryOf(context, store), draft.value, null);
  const checked = await check(null);
  const known = checked.ok ? checked : await readLedger(context, check);
  if (!known.ok) return known;
  sayIfIdle(context, known.value);
  // With --once, a batch that a workflow waits for is closed at the end.
  if (!context.args.flag('once') || known.value.job === null)
    sayIfNeverClosed(context, known.value);
  return inForeground(context, 'watch', async (session) => {
    const { engine, running } = session;
    const { settleMs } = readEngineSettings(engine.store);
    const rule = readNewRule(context, directory, settleMs);
    if (!rule.ok) return rule;
    const registry = await registryOf(context, engine.store);
    // What arrived while the service did not answer yet is new, too.
    const beganAt = Math.floor(clock.now() - (clock.monotonicMs() - startedAt));
    const { connectionId } = running.pipeline;
    const watch = await ensureOneOffWatch(registry, connectionId, rule.value, beganAt);
    if (!watch.ok) return watch;
    const once = context.args.flag('once');
    return watchInForeground(context, session, [watch.value], { once, scope: 'these' });
  });
};

const runAll: Action = async (context) =>
  inForeground(context, 'watch run', async (session) => {
    const { engine, running } = session;
    const once = context.args.flag('once');
    const all = watchesOf(engine.store, running.pipeline.connectionId).filter(
      ({ oneOff }) => !oneOff,
    );
    const watches = all.filter(({ state }) => state === 'active');
    // What a removed watch left queued is sent without any watch.
    const isIdle = keptDestinations(engine.store, running.pipeline.connectionId).length === 0;
    if (isIdle && once && watches.length === 0)
      return usage(
        all.length === 0
          ? 'there is no watch yet: sluice watch add DIR --batch …'
          : 'every watch is paused: sluice watch resume ID',
      );
    return watchInForeground(context, session, watches, { once, scope: 'all' });
  });

const add: Action = (context, [directory = '']) =>
  withClientAndLedger(context, async ({ store, connectionId }) => {
    const rule = readNewRule(context, directory, readEngineSettings(store).settleMs);
    if (!rule.ok) return rule;
    const watch = await enterWatch(await registryOf(context, store), connectionId, rule.value);
    if (!watch.ok) return watch;
    sayIfIdle(context, watch.value.rule);
    sayIfNeverClosed(context, watch.value.rule);
    sayIfShared(context, watchesOf(store, connectionId), watch.value);
    const { id } = watch.value;
    const lines = [`Watch ${id}: ${ruleLine(watch.value.rule)}`];
    return context.output.result({ watch: toJson(watch.value) }, lines);
  });

function pathsOf(rule: WatchRule): readonly string[] {
  return [rule.directory, rule.downloadTo ?? '', rule.moveTo ?? ''];
}

/** The rule as a sentence; the paths in it are shown as they are. */
function ruleLine(rule: WatchRule): string {
  return exactIn(describeRule(rule), pathsOf(rule));
}

function toJson(watch: Watch): Readonly<Record<string, unknown>> {
  const { id, state, addedAt, rule } = watch;
  return { id, state, addedAt: iso(addedAt), rule };
}

function confirmedWords({ found, confirmed, attention }: Tally): string {
  return `${confirmed} of ${found}${attention > 0 ? `, ${needAttention(attention)}` : ''}`;
}

const list: Action = async (context) => {
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  return readOwn(context, connected.value, (ledger) => {
    const watches = (ledger === null ? [] : watchesOf(ledger.store, ledger.connectionId)).flatMap(
      (watch) =>
        watch.oneOff || ledger === null
          ? []
          : [{ ...watch, counts: tallyDestinations(ledger.store, [watch.destinationId]) }],
    );
    const none = 'No watch yet. Add one with: sluice watch add DIR --batch ID_OR_TEMPLATE';
    const lines = formatTable(watches, none, [
      ['id', (watch) => watch.id],
      ['state', (watch) => watch.state],
      ['directory', (watch) => exact(watch.rule.directory)],
      ['confirmed', (watch) => confirmedWords(watch.counts)],
      ['rule', (watch) => ruleLine(watch.rule)],
    ]);
    const data = watches.map((watch) => ({ ...toJson(watch), counts: watch.counts }));
    return context.output.result({ watches: data }, lines);
  });
};

type ActOnWatch = (
  context: CommandContext,
  store: Store,
  watch: Watch,
) => Result<string> | Promise<Result<string>>;

function onWatch(act: ActOnWatch): Action {
  return async (context, [word = '']) => {
    const id = positiveNumber(word, 'the id of the watch');
    if (!id.ok) return id;
    const none = `there is no watch ${id.value}: sluice watch list shows them`;
    if (!hasLedger(ledgerPath(context.dataDirectory))) return usage(none);
    return writeLedger(context, async (store) => {
      const watch = watchById(store, id.value);
      if (watch === null) return usage(none);
      const done = await act(context, store, watch);
      if (!done.ok) return done;
      const line = exactIn(done.value, pathsOf(watch.rule));
      return context.output.result({ watch: id.value, said: done.value }, [line]);
    });
  };
}

/** The watch of a `sluice watch DIR` is in no list: who names it has mistaken the id. */
function onListedWatch(act: ActOnWatch): Action {
  return onWatch((context, store, watch) =>
    watch.oneOff ? usage(`watch list has no watch ${watch.id}`) : act(context, store, watch),
  );
}

const edit = onListedWatch(async (context, store, watch) => {
  const registry = await registryOf(context, store);
  const changed = await changeWatch(registry, watch.id, (rule) => readRule(context, rule));
  if (!changed.ok) return changed;
  sayIfIdle(context, changed.value);
  sayIfNeverClosed(context, changed.value);
  return ok(`Watch ${watch.id}: ${describeRule(changed.value)}`);
});

const remove = onListedWatch((context, store, watch) => {
  const { args } = context;
  if (args.flag('keep') === args.flag('forget')) {
    return usage('choose what happens with queued files: --keep sends them, --forget does not');
  }
  const onRemove = args.flag('keep') ? 'keep' : 'forget';
  const removed = removeWatch(store, watch.id, onRemove, context.clock.now());
  if (!removed.ok) return removed;
  return ok(`Watch ${watch.id} is removed; your files are untouched.`);
});

function pausing(paused: boolean): Action {
  // What was paused by an earlier version must be able to continue.
  const on = paused ? onListedWatch : onWatch;
  return on((context, store, watch) => {
    const done = pauseWatch(store, watch.id, paused, context.clock.now());
    if (!done.ok) return done;
    return ok(`Watch ${watch.id} is ${paused ? 'paused' : 'active'}.`);
  });
}

const preview: Action = (context, [word = '']) =>
  readLedger(context, async (store) => {
    const known = store !== null && /^\d+$/.test(word) ? watchById(store, Number(word)) : null;
    const { settleMs } = store === null ? STANDARD_SETTINGS : readEngineSettings(store);
    const draft =
      known === null ? readNewRule(context, word, settleMs) : readRule(context, known.rule);
    if (!draft.ok) return draft;
    const watches = await registryOf(context, store);
    const { ports } = watches;
    const rule = await checkRule(watches, draft.value, known?.id ?? null);
    if (!rule.ok) return rule;
    sayIfIdle(context, rule.value);
    const addedAt = known?.addedAt ?? null;
    const found = await previewRule(ports, rule.value, context.signal, addedAt);
    const { directory } = rule.value;
    const away = store === null ? null : await knownMissingDrive({ ports, store }, directory);
    const missing = away === null ? [] : [explain(away).message];
    const seen = { ...found, warnings: [...missing, ...found.warnings] };
    const more = seen.more ? ' or more' : '';
    const lines = [
      `${count(seen.files, 'file')}${more}, ${formatBytes(seen.bytes)} → ${count(seen.batchCount, 'batch', 'batches')}; ${seen.leftOut} left out`,
      ...seen.batches.map(
        (one) => `  ${one.batchId}: ${count(one.files, 'file')}, ${formatBytes(one.bytes)}`,
      ),
      ...(seen.files === 0 && away === null ? ['Nothing there matches this rule now.'] : []),
      ...seen.warnings,
      ...seen.notes,
    ];
    return context.output.result(seen, lines);
  });

export const watch: Actions = {
  '': runOne,
  add,
  list,
  edit,
  remove,
  preview,
  pause: pausing(true),
  resume: pausing(false),
  run: runAll,
  'undo-moves': undoing,
};
