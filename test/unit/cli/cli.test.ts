/** The program as its own process, without a launcher: as a background service starts it. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { expect, test } from 'vitest';

const PROGRAM = new URL('../../../main/cli.ts', import.meta.url).href;

test('drives that do not answer do not soon hold every thread, however the program is started', () => {
  const code = `process.on('exit', () => console.error(process.env.UV_THREADPOOL_SIZE));
    process.argv = [process.argv[0], 'sluice', '--version'];
    await import(${JSON.stringify(PROGRAM)});`;
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code];
  const { stderr } = spawnSync(process.execPath, flags, { env, encoding: 'utf8' });
  expect(stderr).toBe('32\n');
});
