/** `npm run test:machines`: the same test that `npm test` runs with few files (test/integration/parts.test.ts), with as many as a cluster handles. */
import { expect, test } from 'vitest';
import { createBench } from '../integration/cliRun.ts';
import { runMachines } from '../integration/machines.ts';
import { seedOfRun } from '../integration/random.ts';

const FILES = 20_000;
const seed = seedOfRun();

test(`eight machines and ${FILES} files, three killed and replaced (SLUICE_SEED=${seed})`, async () => {
  const bench = await createBench();
  const plan = { machines: 8, files: FILES, killed: 3, lastKill: 300, seed };
  const { kills, seconds, requests } = await runMachines(bench, plan);
  expect(kills).toHaveLength(3);
  process.stdout.write(
    `${[...kills, `${FILES} files in ${seconds.toFixed(0)} s, ${requests} requests`].join('\n')}\n`,
  );
});
