/**
 * `npm run bench`: runs the benchmarks of this folder (`*.bench.ts`, each a script of its own), one after the other. With arguments,
 * those whose names hold one of them; `--list` only names them. Exits with 1 when one failed.
 */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const ENDING = '.bench.ts';
const here = import.meta.dirname;
const words = process.argv.slice(2);
const names = (await readdir(here))
  .filter((name) => name.endsWith(ENDING))
  .map((name) => name.slice(0, -ENDING.length))
  .sort();
const asked = words.filter((word) => word !== '--list');
const chosen = names.filter(
  (name) => asked.length === 0 || asked.some((word) => name.includes(word)),
);

if (chosen.length === 0) {
  process.stderr.write(`No such benchmark. There are: ${names.join(', ') || 'none'}.\n`);
  process.exitCode = 2;
}
for (const name of chosen) {
  process.stdout.write(words.includes('--list') ? `${name}\n` : `\n—— ${name} ——\n`);
  if (!words.includes('--list') && (await run(name)) !== 0) process.exitCode = 1;
}

/** Runs a benchmark to its end; its exit code. */
function run(name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--expose-gc', join(here, name + ENDING)],
      { stdio: 'inherit' },
    );
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
