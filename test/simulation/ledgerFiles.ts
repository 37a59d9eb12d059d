/** Ledgers on the real disk: a migrated one to start with, and copies of what a killed process leaves behind. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../main/engine/host/engine.ts';

/** In memory where the system offers that: a simulation should not wait for the disk. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const FILES = ['ledger.db', 'ledger.db-wal'];

let template: string | null = null;

function makeTemplate(): string {
  const directory = mkdtempSync(join(PLACE, 'sluice-sim-template-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const clock = { now: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve() };
  const engine = openEngine(directory, 'simulation', { clock, log: { write: () => undefined } });
  if (!engine.ok) throw new Error(engine.error.code);
  engine.value.close();
  return directory;
}

function copyLedger(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const name of FILES) {
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  }
}

/** Creates a place for the ledgers of one seed. */
export function createLedgerFiles() {
  template ??= makeTemplate();
  const start = template;
  const root = mkdtempSync(join(PLACE, 'sluice-sim-'));
  let count = 0;
  const next = (from: string): string => {
    const directory = join(root, String((count += 1)));
    copyLedger(from, directory);
    return directory;
  };
  return {
    /** A directory with an empty ledger in it. */
    fresh: () => next(start),
    /** A copy of what is on the disk if the process of this directory dies now, in a new directory. */
    afterKill: next,
    discard: (directory: string) => rmSync(directory, { recursive: true, force: true }),
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}

export type LedgerFiles = ReturnType<typeof createLedgerFiles>;
