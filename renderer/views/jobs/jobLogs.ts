import type { JobLogLine } from '../../../preload/contract/serviceRecords.ts';
import type { Tone } from '../batches/itemStates.ts';

/** The severity of a line, whatever word the service uses for it. */
export function logTone(severity: string): Extract<Tone, 'needs' | 'waiting' | 'quiet'> {
  if (/err|crit|fatal|alert|emerg/i.test(severity)) return 'needs';
  return /warn/i.test(severity) ? 'waiting' : 'quiet';
}

/** The severities that occur, each once, most severe first. */
export function severitiesOf(lines: readonly JobLogLine[]): readonly string[] {
  const rank = { needs: 0, waiting: 1, quiet: 2 } as const;
  const words = [...new Set(lines.map(({ severity }) => severity))].filter((word) => word !== '');
  return words.sort((a, b) => rank[logTone(a)] - rank[logTone(b)] || a.localeCompare(b));
}
