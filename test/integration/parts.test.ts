/** Several machines share one source by `--part`: every content arrives once, even when some die, and their receipts together prove it. */
import { expect, test } from 'vitest';
import { createBench } from './cliRun.ts';
import { runMachines } from './machines.ts';
import { seedOfRun } from './random.ts';

const seed = seedOfRun();

test(`eight machines, three of them killed and replaced (SLUICE_SEED=${seed})`, async () => {
  const bench = await createBench();
  const plan = { machines: 8, files: 400, killed: 3, lastKill: 60, seed };
  expect((await runMachines(bench, plan)).kills).toHaveLength(3);
});
