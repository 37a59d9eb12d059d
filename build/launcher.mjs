/** How a checkout and an installed package start the command line. Plain JavaScript that Node 20 or newer can run. */
import { pathToFileURL } from 'node:url';

/** 22.22 is the oldest version that the watcher and the ledger work with; "engines" in package.json says the same. */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 22);
}

/**
 * Runs the program in this process, so that signals reach it directly. Node's warning that SQLite is experimental is hidden: it does not
 * concern users.
 */
export async function runHere(program) {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const [type] = rest;
    const name = typeof type === 'object' ? type?.type : type;
    if (name !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
}
