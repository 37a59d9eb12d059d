/** A process ends although a call to the file system never returns, as on a share that hangs. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const MODULE = new URL('../../../../main/cli/terminal/endNow.ts', import.meta.url).href;

test.runIf(process.platform !== 'win32')(
  'a process whose work is over ends while a call to the file system waits',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Nothing ever writes to the pipe: opening it does not return.
    const code = `require('fs').open(${JSON.stringify(pipe)}, () => undefined);
      import(${JSON.stringify(MODULE)}).then(({ endFinished }) => endFinished(3));`;
    const child = spawn(process.execPath, ['--eval', code], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'exit')).toEqual([3, null]);
  },
);
