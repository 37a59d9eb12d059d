/** Runs a program to its end and says what it cost. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What one run of a program cost. Peak memory: of the program and everything it started, together. */
export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly exitCode: number | null;
  /** Everything it wrote to standard error. */
  readonly said: string;
}

const LOOK_MS = 15;
/** Told by bash behind everything else: its clock counts what the program started, too. */
const MARK = '@cost@';
const SCRIPT = `TIMEFORMAT='${MARK} %R %U %S'; time "$@"`;

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number);
  } catch {
    return [];
  }
}

function residentBytes(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kib ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function residentOf(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + residentBytes(child) + residentOf(child), 0);
}

/** Runs a command; never rejects for what the command does. */
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
      peakBytes = Math.max(peakBytes, child.pid === undefined ? 0 : residentOf(child.pid));
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

/** The middle one of the runs by time; of an even number the faster of the two. */
export function medianOf(costs: readonly Cost[]): Cost {
  const sorted = [...costs].sort((a, b) => a.seconds - b.seconds);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}
