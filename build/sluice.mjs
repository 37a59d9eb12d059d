#!/usr/bin/env node
/**
 * The program `sluice`. Plain JavaScript that Node 20 or newer can run: it finds a Node that can run the engine (22.22 or newer: this
 * one, or the one that npm installed next to it) and starts the command line in it.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewEnough, runHere } from './launcher.mjs';

// An import would load all of Node's streams too. Node 20.0 to 20.15 has no other way.
const { existsSync, readFileSync } =
  process.getBuiltinModule?.('node:fs') ?? (await import('node:fs'));

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(ROOT, 'out', 'cli', 'cli.js');
const program = existsSync(built) ? built : join(ROOT, 'main', 'cli.ts');

const CACHE = new URL('compileCache.mjs', import.meta.url).href;
const END = new URL('endWithLauncher.mjs', import.meta.url).href;

if (isNewEnough(process.versions.node)) {
  await import(CACHE);
  await runHere(program);
} else await runIn(installedNode());

/** The Node that npm installed for this platform, or null. */
function installedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  try {
    const description = createRequire(import.meta.url).resolve(`${name}/package.json`);
    if (!isNewEnough(JSON.parse(readFileSync(description, 'utf8')).version)) return null;
    const file = process.platform === 'win32' ? 'node.exe' : 'node';
    const node = join(dirname(description), 'bin', file);
    return existsSync(node) ? node : null;
  } catch {
    return null;
  }
}

/** Runs the command line in another Node, passing on signals and the exit code. */
async function runIn(node) {
  if (node === null) return explain();
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  const flags = ['--disable-warning=ExperimentalWarning', `--import=${CACHE}`, `--import=${END}`];
  const args = [...flags, program, ...process.argv.slice(2)];
  // The C library would keep separate memory for each thread: a tenth more, for no benefit.
  const env = { MALLOC_ARENA_MAX: '1', ...process.env };
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']) {
    process.on(signal, () => {
      // Ctrl+C reaches the child too: passing it on would count as pressing it twice.
      const typed = signal === 'SIGINT' && (process.stdin.isTTY || process.stdout.isTTY);
      if (!typed) child.kill(signal);
    });
  }
  child.on('error', explain);
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
  });
}

function explain() {
  process.stderr.write(
    `Sluice needs Node 22.22 or newer (this is ${process.versions.node}, and npm installed no newer one with Sluice): install it, or run "npm ci" in ${ROOT}.\n`,
  );
  process.exitCode = 1;
}
