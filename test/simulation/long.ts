/** `npm run test:long [-- SEEDS]`: many seeds (6,000) in two processes. Each failing seed prints the command that replays it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const SEEDS = 6_000;
const PROCESSES = 2;

const seeds = Number(process.argv[2] ?? SEEDS);
const share = (from: number): Promise<{ code: number; passed: number; failed: number }> =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, 'stretch.ts');
    const args = [script, from, seeds, PROCESSES].map(String);
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      process.stdout.write(text);
    });
    child.on('close', (code) => {
      const counts = /(\d+) seeds passed, (\d+) failed/.exec(said);
      resolve({
        code: code ?? 1,
        passed: Number(counts?.[1] ?? 0),
        failed: Number(counts?.[2] ?? 1),
      });
    });
  });

const ends = await Promise.all(Array.from({ length: PROCESSES }, (_, index) => share(index + 1)));
const passed = ends.reduce((sum, end) => sum + end.passed, 0);
const failed = ends.reduce((sum, end) => sum + end.failed, 0);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = ends.some(({ code }) => code !== 0) ? 1 : 0;
