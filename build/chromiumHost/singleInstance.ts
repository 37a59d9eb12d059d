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

/** What a second start sends to the first instance. */
export interface SecondStart {
  readonly argv: readonly string[];
  readonly workingDirectory: string;
  readonly additionalData: unknown;
}

let lock: DatabaseSync | null = null;
let stopWatching: () => void = () => undefined;

/** True when this process is the first. Otherwise `start` has been passed to the first. */
export function acquireLock(start: SecondStart, onSecond: (start: SecondStart) => void): boolean {
  if (lock !== null) return true;
  const letters = join(userDataDir(), 'chromium-host-starts');
  mkdirSync(letters, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(userDataDir(), 'chromium-host-lock.db'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    database.close();
    writeLetter(letters, start);
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

function writeLetter(directory: string, start: SecondStart): void {
  const draft = join(directory, `${process.pid}.part`);
  writeFileSync(draft, JSON.stringify(start));
  // Renamed, so that the first instance never reads half a message.
  renameSync(draft, join(directory, `${process.pid}.json`));
}

function readLetters(directory: string, onSecond: (start: SecondStart) => void): void {
  for (const name of readdirSync(directory).filter((entry) => entry.endsWith('.json'))) {
    const path = join(directory, name);
    const start = parseLetter(readFileSync(path, 'utf8'));
    rmSync(path, { force: true });
    if (start !== null) onSecond(start);
  }
}

/** Reads a message; null when it is not one. */
export function parseLetter(text: string): SecondStart | null {
  try {
    const letter: unknown = JSON.parse(text);
    if (typeof letter !== 'object' || letter === null) return null;
    const argv: unknown = Reflect.get(letter, 'argv');
    return {
      argv: Array.isArray(argv) ? argv.map(String) : [],
      workingDirectory: String(Reflect.get(letter, 'workingDirectory')),
      additionalData: Reflect.get(letter, 'additionalData') ?? null,
    };
  } catch {
    return null;
  }
}
