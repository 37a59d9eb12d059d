/** Ledgers on the real disk: a migrated one to start with, and copies of what a killed process leaves behind. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../main/engine/host/engine.ts';

/** In memory where the system offers that: a simulation should not wait for the disk. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const FILES = ['ledger.db', 'ledger.db-wal'];

let template: ReadonlyMap<string, Buffer> | null = null;

/** The files of an empty ledger. In memory: what ends the process may leave it no time to delete a directory. */
function makeTemplate(): ReadonlyMap<string, Buffer> {
  const directory = mkdtempSync(join(PLACE, 'sluice-sim-template-'));
  try {
    const clock = { now: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve() };
    const engine = openEngine(directory, 'simulation', { clock, log: { write: () => undefined } });
    if (!engine.ok) throw new Error(engine.error.code);
    engine.value.close();
    const there = FILES.filter((name) => existsSync(join(directory, name)));
    return new Map(there.map((name) => [name, readFileSync(join(directory, name))]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function copyLedger(from: string, to: string): void {
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
  const next = (): string => {
    const directory = join(root, String((count += 1)));
    mkdirSync(directory, { mode: 0o700 });
    return directory;
  };
  return {
    /** A directory with an empty ledger in it. */
    fresh: () => {
      const directory = next();
      for (const [name, bytes] of start) writeFileSync(join(directory, name), bytes);
      return directory;
    },
    /** A copy of what is on the disk if the process of this directory dies now, in a new directory. */
    afterKill: (from: string) => {
      const directory = next();
      copyLedger(from, directory);
      return directory;
    },
    discard: (directory: string) => rmSync(directory, { recursive: true, force: true }),
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}

export type LedgerFiles = ReturnType<typeof createLedgerFiles>;
