/** What happened, line by line with virtual times; identical for the same seed. */
import { createHash } from 'node:crypto';

export interface Trace {
  note(text: string): void;
  lines(): readonly string[];
  /** SHA-256 of everything noted. */
  digest(): string;
}

/** Starts a trace; it keeps its lines only if `keep` is set. */
export function createTrace(now: () => number, keep: boolean): Trace {
  const hash = createHash('sha256');
  const lines: string[] = [];
  return {
    note: (text) => {
      const line = `${(now() / 1000).toFixed(3).padStart(11)} ${text}`;
      hash.update(`${line}\n`);
      if (keep) lines.push(line);
    },
    lines: () => lines,
    digest: () => hash.copy().digest('hex'),
  };
}
