/** Runs the check stages in parallel, as many at once as there are processors. */
import { availableParallelism } from 'node:os';
import { runStage, type StageEnd } from './runStage.ts';
import { CHECK_STAGES } from './stages.ts';

/** Runs every check stage and prints each one as it ends: one line on success, its whole output on failure. */
export async function runChecks(): Promise<readonly StageEnd[]> {
  const waiting = [...CHECK_STAGES];
  const ends: StageEnd[] = [];
  const worker = async (): Promise<void> => {
    for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
      const end = await runStage(stage, false);
      printEnd(end);
      ends.push(end);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
  return ends;
}

/** Prints how a stage ended. */
export function printEnd(end: StageEnd): void {
  const counts = [
    `${end.passed} passed`,
    `${end.failed} failed`,
    ...(end.skipped > 0 ? [`${end.skipped} skipped`] : []),
  ].join(', ');
  if (end.failed > 0 && end.output !== '') process.stdout.write(`\n${end.output.trimEnd()}\n`);
  const mark = end.failed > 0 ? '✗' : '✓';
  process.stdout.write(`${mark} ${end.name}: ${counts} (${end.seconds.toFixed(1)} s)\n`);
}
