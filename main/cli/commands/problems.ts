/** `sluice problems`: what needs attention and why; retry it, ignore it, or count it as delivered. */
import type { Result } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { hasLedger, ledgerPath } from '../../engine/core/dataDirectory.ts';
import { ok } from '../../engine/core/errors.ts';
import { storedContext, storedSentences } from '../../engine/core/storedFacts.ts';
import { retryOnce } from '../../engine/uploads/oneShot.ts';
import { type Problem, readProblems, type Store } from '../../engine/queries/overview.ts';
import { readFailedJobs } from '../../engine/status/problemCounts.ts';
import {
  idsToRetry,
  ignoreMany,
  isParked,
  isUnread,
  itemsOnMissingDrives,
  parkedIds,
  retryableItems,
  retryItems,
  treatAsDelivered,
} from '../../engine/decisions/problems.ts';
import { exitOfEnd, summarize } from '../run/ending.ts';
import { waitsToShow } from '../run/waits.ts';
import type { Action, CommandContext } from '../session/context.ts';
import { readLedger, writeLedger } from '../session/ledger.ts';
import { withSession } from '../session/session.ts';
import { positiveNumber, usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { count, iso } from '../terminal/format.ts';
import { createUploadReporter } from '../terminal/progress.ts';
import { exact } from '../terminal/shownText.ts';

const DRIVE_IS_GONE =
  'If a drive never comes back, such as a card that was formatted, skip its files: sluice problems --ignore away.';

/** Paths shown per cause; the rest are counted. */
const SHOWN = 20;

const NOTHING = 'Nothing needs attention.';

/** For how long others may write to the ledger before more files are ignored, in ms. Our choice. */
const PAUSE_MS = 20;

/** In place of an id: every file that waits for a drive that is not connected. */
const AWAY = 'away';

function noProblem<T>(id: number): Result<T> {
  return usage(`there is no problem ${id}: sluice problems shows their ids`);
}

/** Nothing without problems. */
function describeProblems(groups: Iterable<readonly Problem[]>): readonly string[] {
  const causes = new Map<string, { files: number; readonly lines: string[] }>();
  let isUnproven = false;
  for (const group of groups) {
    for (const problem of group) {
      const cause = storedSentences(problem.code, problem.detail);
      const known = causes.get(cause) ?? { files: 0, lines: [] };
      causes.set(cause, known);
      known.files += 1;
      if (known.files <= SHOWN) known.lines.push(`  ${problem.id}  ${exact(problem.path)}`);
      isUnproven ||= problem.code === 'upload.unproven';
    }
  }
  if (causes.size === 0) return [];
  const delivered = isUnproven ? ' It arrived: --delivered ID.' : '';
  return [
    ...[...causes].flatMap(([cause, { files, lines }]) => [
      `${count(files, 'file')}: ${cause}`,
      ...lines,
      ...(files > SHOWN ? [`  … and ${files - SHOWN} more`] : []),
    ]),
    `Try again: sluice problems --retry ID, or --retry all. Skip: --ignore ID.${delivered}`,
  ];
}

function underHeading(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => `  ${line}`)];
}

async function list(context: CommandContext, store: Store | null): Promise<Result<number>> {
  const { output } = context;
  const now = context.clock.now();
  const groups = store === null ? [] : readProblems(store);
  const failed = store === null ? [] : readFailedJobs(store, now);
  const { waiting, others, ...waits } = waitsToShow(context, store, now);
  const failedLines = failed.map(
    ({ jobId, batchId }) =>
      `Job ${jobId} over batch ${batchId} ended with an error. Start another one: sluice job start auto --batch ${batchId} --workflow WF`,
  );
  const urgent = [...failedLines, ...waits.urgent];
  const isAway = waiting.some(({ kind, code }) => kind === 'unstable' && code === 'disk.missing');
  let hasProblems = false;
  if (output.options.json) {
    const failedJobs = failed.map(({ jobId, batchId, failedAt }) => ({
      job: jobId,
      batch: batchId,
      since: iso(failedAt),
    }));
    await output.longResult({}, 'problems', async (add) => {
      for (const group of groups) {
        hasProblems = true;
        add(
          group.map((problem) => ({
            ...problem,
            ...explain({ code: problem.code, context: storedContext(problem.detail) }),
            since: iso(problem.since),
          })),
        );
        await output.drained();
      }
      return { failedJobs, waiting };
    });
  } else {
    const lines = describeProblems(groups);
    hasProblems = lines.length > 0;
    output.lines([
      ...(hasProblems || urgent.length > 0 ? lines : [NOTHING]),
      ...underHeading('Please look at this:', urgent),
      ...underHeading('Waiting:', others),
      ...(isAway ? [DRIVE_IS_GONE] : []),
    ]);
  }
  return ok(hasProblems || urgent.length > 0 ? EXIT.attention : EXIT.done);
}

async function retry(context: CommandContext, id: number | null): Promise<Result<number>> {
  const { output } = context;
  return withSession(context, 'problems --retry', null, async ({ engine, running }) => {
    const ids = idsToRetry(running.pipeline, id);
    if (ids.length === 0 && id !== null) {
      return retryableItems(engine.store, id).length === 0
        ? noProblem(id)
        : usage(`problem ${id} belongs to another address or workspace`);
    }
    const own = new Set(ids);
    const others = parkedIds(engine.store, id).filter((one) => !own.has(one)).length;
    const { clock } = context;
    const startedAt = clock.monotonicMs();
    const { end, tally } = await retryOnce(running, {
      ids,
      queue: (item) => retryItems(engine.store, [item], clock.now()),
      signal: context.signal,
      onProgress: createUploadReporter(output, () => clock.monotonicMs()),
    });
    output.progress('');
    if (others > 0)
      output.say(`${count(others, 'problem')} of another address or workspace: not tried again.`);
    const none = others > 0 ? null : NOTHING;
    summarize(output, tally, clock.monotonicMs() - startedAt, none);
    return ok(exitOfEnd(output, end, tally.attention > 0));
  });
}

/** Works while another process owns the ledger; that process notices within seconds. */
async function ignore(
  context: CommandContext,
  id: number | typeof AWAY | null,
): Promise<Result<number>> {
  const none = (): Result<number> => {
    if (typeof id === 'number') return noProblem(id);
    return context.output.result({ ignored: [] }, [
      id === AWAY ? 'No file waits for a drive that is not connected.' : NOTHING,
    ]);
  };
  if (!hasLedger(ledgerPath(context.dataDirectory))) return none();
  const { files } = await context.ports();
  return writeLedger(context, async (store) => {
    const isAway = id === AWAY;
    const ids = isAway
      ? (await itemsOnMissingDrives(store, files)).map((item) => item.id)
      : parkedIds(store, id);
    const mayBe = isAway ? isUnread : isParked;
    const { clock, signal } = context;
    const pause = (): Promise<void> => clock.sleep(PAUSE_MS, signal);
    const ignored = await ignoreMany(store, ids, mayBe, clock.now(), pause);
    if (ignored.length === 0) return none();
    return context.output.result({ ignored }, [
      `${count(ignored.length, 'file')} ignored. To upload one after all: sluice problems --retry ID`,
    ]);
  });
}

async function countAsDelivered(
  context: CommandContext,
  id: number | null,
): Promise<Result<number>> {
  return withSession(context, 'problems --delivered', [], async ({ engine }) => {
    const ids = parkedIds(engine.store, id, 'upload.unproven');
    if (ids.length === 0 && id !== null) return usage('there is no unproven delivery with this id');
    const items = ids.map((one) => ({ id: one }));
    engine.store.transaction(() => treatAsDelivered(engine.store, items, context.clock.now()));
    return context.output.result({ delivered: ids }, [
      `${count(ids.length, 'file')} counted as delivered.`,
    ]);
  });
}

const DECISIONS = { retry, ignore, delivered: countAsDelivered } as const;
const NO_ID = 'an id as sluice problems shows it, or all';

export const problems: Action = (context) => {
  const chosen = Object.entries(DECISIONS).flatMap(([name, act]) => {
    const given = context.args.text(name);
    return given === null ? [] : [{ name, given, act }];
  });
  const [one, ...more] = chosen;
  if (one === undefined) return readLedger(context, (store) => list(context, store));
  if (more.length > 0) return usage('--retry, --ignore or --delivered, not several');
  if (one.act === ignore && one.given === AWAY) return ignore(context, AWAY);
  if (one.given === 'all') return one.act(context, null);
  const id = positiveNumber(one.given, one.name);
  return id.ok ? one.act(context, id.value) : usage(`--${one.name} needs ${NO_ID}`);
};
