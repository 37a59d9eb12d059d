/** A download by a process that may open only very few files: it is slower, or gives up for that reason, and nothing else goes wrong. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openShared } from '../../main/engine/host/openLedger.ts';
import { parkedOutputs } from '../helpers/parkedOutputs.ts';
import { tinyImages } from '../helpers/media.ts';
import { PROGRAM } from './childCli.ts';
import { createBench } from './cliRun.ts';
import { TEST_TIMES } from './world.ts';

const LIMITED = 'ulimit -n "$1"; shift; exec "$@"';
const FILES = 30;

async function runLimited(
  limit: number,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ exitCode: number | null; stderr: string }> {
  const program = [process.execPath, PROGRAM, ...args];
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  const child = spawn('sh', ['-c', LIMITED, 'sh', String(limit), ...program], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { exitCode, stderr };
}

test.runIf(process.platform === 'linux').each([32, 34, 38])(
  'with %i open files no file is given up',
  async (limit) => {
    const bench = await createBench();
    for (const { name, content } of tinyImages(FILES)) {
      await bench.service.otherComputer.uploadImage('out', name, content);
    }
    const to = join(bench.directory, 'to');
    const { exitCode, stderr } = await runLimited(limit, ['batch', 'download', 'out', '--to', to], {
      HOME: bench.directory,
      SLUICE_API_URL: bench.service.url,
      SLUICE_API_KEY: bench.service.apiKey,
      SLUICE_DATA_DIR: bench.dataDirectory,
      NODE_ENV: 'test',
      SLUICE_TEST_TIMES: JSON.stringify({ ...TEST_TIMES, silentMidwayMs: 6_000 }),
    });
    expect(stderr).not.toContain('The disk');
    expect(stderr).not.toContain('Another program');
    // How many a program needs just to start differs between systems.
    if (exitCode === 0) expect(stderr).toContain(`${FILES} files`);
    else expect(stderr).toContain('Sluice cannot open more files');
    const ledger = openShared(bench.dataDirectory);
    expect(parkedOutputs(ledger, 1)).toEqual([]);
    ledger.close();
  },
);
