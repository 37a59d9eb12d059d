/** Converts watch options to a rule and back. */
import { basename, resolve } from 'node:path';
import type { Result } from '../../../preload/contract/errors.ts';
import { standardRule } from '../../../preload/contract/standardRule.ts';
import {
  type JobOptions,
  jobOptionsSchema,
  type WatchRule,
} from '../../../preload/contract/watchRule.ts';
import { ok } from '../../engine/core/errors.ts';
import type { CommandContext } from '../session/context.ts';
import { MODES } from './upload.ts';
import { KINDS } from './watch.ts';
import { type Arguments, readChoice, usage, wholeNumber } from '../terminal/args.ts';
import { readJobOptions } from './jobRequest.ts';
import { readPart } from './part.ts';

type Draft = { -readonly [K in keyof WatchRule]: WatchRule[K] };

/** "none" removes a setting; null when the option is not given. */
function given(context: CommandContext, name: string): { value: string | null } | null {
  const text = context.args.text(name);
  if (text === null) return null;
  return { value: text === 'none' ? null : text };
}

/** The value of a pair of switches; null when neither is given. Error: usage.invalid. */
function readSwitch({ flag }: Arguments, on: string, off: string): Result<boolean | null> {
  if (flag(on) && flag(off)) return usage(`--${on} or --${off}, not both`);
  return ok(flag(on) ? true : flag(off) ? false : null);
}

function applyNumbers(context: CommandContext, draft: Draft): Result<void> {
  const settle = context.args.text('settle');
  if (settle !== null) {
    const seconds = Number(settle);
    if (!(seconds >= 1 && seconds <= 300)) return usage('--settle is 1 to 300 seconds');
    draft.settleMs = Math.round(seconds * 1000);
  }
  const perBatch = given(context, 'per-batch');
  if (perBatch !== null) {
    const value =
      perBatch.value === null ? ok(null) : wholeNumber(perBatch.value, '--per-batch', 1);
    if (!value.ok) return value;
    draft.itemsPerBatch = value.value;
  }
  const items = given(context, 'seal-items');
  if (items !== null) {
    const value = items.value === null ? ok(null) : wholeNumber(items.value, '--seal-items', 1);
    if (!value.ok) return value;
    draft.seal = { ...draft.seal, items: value.value };
  }
  const quiet = given(context, 'seal-quiet');
  if (quiet !== null) {
    const minutes = quiet.value === null ? null : Number(quiet.value);
    if (minutes !== null && !(minutes > 0)) return usage('--seal-quiet is a number of minutes');
    draft.seal = { ...draft.seal, quietMinutes: minutes };
  }
  return ok(undefined);
}

function applyWords(context: CommandContext, draft: Draft): Result<void> {
  const { args } = context;
  draft.batch = args.text('batch') ?? draft.batch;
  draft.name = args.text('name') ?? draft.name;
  const displayName = given(context, 'display-name');
  if (displayName !== null) draft.displayName = displayName.value;
  for (const name of ['include', 'exclude'] as const) {
    const globs = args.texts(name);
    if (globs.length > 0) draft[name] = globs.join() === 'none' ? [] : [...globs];
  }
  const existing = readSwitch(args, 'existing', 'new-only');
  if (!existing.ok) return existing;
  draft.existing = existing.value ?? draft.existing;
  const kinds = readChoice(args, 'kinds', KINDS);
  if (!kinds.ok) return kinds;
  draft.kinds = kinds.value ?? draft.kinds;
  const mode = readChoice(args, 'mode', MODES);
  if (!mode.ok) return mode;
  draft.mode = mode.value ?? draft.mode;
  const links = readSwitch(args, 'links', 'no-links');
  if (!links.ok) return links;
  draft.followLinks = links.value ?? draft.followLinks;
  const part = given(context, 'part');
  if (part !== null) {
    const read = part.value === null ? ok(null) : readPart(part.value, context.environment);
    if (!read.ok) return read;
    draft.part = read.value;
  }
  const at = given(context, 'seal-at');
  if (at !== null) draft.seal = { ...draft.seal, at: at.value };
  return ok(undefined);
}

/** The field of a rule's job that each option sets. */
const JOB_FIELDS = {
  machine: 'machineType',
  workers: 'workersPerMachine',
  timeout: 'processingTimeoutSeconds',
  'max-tasks': 'maxParallelTasks',
  'max-failure-rate': 'maxImageFailureRate',
  'image-input': 'imageInputName',
  aggregation: 'aggregationFormat',
  'max-fps': 'maxVideoFps',
  parameters: 'workflowParameters',
} as const satisfies Readonly<Record<string, keyof JobOptions>>;

/** The job of a rule with the options that are given; with "none" an option is left to the service again. Error: usage.invalid. */
function changeJob(context: CommandContext, job: Partial<JobOptions>): Result<JobOptions> {
  const changed = { ...job };
  for (const [name, field] of Object.entries(JOB_FIELDS)) {
    if (given(context, name)?.value === null) delete changed[field];
  }
  const text = (name: string): string | null => given(context, name)?.value ?? null;
  const options = readJobOptions({ ...context, args: { ...context.args, text } });
  if (!options.ok) return options;
  const saves = readSwitch(context.args, 'save-images', 'no-save-images');
  if (!saves.ok) return saves;
  if (saves.value === false) delete changed.persistImagesOutputs;
  const read = jobOptionsSchema().safeParse({ ...changed, ...options.value });
  if (read.success) return ok(read.data);
  return usage(`the workflow's options: ${read.error.issues[0]?.message ?? 'not understood'}`);
}

function applyAfterwards(context: CommandContext, draft: Draft): Result<void> {
  const { args } = context;
  const workflow = given(context, 'workflow');
  if (workflow !== null && workflow.value === null) draft.job = null;
  else if (workflow !== null || draft.job !== null) {
    const workflowId = workflow?.value ?? draft.job?.workflowId ?? '';
    const job = changeJob(context, { ...draft.job, workflowId });
    if (!job.ok) return job;
    draft.job = job.value;
  }
  const to = given(context, 'to');
  if (to !== null) draft.downloadTo = to.value === null ? null : resolve(to.value);
  const unpack = readSwitch(args, 'unpack', 'no-unpack');
  if (!unpack.ok) return unpack;
  draft.unpack = unpack.value ?? draft.unpack;
  const moveTo = given(context, 'move-to');
  if (moveTo !== null) draft.moveTo = moveTo.value === null ? null : resolve(moveTo.value);
  return ok(undefined);
}

/** The rule that the options describe, starting from an existing one. Error: usage.invalid. */
export function readRule(context: CommandContext, from: WatchRule): Result<WatchRule> {
  const draft: Draft = { ...from };
  for (const apply of [applyNumbers, applyWords, applyAfterwards]) {
    const applied = apply(context, draft);
    if (!applied.ok) return applied;
  }
  return ok(draft);
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
