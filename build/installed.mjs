#!/usr/bin/env node
/** The program `sluice` of an installed package: runs the command line next to it in the current Node. */
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isNewEnough, runHere } from './launcher.mjs';

/** Where Node's compiled code is cached for the next start: the package's own directory may belong to someone else. */
function cacheDirectory() {
  const { env, platform } = process;
  if (platform === 'win32') {
    return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'sluice-cache');
  }
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'sluice');
  const named = env.XDG_CACHE_HOME ?? '';
  return join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'sluice');
}

if (isNewEnough(process.versions.node)) {
  try {
    const directory = cacheDirectory();
    // A relative home directory would put the cache wherever a command happens to run.
    if (isAbsolute(directory)) module.enableCompileCache(join(directory, 'compile'));
  } catch {
    // A user without a home directory has no cache; starting then takes a little longer.
  }
  await runHere(join(import.meta.dirname, 'cli.js'));
} else {
  process.stderr.write(
    `Sluice needs Node 22.22 or newer, and this is ${process.versions.node}: install a newer one, or a package of Sluice that brings its own.\n`,
  );
  process.exitCode = 1;
}
