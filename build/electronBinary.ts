/** Finds Electron's binary, which its npm package downloads at first use; some networks forbid that. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, runProgram } from './runStage.ts';

const HOME = join(ROOT, 'node_modules/electron');

/** The path of Electron's binary, downloading it when `download` says so; null when it cannot be had. */
export async function electronBinary(download: boolean): Promise<string | null> {
  const own = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  const there = await locate(own ?? join(HOME, 'dist'));
  if (there !== null || own !== undefined || !download) return there;
  process.stdout.write('Downloading Electron (once)…\n');
  await runProgram([join(HOME, 'install.js')], false);
  return locate(join(HOME, 'dist'));
}

async function locate(directory: string): Promise<string | null> {
  const names = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };
  const { platform } = process;
  const usual = platform === 'darwin' || platform === 'win32' ? names[platform] : 'electron';
  const stated = await readFile(join(HOME, 'path.txt'), 'utf8').catch(() => usual);
  const path = join(directory, stated);
  return existsSync(path) ? path : null;
}
