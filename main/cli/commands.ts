/** The commands by name, and the help that lists them. */
import { annotationJob } from './commands/annotationJob.ts';
import { batch } from './commands/batch.ts';
import { completionOf } from './commands/completion.ts';
import { connections } from './commands/connections.ts';
import type { Command } from './session/context.ts';
import { doctor } from './commands/doctor.ts';
import { folder } from './commands/folder.ts';
import { job } from './commands/job.ts';
import { problems } from './commands/problems.ts';
import { project } from './commands/project.ts';
import { run } from './commands/run.ts';
import { pause, resume, settings } from './commands/settings.ts';
import { status } from './commands/status.ts';
import { upload } from './commands/upload.ts';
import { watch } from './commands/watch.ts';
import { why } from './commands/why.ts';

const BY_NAME: Readonly<Record<string, Command>> = {
  upload,
  watch,
  run,
  status,
  problems,
  batch,
  job,
  folder,
  project,
  'annotation-job': annotationJob,
  why,
  pause,
  resume,
  settings,
  connections,
  doctor,
  completion: completionOf(() => COMMANDS),
};

/** Without a prototype: "constructor" and its like are no commands. */
export const COMMANDS: Readonly<Record<string, Command>> = Object.assign(
  Object.create(null),
  BY_NAME,
);

const GLOBAL_HELP = `Options of every command
  --api-url URL          address of the batch data pipeline (SLUICE_API_URL)
  --projects-url URL     address of project management, when it is another (SLUICE_PROJECTS_URL)
  --api-key-file FILE    file with the key; or SLUICE_API_KEY
  --workspace SLUG       default: the workspace of the key (SLUICE_WORKSPACE)
  --data-dir DIR         ledger, settings and logs (SLUICE_DATA_DIR)
  --json                 one JSON event per line on standard output
  --quiet, --verbose     say less, say more`;

/** The help of one command, or of all. */
export function helpText(name: string | null): string {
  const command = name === null ? undefined : COMMANDS[name];
  if (command !== undefined) return `${command.usage}\n  ${command.about}\n\n${GLOBAL_HELP}\n`;
  const list = Object.values(COMMANDS).map((one) => `  ${one.usage}\n      ${one.about}`);
  return `Sluice uploads images and videos exactly once and brings the results back.\n\n${list.join('\n')}\n\n${GLOBAL_HELP}\n`;
}
