/** Runs a program to its end and measures its cost. */
import { spawn } from 'node:child_process';
import { residentBytesBelow } from './processTree.ts';

/** The cost of one run of a program. Peak memory is that of the program and everything it started, together. */
export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly exitCode: number | null;
  /** Everything it wrote to standard error. */
  readonly said: string;
}

const LOOK_MS = 20;
/** Printed by bash after everything else: its times include the processes that the program started. */
const MARK = '@cost@';
const SCRIPT = `TIMEFORMAT='${MARK} %R %U %S'; time "$@"`;

/** Runs a command; never rejects because of what the command does. */
export function measured(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Cost> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', SCRIPT, 'bench', ...command], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    let peakBytes = 0;
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    const look = setInterval(() => {
      peakBytes = Math.max(peakBytes, child.pid === undefined ? 0 : residentBytesBelow(child.pid));
    }, LOOK_MS);
    child.on('error', reject);
    child.on('close', (exitCode) => {
      clearInterval(look);
      const [before = '', figures = ''] = said.split(MARK);
      const [seconds = 0, user = 0, system = 0] = figures.trim().split(' ').map(Number);
      resolve({ seconds, cpuSeconds: user + system, peakBytes, exitCode, said: before });
    });
  });
}
