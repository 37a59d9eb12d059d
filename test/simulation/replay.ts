/** `npm run test:seed -- SEED`: replays one seed and prints its plan, its trace and what went wrong. */
import { runSeed } from './world.ts';

const seed = Number(process.argv[2]);
if (!Number.isInteger(seed)) {
  process.stderr.write('Which seed? npm run test:seed -- 4711\n');
  process.exit(2);
}
const began = performance.now();
const end = await runSeed(seed, { keepTrace: true });
const plain = (key: string, value: unknown): unknown =>
  key === 'content' && value !== null ? '(bytes)' : value;
process.stdout.write(`${JSON.stringify(end.plan, plain, 1)}\n${end.trace.join('\n')}\n`);
process.stdout.write(
  `\nseed ${seed}: ${end.events} events, ${Math.round(end.virtualMs / 1000)} s of virtual time in ${Math.round(performance.now() - began)} ms\n`,
);
for (const problem of end.problems) process.stdout.write(`✗ ${problem}\n`);
if (end.problems.length === 0) process.stdout.write('✓ the promise held\n');
process.exitCode = end.problems.length === 0 ? 0 : 1;
