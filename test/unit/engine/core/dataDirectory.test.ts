import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { afterAll, assert, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  defaultDataDirectory,
  makeDataDirectory,
} from '../../../../main/engine/core/dataDirectory.ts';
import { SluiceFailure } from '../../../../main/engine/core/errors.ts';
import { explain } from '../../../../preload/contract/messages.ts';

let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'sluice-data-'));
});
afterAll(() => rm(place, { recursive: true }));

describe('a data directory', () => {
  it('is made with all above it, for its owner alone', async () => {
    const path = join(place, 'a', 'b', 'c');
    makeDataDirectory(path);
    makeDataDirectory(path);
    expect([((await stat(path)).mode & 0o777).toString(8)]).toEqual(['700']);
  });

  it('that exists keeps its permissions', async () => {
    const path = join(place, 'shared');
    await mkdir(path);
    await chmod(path, 0o755);
    makeDataDirectory(path);
    expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  it('that cannot be created says so, and never hangs', async () => {
    await writeFile(join(place, 'file'), '');
    await symlink(join(place, 'nowhere'), join(place, 'dangling'));
    const wrong = [join(place, 'file'), join(place, 'file', 'x'), join(place, 'dangling', 'x')];
    // Node's recursive mkdir loops forever here.
    if (process.platform === 'linux') wrong.push('/proc/sluice/x');
    for (const path of wrong) {
      let error: unknown;
      try {
        makeDataDirectory(path);
      } catch (thrown) {
        error = thrown;
      }
      assert(error instanceof SluiceFailure, path);
      expect(error.error.code).toBe('disk.failed');
      const { message } = explain(error.error);
      expect(message).toContain(dirname(path));
      expect(message).toMatch(
        /\((a file is where a directory belongs|its directory does not exist)/,
      );
    }
  });
});

describe('the place of data', () => {
  it.each([
    ['linux', {}, '.local/share/sluice'],
    ['linux', { XDG_DATA_HOME: '' }, '.local/share/sluice'],
    ['linux', { XDG_DATA_HOME: 'data' }, '.local/share/sluice'],
    ['darwin', { XDG_DATA_HOME: '/x' }, 'Library/Application Support/Sluice'],
    ['win32', {}, 'AppData/Local/Sluice'],
  ] as const)('%s with %o', (platform, environment, expected) => {
    expect(defaultDataDirectory(platform, environment, () => '/home/ann')).toBe(
      `/home/ann/${expected}`,
    );
  });

  it('is where an absolute variable says', () => {
    const environment = { XDG_DATA_HOME: '/x', LOCALAPPDATA: '/local' };
    expect(defaultDataDirectory('linux', environment)).toBe('/x/sluice');
    expect(defaultDataDirectory('win32', environment, () => '/home/ann')).toBe('/local/Sluice');
    expect(defaultDataDirectory('linux', { ...environment, SLUICE_DATA_DIR: '/d' })).toBe('/d');
  });

  it('is never among the files to upload, however the environment names the home directory', () => {
    for (const home of ['', 'pictures']) {
      for (const name of ['HOME', 'USERPROFILE']) vi.stubEnv(name, home);
      expect(isAbsolute(defaultDataDirectory('linux', {}))).toBe(true);
    }
    vi.unstubAllEnvs();
  });

  it('needs no home directory where a folder is named', () => {
    const noHome = (): string => {
      throw new Error('there is none');
    };
    const named = { SLUICE_DATA_DIR: '/d', XDG_DATA_HOME: '/x' };
    expect(defaultDataDirectory('linux', named, noHome)).toBe('/d');
    expect(defaultDataDirectory('linux', { XDG_DATA_HOME: '/x' }, noHome)).toBe('/x/sluice');
  });

  it('moves a ledger out of the roaming profile, once', async () => {
    const [LOCALAPPDATA, APPDATA] = [join(place, 'local'), join(place, 'roaming')];
    const old = join(APPDATA, 'Sluice');
    const directory = (): string => defaultDataDirectory('win32', { LOCALAPPDATA, APPDATA });
    await mkdir(old, { recursive: true });
    // Anything that is not the ledger, such as the window's own files, stays.
    expect(directory()).toBe(join(LOCALAPPDATA, 'Sluice'));
    await expect(stat(old)).resolves.toBeDefined();
    await writeFile(join(old, 'ledger.db'), 'old');
    expect(directory()).toBe(join(LOCALAPPDATA, 'Sluice'));
    expect(await readFile(join(LOCALAPPDATA, 'Sluice', 'ledger.db'), 'utf8')).toBe('old');
    // A second one, from a reinstalled old version, never replaces the first.
    await mkdir(old, { recursive: true });
    await writeFile(join(old, 'ledger.db'), 'newer');
    expect(directory()).toBe(join(LOCALAPPDATA, 'Sluice'));
    expect(await readFile(join(LOCALAPPDATA, 'Sluice', 'ledger.db'), 'utf8')).toBe('old');
  });

  it('stays in the roaming profile where it cannot be moved', async () => {
    const [LOCALAPPDATA, APPDATA] = [join(place, 'blocked'), join(place, 'roaming-2')];
    await mkdir(join(APPDATA, 'Sluice'), { recursive: true });
    await writeFile(join(APPDATA, 'Sluice', 'ledger.db'), '');
    await writeFile(LOCALAPPDATA, '');
    expect(defaultDataDirectory('win32', { LOCALAPPDATA, APPDATA })).toBe(join(APPDATA, 'Sluice'));
  });
});
