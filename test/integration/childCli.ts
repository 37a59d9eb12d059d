/** The built program in a separate process, as users run it; a test may kill it. It starts in half the time of its sources. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { World } from './world.ts';

/** What Node runs. */
export const PROGRAM = join(import.meta.dirname, '../../build/sluice.mjs');

export interface Child {
  readonly process: ChildProcess;
  /** Resolves with the exit code, null when it was killed, and all output. */
  readonly ended: Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
}

/** Starts `sluice` with these arguments in the environment of a world. */
export function startCli(world: World, args: readonly string[]): Child {
  return startProcess(args, { HOME: world.directory, ...world.environment });
}

/** Starts `sluice` with these arguments and little else in its environment. A stream that is a file is not recorded. */
export function startProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  files: { readonly stdout?: number; readonly stderr?: number } = {},
): Child {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', files.stdout ?? 'pipe', files.stderr ?? 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const ended = new Promise<Awaited<Child['ended']>>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  return { process: child, ended };
}

/** Resolves when the service meets a request that the test waits for, or when the child has ended. */
export async function untilRequest(child: Child, met: () => boolean): Promise<void> {
  let over = false;
  void child.ended.then(() => (over = true));
  while (!met() && !over) await new Promise((resolve) => setTimeout(resolve, 2));
}
