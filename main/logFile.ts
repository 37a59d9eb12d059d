/** The log of a data directory: one line of JSON per event, redacted, readable only by its owner, kept small. */
import { appendFileSync, readFileSync, renameSync, statSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from './engine/core/dataDirectory.ts';
import { makePrivateFile } from './engine/core/privateFiles.ts';
import { redact } from './engine/core/redact.ts';
import type { Log } from './engine/core/ports.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const KEPT_FILES = 3;
/** Lines are written together: one write per line would slow down the pipeline. */
const FLUSH_MS = 200;
const NEWLINE = 0x0a;

export interface LogFile extends Log {
  flush(): void;
}

function rotate(path: string): void {
  try {
    if (statSync(path).size < MAX_BYTES) return;
    for (let number = KEPT_FILES; number >= 1; number -= 1) {
      const newer = number === 1 ? path : `${path}.${number - 1}`;
      if (existsSync(newer)) renameSync(newer, `${path}.${number}`);
    }
  } catch {
    // There is no log yet, or another program holds one: it goes on in the same file.
  }
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Opens the log. Lines below `least` are left out; `echo` also gets each line. A log that cannot be written never stops the work. */
export function openLogFile(
  directory: string,
  least: (typeof LEVELS)[number],
  echo: ((line: string) => void) | null,
): LogFile {
  const folder = join(directory, 'logs');
  const path = join(folder, 'sluice.log');
  let lines: string[] = [];
  let timer: NodeJS.Timeout | null = null;
  // A full disk may have taken half a line, also of an earlier run.
  let mayBeCut = true;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (lines.length === 0) return;
    const text = lines.join('');
    lines = [];
    try {
      makePrivateDirectory(folder);
      rotate(path);
      makePrivateFile(path);
      const isCut = mayBeCut && (readFileSync(path).at(-1) ?? NEWLINE) !== NEWLINE;
      appendFileSync(path, isCut ? `\n${text}` : text, { mode: 0o600 });
      mayBeCut = false;
    } catch {
      mayBeCut = true;
      // The disk may be full; what matters is in the ledger.
    }
  };
  return {
    write: (level, event, facts = {}) => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      const at = new Date().toISOString();
      const line = redact(JSON.stringify({ at, level, event, pid: process.pid, ...facts }));
      lines.push(`${line}\n`);
      echo?.(line);
      if (timer === null) {
        timer = setTimeout(flush, FLUSH_MS);
        timer.unref();
      }
    },
    flush,
  };
}
