/** A process of `npm run test:long`: runs its share of the seeds. Arguments: from, to, step. */
import { runStretch } from './manySeeds.ts';

const [from = 1, to = 100, step = 1] = process.argv.slice(2).map(Number);
const began = performance.now();
const end = await runStretch({ from, to, step }, (text) => process.stdout.write(text));
const seconds = ((performance.now() - began) / 1000).toFixed(1);
process.stdout.write(
  `${end.seeds - end.failed.length} seeds passed, ${end.failed.length} failed, ${end.events} events in ${seconds} s\n`,
);
process.exitCode = end.failed.length === 0 ? 0 : 1;
