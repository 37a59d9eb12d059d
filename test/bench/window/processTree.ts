/** The processor time of a running application, from /proc: all of its processes together. */
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second, whatever the machine. */
const TICK_SECONDS = 0.01;
const PID = process.pid;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The processes that a process has started, by any of its threads. */
export function childrenOf(pid: number = PID): readonly number[] {
  return threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** A process and all below it. */
function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/**
 * Processor seconds that a process and all below it have used, those included that have ended and were waited for: a process
 * that ends moves what it used to the one that started it.
 */
export function cpuSecondsOf(pid: number): number {
  const ticks = treeOf(pid).map((each) => {
    // The name stands in parentheses and may hold anything.
    const fields = read(`/proc/${each}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_SECONDS;
}
