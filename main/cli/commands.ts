/** Maps a command's name to its action. The module of a command is loaded only when it runs. */
import type { Result } from '../../preload/contract/errors.ts';
import { ok } from '../engine/core/errors.ts';
import { optionTerm } from './help.ts';
import { unknownCommand, unknownName } from './names.ts';
import type { Action, Actions, CommandContext } from './session/context.ts';
import {
  COMMANDS,
  type CommandName,
  isCommand,
  optionsOf,
  subcommandsOf,
} from './options/pages.ts';
import type { CommandSpec, OptionSpec, Page } from './options/types.ts';
import { areFewFiles } from './run/fewFiles.ts';
import { type Arguments, isGiven, listOf, usage } from './terminal/args.ts';

/** What each command does: one action, or actions by sub-command, with the command's own action under ''. */
const LOADERS: Readonly<Record<CommandName, () => Promise<Action | Actions>>> = {
  upload: async () => (await import('./commands/upload.ts')).upload,
  watch: async () => (await import('./commands/watch.ts')).watch,
  run: async () => (await import('./commands/run.ts')).run,
  metrics: async () => (await import('./commands/metrics.ts')).metrics,
  status: async () => (await import('./commands/status.ts')).status,
  problems: async () => (await import('./commands/problems.ts')).problems,
  why: async () => (await import('./commands/why.ts')).why,
  batch: async () => (await import('./commands/batch.ts')).batch,
  job: async () => (await import('./commands/job.ts')).job,
  folder: async () => (await import('./commands/folder.ts')).folder,
  project: async () => (await import('./commands/project.ts')).project,
  'annotation-job': async () => (await import('./commands/annotationJob.ts')).annotationJob,
  pause: async () => (await import('./commands/pause.ts')).pause,
  resume: async () => (await import('./commands/pause.ts')).resume,
  settings: async () => (await import('./commands/settings.ts')).settings,
  connections: async () => (await import('./commands/connections.ts')).connections,
  service: async () => (await import('./commands/service.ts')).service,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  completion: async () => (await import('./commands/completion.ts')).completion,
};

/** Commands that read and send files, with their sub-commands. */
const SENDING: ReadonlySet<string> = new Set(['upload', 'run', 'watch', 'watch run']);

/** Those of them that need no thread for a few files: a watch will get more. */
const SHORT: ReadonlySet<string> = new Set(['upload', 'run']);

/** The sub-command that the words ask for; '' for the command itself. Error: usage.invalid. */
function chooseSubcommand(
  name: string,
  { subcommands, operands }: CommandSpec,
  { args }: CommandContext,
): Result<string> {
  const names = Object.keys(subcommands ?? {});
  const [word, ...more] = args.words;
  const hasOwnWork = names.length === 0 || operands !== undefined;
  const isBatchGiven = args.text('batch') !== null;
  // With --batch, a single word is a directory, whatever its name.
  const isDirectory = hasOwnWork && isBatchGiven && more.length === 0;
  if (word !== undefined && names.includes(word) && !isDirectory) return ok(word);
  if (word === undefined) return hasOwnWork ? ok('') : usage(`${name} needs ${listOf(names)}`);
  const mistake = unknownName(word, names);
  const isNear = mistake.includes('Did you mean');
  if (!hasOwnWork) return usage(isNear ? mistake : `${mistake}; ${name} needs ${listOf(names)}`);
  // Without --batch a watch cannot start, so a word close to a sub-command's name is treated as a misspelled one.
  return isNear && !isBatchGiven ? usage(mistake) : ok('');
}

/** What is missing: operands, or options that are required; or operands of which the command would do nothing. Null when it can run. */
function mistakeIn(
  title: string,
  { operands = '', operandChoices, refusesWords, forMore, options = {} }: Page,
  args: Arguments,
  words: readonly string[],
): string | null {
  if (refusesWords === true && words.length > 0) return `${title} takes no words`;
  const names = operands === '' ? [] : operands.split(' ');
  const isMany = operands.endsWith('…');
  const one = `${isMany ? 'at least ' : ''}one ${operands.replace('…', '')}`;
  const taken = names.length === 1 ? one : listOf(names, 'and');
  const more = forMore === undefined ? '' : `; ${forMore}`;
  const isChoice = operandChoices?.includes(words[0] ?? '') ?? true;
  if (!isChoice) return `${title} needs ${listOf(operandChoices ?? [])}`;
  if (words.length < names.length) return `${title} needs ${taken}${more}`;
  const isSurplus = operands !== '' && !isMany && words.length > names.length;
  if (isSurplus) return `${title} takes ${taken}${more}`;
  const isMissing = ([name, { required, unless = '' }]: [string, OptionSpec]): boolean =>
    required === true && args.needed(name).trim() === '' && args.text(unless) === null;
  const missing = Object.entries(options).filter(isMissing);
  if (missing.length === 0) return null;
  const terms = missing.map(([name, option]) => optionTerm(name, option));
  return `${title} needs ${listOf(terms, 'and')}`;
}

/** What was given and does nothing: words for a page without operands, and options of other pages, such as --exclude for `watch run`. */
function ignoredBy(
  page: Page,
  command: CommandSpec,
  { args }: CommandContext,
  words: readonly string[],
): readonly string[] {
  const surplus = page.operands === undefined ? words : [];
  const options = Object.keys(optionsOf(command)).flatMap((name) => {
    return isGiven(args, name) && page.options?.[name] === undefined ? [`--${name}`] : [];
  });
  return [...surplus, ...options];
}

/** Runs the command with this name. Returns the exit code. Errors: usage.invalid, and those of the command. */
export async function runCommand(name: string, context: CommandContext): Promise<Result<number>> {
  const command = COMMANDS[name];
  if (command === undefined || !isCommand(name)) return usage(unknownCommand(name));
  const chosen = chooseSubcommand(name, command, context);
  if (!chosen.ok) return chosen;
  const title = `${name} ${chosen.value}`.trim();
  const words = chosen.value === '' ? context.args.words : context.args.words.slice(1);
  const page = subcommandsOf(command)[chosen.value] ?? command;
  const mistake = mistakeIn(title, page, context.args, words);
  if (mistake !== null) return usage(mistake);
  const ignored = ignoredBy(page, command, context, words);
  if (ignored.length > 0)
    context.output.say(`${title} ignores ${ignored.join(', ')}. See sluice help ${title}.`);
  const isShort = SHORT.has(title) && (await areFewFiles(context.clock, words));
  if (SENDING.has(title) && !isShort) await context.prepareFiles();
  const actions = await LOADERS[name]();
  if (typeof actions === 'function') return actions(context, words);
  const action = actions[chosen.value];
  if (action === undefined) return usage(`${title} does nothing`);
  return action(context, words);
}
