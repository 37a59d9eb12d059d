/** How a checkout and an installed package start the command line. Plain JavaScript that Node 20 or newer can run. */
import { pathToFileURL } from 'node:url';

/** 22.22 is the oldest version that the watcher and the ledger work with; "engines" in package.json says the same. */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 22);
}

/**
 * For a watch, which may run for weeks: replaces this process by one whose C library keeps the memory of all threads together, which
 * takes 30 MiB less. It can be set only before a process starts. Short commands would start later for little.
 */
function keepOneArena() {
  const { argv, env, execArgv, execPath, execve, platform } = process;
  if (argv[2] !== 'watch' || platform !== 'linux' || env.MALLOC_ARENA_MAX !== undefined) return;
  execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '1' });
}

/**
 * Runs the program in this process, so that signals reach it directly. Node's warnings that SQLite and execve are experimental are
 * hidden: they do not concern users.
 */
export async function runHere(program) {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const [type] = rest;
    const name = typeof type === 'object' ? type?.type : type;
    if (name !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  keepOneArena();
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
}
