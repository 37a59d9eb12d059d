/** `sluice problems`: what needs a person, why, and trying again. */
import type { Result } from '../../preload/contract/errors.ts';
import { explain } from '../../preload/contract/messages.ts';
import { openBeside } from '../engine/queries/besideLedger.ts';
import { ok } from '../engine/core/errors.ts';
import { retryOnce } from '../engine/uploads/oneShot.ts';
import { openReader, type Problem, readProblems } from '../engine/queries/reading.ts';
import {
  ignoreItems,
  parkedItems,
  retryableItems,
  retryItems,
  treatAsDelivered,
} from '../engine/queries/retry.ts';
import { usage, wholeNumber } from './args.ts';
import type { Command, CommandContext } from './context.ts';
import { EXIT } from './exitCode.ts';
import { count } from './format.ts';
import { withSession } from './session.ts';
import { exact } from './shownText.ts';
import { waitsToShow } from './waits.ts';
import { createUploadTeller, describeEnd } from './uploadProgress.ts';

/** Paths shown per cause; the rest is counted. */
const SHOWN = 20;

function factsOf(problem: Problem): Readonly<Record<string, string>> {
  const facts: unknown = JSON.parse(problem.detail ?? '{}');
  if (typeof facts !== 'object' || facts === null) return {};
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]));
}

/** The listing for people, grouped by cause. */
function describeProblems(problems: readonly Problem[]): readonly string[] {
  if (problems.length === 0) return ['Nothing needs you.'];
  const lines: string[] = [];
  const causes = Map.groupBy(problems, (problem) => `${problem.code} ${problem.detail ?? ''}`);
  for (const group of causes.values()) {
    const first = group[0];
    if (first === undefined) continue;
    const { message, hint } = explain({ code: first.code, context: factsOf(first) });
    lines.push(`${count(group.length, 'file')}: ${message} ${hint}`);
    for (const problem of group.slice(0, SHOWN))
      lines.push(`  ${problem.id}  ${exact(problem.path)}`);
    if (group.length > SHOWN) lines.push(`  … and ${group.length - SHOWN} more`);
  }
  lines.push('Try again: sluice problems --retry ID, or --retry all. Leave out: --ignore ID.');
  return lines;
}

function underHeading(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => `  ${line}`)];
}

function list(context: CommandContext): Result<number> {
  const reader = openReader(context.dataDirectory);
  if (!reader.ok) return reader;
  const problems = reader.value === null ? [] : readProblems(reader.value);
  const waits = waitsToShow(context, reader.value, context.ports().clock.now());
  reader.value?.close();
  const data = problems.map((problem) => ({
    ...problem,
    ...explain({ code: problem.code, context: factsOf(problem) }),
    since: new Date(problem.since).toISOString(),
  }));
  const { waiting, urgent, others } = waits;
  const nothing = problems.length === 0 && urgent.length > 0;
  const lines = [
    ...(nothing ? [] : describeProblems(problems)),
    ...underHeading('Please look at this:', urgent),
    ...underHeading('Waits, and continues by itself:', others),
  ];
  context.output.result({ problems: data, waiting }, lines);
  return ok(problems.length > 0 || urgent.length > 0 ? EXIT.attention : EXIT.done);
}

/** Reads the id of an item; null for "all". */
function readId(text: string): Result<number | null> {
  return text === 'all' ? ok(null) : wholeNumber(text, 'the id', 1);
}

async function again(context: CommandContext, id: number | null): Promise<Result<number>> {
  const { output } = context;
  return withSession(context, 'problems --retry', null, async ({ engine, running }) => {
    const items = retryableItems(engine.store, id);
    if (items.length === 0) return usage('there is no problem with this id');
    const { clock } = context.ports();
    const began = clock.monotonicMs();
    const { end, tally } = await retryOnce(running, {
      items,
      queue: () => retryItems(engine.store, items, clock.now()),
      signal: context.signal,
      onProgress: createUploadTeller(output, () => clock.monotonicMs()),
    });
    output.progress('');
    const { found, confirmed, skipped, attention, confirmedBytes: bytes } = tally;
    const seconds = Math.round(clock.monotonicMs() - began) / 1000;
    const figures = { found, confirmed, skipped, attention, bytes, seconds };
    output.event({ event: 'summary', ...figures }, describeEnd(figures));
    if (end.kind === 'interrupted') return ok(EXIT.interrupted);
    if (end.kind === 'hindered') return { ok: false, error: end.error };
    if (end.kind === 'unreachable') return ok(EXIT.unreachable);
    return ok(attention > 0 || end.kind === 'stalled' ? EXIT.attention : EXIT.done);
  });
}

/** Runs beside a program that owns the ledger: it notices within seconds. */
async function ignore(context: CommandContext, id: number | null): Promise<Result<number>> {
  await Promise.resolve();
  const none = usage('there is no problem with this id');
  const reader = openReader(context.dataDirectory);
  if (!reader.ok) return reader;
  if (reader.value === null) return none;
  reader.value.close();
  const store = openBeside(context.dataDirectory);
  try {
    const ignored = store.transaction(() => {
      const items = parkedItems(store, id);
      ignoreItems(store, items, context.ports().clock.now());
      return items.map((item) => item.id);
    });
    if (ignored.length === 0) return none;
    context.output.result({ ignored }, [
      `${count(ignored.length, 'file')} ignored. To upload one after all: sluice problems --retry ID`,
    ]);
    return ok(EXIT.done);
  } finally {
    store.close();
  }
}

async function believe(context: CommandContext, id: number | null): Promise<Result<number>> {
  return withSession(context, 'problems --delivered', [], async ({ engine }) => {
    const items = parkedItems(engine.store, id).filter((item) => item.reason === 'upload.unproven');
    if (items.length === 0) return usage('there is no unproven delivery with this id');
    engine.store.transaction(() =>
      treatAsDelivered(engine.store, items, context.ports().clock.now()),
    );
    context.output.result({ delivered: items.map((item) => item.id) }, [
      `${count(items.length, 'file')} counted as delivered.`,
    ]);
    return ok(EXIT.done);
  });
}

const DECISIONS = { retry: again, ignore, delivered: believe } as const;

export const problems: Command = {
  usage: 'sluice problems [--retry ID|all] [--ignore ID|all] [--delivered ID|all]',
  about: 'what needs a person, why; try again, ignore, or treat an unproven delivery as delivered',
  options: { retry: 'text', ignore: 'text', delivered: 'text' },
  run: async (context) => {
    const asked = Object.entries(DECISIONS).flatMap(([name, act]) => {
      const given = context.args.text(name);
      return given === null ? [] : [{ given, act }];
    });
    const [one, ...more] = asked;
    if (one === undefined) return list(context);
    if (more.length > 0) return usage('one of --retry, --ignore and --delivered');
    const id = readId(one.given);
    return id.ok ? one.act(context, id.value) : id;
  },
};
