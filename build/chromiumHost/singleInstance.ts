/**
 * `requestSingleInstanceLock` is synchronous, so it cannot ask over a socket: an exclusive transaction in a small database is the lock
 * (the kernel frees it with its owner), and a second start leaves a message file in a directory.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { userDataDir } from './appPaths.ts';

let lock: DatabaseSync | null = null;
let stopWatching: () => void = () => undefined;

/** True when this process is the first. Otherwise its arguments have been passed to the first. */
export function acquireLock(
  argv: readonly string[],
  onSecond: (argv: readonly string[]) => void,
): boolean {
  if (lock !== null) return true;
  const letters = join(userDataDir(), 'chromium-host-starts');
  mkdirSync(letters, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(userDataDir(), 'chromium-host-lock.db'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    database.close();
    writeLetter(letters, argv);
    return false;
  }
  lock = database;
  // Messages from before this start were for an earlier instance.
  for (const name of readdirSync(letters)) rmSync(join(letters, name));
  const watcher = watch(letters, () => readLetters(letters, onSecond));
  stopWatching = () => watcher.close();
  return true;
}

/** Lets another process become the first. */
export function releaseLock(): void {
  stopWatching();
  lock?.close();
  lock = null;
}

function writeLetter(directory: string, argv: readonly string[]): void {
  const draft = join(directory, `${process.pid}.part`);
  writeFileSync(draft, JSON.stringify(argv));
  // Renamed, so that the first instance never reads half a message.
  renameSync(draft, join(directory, `${process.pid}.json`));
}

function readLetters(directory: string, onSecond: (argv: readonly string[]) => void): void {
  for (const name of readdirSync(directory).filter((entry) => entry.endsWith('.json'))) {
    const path = join(directory, name);
    const argv = parseLetter(readFileSync(path, 'utf8'));
    rmSync(path, { force: true });
    if (argv !== null) onSecond(argv);
  }
}

/** Reads the arguments in a message; null when it is not one. */
export function parseLetter(text: string): readonly string[] | null {
  try {
    const argv: unknown = JSON.parse(text);
    return Array.isArray(argv) ? argv.map(String) : null;
  } catch {
    return null;
  }
}
