/** Converts watch options to a rule and back. */
import { basename, resolve } from 'node:path';
import type { Result } from '../../../preload/contract/errors.ts';
import { standardRule } from '../../../preload/contract/standardRule.ts';
import {
  type JobOptions,
  jobOptionsSchema,
  mistakeOf,
  sayLimit,
  type WatchRule,
} from '../../../preload/contract/watchRule.ts';
import { ok, allOf } from '../../engine/core/errors.ts';
import type { CommandContext } from '../session/context.ts';
import { MODES } from './upload.ts';
import { KINDS } from './watch.ts';
import {
  type Arguments,
  choiceOf,
  isGiven,
  listOf,
  positiveNumber,
  type Reader,
  readOption,
  usage,
} from '../terminal/args.ts';
import { JOB_OPTIONS } from './jobOptions.ts';
import { readJobOptions } from './jobRequest.ts';
import { readPart } from './part.ts';

/** The value of an option that "none" removes; `before` when it is not given. Errors: those of `read`. */
function readSetting<T>(
  args: Arguments,
  name: string,
  before: T | null,
  read: Reader<T>,
): Result<T | null> {
  return args.text(name) === 'none' ? ok(null) : readOption(args, name, read, before);
}

/** The value of a pair of switches; `before` when neither is given. Error: usage.invalid. */
function readSwitch(
  { flag }: Arguments,
  on: string,
  off: string,
  before: boolean,
): Result<boolean> {
  if (flag(on) && flag(off)) return usage(`--${on} or --${off}, not both`);
  return ok(flag(on) || (before && !flag(off)));
}

function readGlobs(
  { texts }: Arguments,
  name: 'include' | 'exclude',
  before: WatchRule,
): WatchRule['include'] {
  const globs = texts(name);
  if (globs.length === 0) return before[name];
  return globs.join() === 'none' ? [] : [...globs];
}

function asSettleMs(text: string): Result<number> {
  const seconds = Number(text);
  if (!(seconds >= 1 && seconds <= 300)) return usage('--settle is 1 to 300 seconds');
  return ok(Math.round(seconds * 1000));
}

function asMinutes(text: string): Result<number> {
  return Number(text) > 0 ? ok(Number(text)) : usage('--seal-quiet is a number of minutes');
}

function asPath(text: string): Result<string> {
  return ok(resolve(text));
}

/** The job of a rule with the options that are given; with "none" an option is left to the service again. Error: usage.invalid. */
function changeJob(args: Arguments, job: JobOptions): Result<JobOptions> {
  const options = readJobOptions(args, true);
  if (!options.ok) return options;
  const saves = readSwitch(
    args,
    'save-images',
    'no-save-images',
    job.persistImagesOutputs === true,
  );
  if (!saves.ok) return saves;
  const persistImagesOutputs = saves.value || undefined;
  const given = { ...job, ...options.value, persistImagesOutputs };
  const read = jobOptionsSchema().safeParse(given, { error: sayLimit });
  return read.success ? ok(read.data) : usage(mistakeOf(read.error));
}

function readJob(args: Arguments, before: WatchRule['job']): Result<WatchRule['job']> {
  const workflow = readSetting(args, 'workflow', before?.workflowId ?? null, ok);
  if (!workflow.ok || workflow.value === null) return workflow.ok ? ok(null) : workflow;
  return changeJob(args, { ...before, workflowId: workflow.value });
}

/** The rule that the options describe, starting from an existing one. Error: usage.invalid. */
export function readRule(context: CommandContext, from: WatchRule): Result<WatchRule> {
  const { args, environment } = context;
  const read = allOf({
    settleMs: readOption(args, 'settle', asSettleMs, from.settleMs),
    itemsPerBatch: readSetting(args, 'per-batch', from.itemsPerBatch, positiveNumber),
    items: readSetting(args, 'seal-items', from.seal.items, positiveNumber),
    quietMinutes: readSetting(args, 'seal-quiet', from.seal.quietMinutes, asMinutes),
    at: readSetting(args, 'seal-at', from.seal.at, ok<string>),
    displayName: readSetting(args, 'display-name', from.displayName, ok<string>),
    existing: readSwitch(args, 'existing', 'new-only', from.existing),
    kinds: readOption(args, 'kinds', choiceOf(KINDS), from.kinds),
    mode: readOption(args, 'mode', choiceOf(MODES), from.mode),
    followLinks: readSwitch(args, 'links', 'no-links', from.followLinks),
    part: readSetting(args, 'part', from.part, (text) => readPart(text, environment)),
    job: readJob(args, from.job),
    downloadTo: readSetting(args, 'to', from.downloadTo, asPath),
    unpack: readSwitch(args, 'unpack', 'no-unpack', from.unpack),
    moveTo: readSetting(args, 'move-to', from.moveTo, asPath),
  });
  if (!read.ok) return read;
  const { items, quietMinutes, at, ...rest } = read.value;
  return ok({
    ...from,
    ...rest,
    batch: args.text('batch') ?? from.batch,
    name: args.text('name') ?? from.name,
    include: readGlobs(args, 'include', from),
    exclude: readGlobs(args, 'exclude', from),
    seal: { ...from.seal, quietMinutes, items, at },
  });
}

/** The rule of a new watch on a directory; `settleMs` is the setting, which --settle overrides. */
export function readNewRule(
  context: CommandContext,
  directory: string,
  settleMs: number,
): Result<WatchRule> {
  const path = resolve(directory);
  return readRule(context, standardRule(path, basename(path) || 'watch', settleMs));
}

/** Names the options that were given and do nothing under this rule. */
export function sayIfIdle({ args, output }: CommandContext, { job, downloadTo }: WatchRule): void {
  const idle = (names: readonly string[], without: string): void => {
    const given = names.filter((name) => isGiven(args, name)).map((name) => `--${name}`);
    const verb = given.length === 1 ? 'does' : 'do';
    if (given.length > 0)
      output.say(`Without --${without}, ${listOf(given, 'and')} ${verb} nothing.`);
  };
  if (job === null) idle(Object.keys(JOB_OPTIONS), 'workflow');
  if (downloadTo === null) idle(['unpack'], 'to');
}
