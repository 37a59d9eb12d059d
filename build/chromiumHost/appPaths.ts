/** Where things are: `app.getPath` and related functions. */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import PROJECT from '../../package.json' with { type: 'json' };
import { options } from './options.ts';

/** Where the application is, with its package.json. */
export const APP_DIRECTORY = join(import.meta.dirname, '../..');

/** The application's data directory, created if it does not exist. */
export function userDataDir(): string {
  const directory = pathOf('userData');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** `app.getPath`; throws for an unknown name, as Electron does. */
export function pathOf(name: string): string {
  switch (name) {
    case 'userData':
      return options().userDataDir ?? join(configDir(), PROJECT.productName);
    case 'home':
      return homedir();
    case 'exe':
      return process.execPath;
    case 'downloads':
      return join(homedir(), 'Downloads');
    default:
      throw new Error(`Failed to get '${name}' path`);
  }
}

function configDir(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  if (process.platform === 'win32') return process.env['APPDATA'] ?? join(homedir(), 'AppData');
  return process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
}
