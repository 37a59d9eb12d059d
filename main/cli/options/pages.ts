/** The table: every command with its page. The parser, help, completions, man page and docs/commands.md are made from it. */
import { batch } from './batch.ts';
import { job } from './job.ts';
import { metrics, problems, status, why } from './progress.ts';
import { annotationJob, folder, project } from './projects.ts';
import type { CommandSpec, Options, Page } from './types.ts';
import { service } from './service.ts';
import { completion, connections, doctor, pause, resume, settings } from './thisComputer.ts';
import { run, upload } from './upload.ts';
import { watch } from './watch.ts';

const PAGES = {
  upload,
  watch,
  run,
  status,
  problems,
  why,
  metrics,
  batch,
  job,
  folder,
  project,
  'annotation-job': annotationJob,
  pause,
  resume,
  settings,
  connections,
  service,
  doctor,
  completion,
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type CommandName = keyof typeof PAGES;

/** The commands by name, in the order of the help. Has no prototype, so that "constructor" and the like are not commands. */
export const COMMANDS: Readonly<Record<string, CommandSpec>> = Object.assign(
  Object.create(null),
  PAGES,
);

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

/** The sub-commands of a command by name. Has no prototype. */
export function subcommandsOf(command: CommandSpec): Readonly<Record<string, Page>> {
  return Object.assign(Object.create(null), command.subcommands);
}

/** Every option that a command and its sub-commands take. One that the chosen sub-command does not use is ignored, with a note. */
export function optionsOf(command: CommandSpec): Options {
  const pages = [...Object.values(command.subcommands ?? {}), command];
  return Object.assign({}, ...pages.map((page) => page.options));
}
