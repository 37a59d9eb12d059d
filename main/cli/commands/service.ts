/** `sluice service …`: `watch run` in the background, managed by the system. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import type { Result } from '../../../preload/contract/errors.ts';
import { homeDirectory } from '../../engine/core/dataDirectory.ts';
import { writing } from '../../engine/core/errno.ts';
import { ok } from '../../engine/core/errors.ts';
import {
  type CommandLine,
  serviceUnit,
  type ServiceUnit,
  typedCommand,
} from '../run/serviceUnit.ts';
import { type Actions, type CommandContext, readConnection } from '../session/context.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';

/** What the service commands need from this computer; tests provide their own. */
export interface ServiceDeps {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly userId: number;
  /** The Node executable and the program that run now. */
  readonly program: CommandLine;
  /** Runs a system command; returns what went wrong, or null. Never throws. */
  readonly run: (command: CommandLine) => Promise<string | null>;
}

/** `watch run` with what is given here: a service has neither the working directory nor the variables of the person who installs it. */
async function commandOf(
  { program }: ServiceDeps,
  context: CommandContext,
): Promise<Result<CommandLine>> {
  const keyFile = context.args.text('api-key-file');
  if (keyFile === null) return usage('name the file of the key with --api-key-file');
  const connection = await readConnection(context);
  if (!connection.ok) return connection;
  const { apiUrl, projectsUrl, workspace } = connection.value;
  return ok([
    ...program,
    ...['watch', 'run', '--api-key-file', resolve(keyFile), '--data-dir', context.dataDirectory],
    ...['--api-url', apiUrl, '--projects-url', projectsUrl],
    ...(workspace === null ? [] : ['--workspace', workspace]),
  ]);
}

function unitOf(
  deps: ServiceDeps,
  { environment, dataDirectory }: CommandContext,
  command: CommandLine,
): Result<ServiceUnit> {
  const { platform, home, userId } = deps;
  const unit = serviceUnit({ platform, home, userId, environment, dataDirectory }, command);
  return unit === null ? usage('a background service needs Linux, macOS or Windows') : ok(unit);
}

async function install(deps: ServiceDeps, context: CommandContext): Promise<Result<number>> {
  const command = await commandOf(deps, context);
  if (!command.ok) return command;
  const found = unitOf(deps, context, command.value);
  if (!found.ok) return found;
  const unit = found.value;
  const isThere = existsSync(unit.path);
  const written = await writing(unit.path, async () => {
    await mkdir(dirname(unit.path), { recursive: true });
    await writeFile(unit.path, unit.text, unit.encoding);
  });
  if (!written.ok) return written;
  if (isThere) for (const one of unit.replace) await deps.run(one);
  for (const [index, one] of unit.install.entries()) {
    const wrong = await deps.run(one);
    if (wrong === null) continue;
    const left = unit.install.slice(index).map((words) => typedCommand(deps.platform, words));
    context.output.result({ installed: true, running: false, path: unit.path, start: left }, [
      `The service is written to ${unit.path}, but the system did not start it: ${wrong}`,
      `Start it with: ${left.join(' && ')}`,
    ]);
    return ok(EXIT.attention);
  }
  return context.output.result({ installed: true, running: true, path: unit.path }, [
    `The service runs, and starts when you log in: ${unit.path}`,
    ...(unit.hint === null ? [] : [unit.hint]),
  ]);
}

async function status(deps: ServiceDeps, context: CommandContext): Promise<Result<number>> {
  const found = unitOf(deps, context, deps.program);
  if (!found.ok) return found;
  const { path, status: ask } = found.value;
  const installed = existsSync(path);
  const running = installed && (await deps.run(ask)) === null;
  const word = running ? 'runs' : installed ? 'is installed, and does not run' : 'is not installed';
  return context.output.result({ installed, running, path }, [`The service ${word}: ${path}`]);
}

async function uninstall(deps: ServiceDeps, context: CommandContext): Promise<Result<number>> {
  const found = unitOf(deps, context, deps.program);
  if (!found.ok) return found;
  const { path, uninstall: commands } = found.value;
  const wasInstalled = existsSync(path);
  if (wasInstalled) {
    for (const one of commands) await deps.run(one);
    const removed = await writing(path, () => rm(path, { force: true }));
    if (!removed.ok) return removed;
  }
  const line = wasInstalled
    ? 'The service is removed; the ledger and the watches stay.'
    : 'There is no service.';
  return context.output.result({ installed: false, removed: wasInstalled, path }, [line]);
}

export function serviceActions(deps: ServiceDeps): Actions {
  return {
    install: (context) => install(deps, context),
    status: (context) => status(deps, context),
    uninstall: (context) => uninstall(deps, context),
  };
}

function runCommand([program, ...args]: CommandLine): Promise<string | null> {
  return new Promise((done) => {
    execFile(program, args, { timeout: 60_000, windowsHide: true }, (error, _stdout, stderr) => {
      done(error === null ? null : stderr.trim() || error.message);
    });
  });
}

export const service = serviceActions({
  platform: process.platform,
  home: homeDirectory(),
  userId: process.getuid?.() ?? 0,
  program: [process.execPath, process.argv[1] ?? ''],
  run: runCommand,
});
