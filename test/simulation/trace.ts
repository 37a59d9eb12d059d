/** What happened, line by line with virtual times; identical for the same seed. */
import { createHash } from 'node:crypto';

/** Starts a trace; it keeps its lines only if `keep` is set. */
export function createTrace(now: () => number, keep: boolean) {
  const hash = createHash('sha256');
  const lines: string[] = [];
  return {
    note: (text: string) => {
      const line = `${(now() / 1000).toFixed(3).padStart(11)} ${text}`;
      hash.update(`${line}\n`);
      if (keep) lines.push(line);
    },
    lines: () => lines,
    /** SHA-256 of everything noted. */
    digest: () => hash.copy().digest('hex'),
  };
}

export type Trace = ReturnType<typeof createTrace>;
