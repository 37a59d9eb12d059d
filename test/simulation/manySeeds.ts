/** Runs a range of seeds and reports the outcome; for a failing seed it prints the command that replays it. */
import { runSeed } from './world.ts';

export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Runs every n-th seed, for processes that share the work. */
  readonly step: number;
}

/** The report about a failing seed. */
export function failureInWords(seed: number, problems: readonly string[]): string {
  return [`seed ${seed} fails; replay it with: npm run test:seed -- ${seed}`, ...problems].join(
    '\n  ',
  );
}

/** Runs the seeds one after the other. */
export async function runStretch({ from, to, step }: Stretch, tell: (text: string) => void) {
  const failed: { seed: number; problems: readonly string[] }[] = [];
  let events = 0;
  let seeds = 0;
  for (let seed = from; seed <= to; seed += step) {
    const end = await runSeed(seed);
    seeds += 1;
    events += end.events;
    if (end.problems.length === 0) continue;
    failed.push({ seed, problems: end.problems });
    tell(`${failureInWords(seed, end.problems)}\n`);
  }
  return { seeds, events, failed };
}
