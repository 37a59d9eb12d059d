/** The cost of a running program, from /proc: all of its processes together. */
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

/** A process and all its descendants. */
function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/**
 * Processor seconds used by a process and all its descendants, including those that have ended and were waited for: a process
 * that ends passes its usage on to its parent.
 */
export function cpuSecondsOf(pid: number): number {
  const ticks = treeOf(pid).map((each) => {
    // The name is in parentheses and may contain anything.
    const fields = read(`/proc/${each}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_SECONDS;
}

function field(pid: number, file: string, pattern: RegExp): number {
  return Number(pattern.exec(read(`/proc/${pid}/${file}`))?.[1] ?? 0);
}

/** Resident memory of all descendants of a process, bytes. */
export function residentBytesBelow(pid: number): number {
  const below = treeOf(pid).filter((each) => each !== pid);
  return below.reduce((sum, each) => sum + field(each, 'status', /^VmRSS:\s+(\d+)/m) * 1024, 0);
}

/** Resident memory of a process and all its descendants, bytes. */
export function residentBytesOf(pid: number): number {
  return field(pid, 'status', /^VmRSS:\s+(\d+)/m) * 1024 + residentBytesBelow(pid);
}

/** Bytes that a process and all its descendants wrote to disk. */
export function writtenBytesOf(pid: number): number {
  return treeOf(pid).reduce((sum, each) => sum + field(each, 'io', /^write_bytes: (\d+)/m), 0);
}
