/** Runs before the tests of integration and of many machines, and builds what they start and pack. Vitest calls the function `setup`. */
import { runProgram } from '../../build/runStage.ts';
import { BUILT } from '../../build/stages.ts';

export async function setup(): Promise<void> {
  if (process.env[BUILT] === '1') return;
  const built = await runProgram(['build/build.ts'], false, { NODE_ENV: 'production' });
  if (built.code !== 0) throw new Error(built.output);
}
