/** A process ends although a call to the file system never returns, as on a share that hangs. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const MODULE = new URL('../../../../main/cli/terminal/endNow.ts', import.meta.url).href;

const CALL = "require('fs').open(PIPE, () => undefined);";
const THREAD = `
  const { Worker } = require('worker_threads');
  const worker = new Worker('require("fs").openSync(require("worker_threads").workerData)', { eval: true, workerData: PIPE });
  await new Promise((resolve) => worker.on('online', resolve));
  setTimeout(() => worker.terminate(), 50);`;

test.runIf(process.platform !== 'win32').each([
  ['a call to the file system waits', CALL],
  ['a thread waits for such a call', THREAD],
])('a process whose work is over ends while %s', async (_, held) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Nothing ever writes to the pipe: opening it does not return.
  const code = `(async () => {
    const PIPE = ${JSON.stringify(pipe)};
    ${held}
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { endFinished } = await import(${JSON.stringify(MODULE)});
    endFinished(3);
  })();`;
  const child = spawn(process.execPath, ['--eval', code], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await once(child, 'exit')).toEqual([3, null]);
});
