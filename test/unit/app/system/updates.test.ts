/** Updates: our decisions, and the real electron-updater with a feed on this computer and a small stand-in for Electron. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, request, type RequestOptions } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  canInstallUpdates,
  createUpdates,
  type UpdateDeps,
  type Updater,
} from '../../../../main/app/system/updates.ts';
import { portOf } from '../../../helpers/listen.ts';
import { scratch } from '../../../helpers/scratch.ts';

function updaterWith(version: string | null): Updater & { readonly downloaded: string[] } {
  const downloaded: string[] = [];
  return {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    allowDowngrade: true,
    downloaded,
    checkForUpdates: () =>
      Promise.resolve(
        version === null ? null : { isUpdateAvailable: true, updateInfo: { version } },
      ),
    downloadUpdate: () => Promise.resolve(downloaded.push(version ?? '')),
  };
}

/** A check with the notices it gave; `change` replaces its dependencies. */
function lookWith(updater: Updater, change: Partial<UpdateDeps> = {}) {
  const said: string[] = [];
  const log = vi.fn();
  const deps = {
    canInstall: true,
    isSending: () => false,
    notice: (_id: string, text: string) => void said.push(text),
  };
  return { said, log, look: createUpdates({ updater, log, ...deps, ...change }) };
}

describe('a look', () => {
  test('downloads a new version once, and says when it is installed', async () => {
    const updater = updaterWith('2.0.0');
    const { look, said } = lookWith(updater);
    expect([await look(), await look()]).toEqual(['ready', 'ready']);
    expect(updater.downloaded).toEqual(['2.0.0']);
    expect(said[0]).toContain('Sluice 2.0.0 is installed when you quit');
    expect(updater).toMatchObject({
      autoDownload: false,
      autoInstallOnAppQuit: true,
      allowDowngrade: false,
    });
  });

  test('waits while files are sent', async () => {
    const updater = updaterWith('2.0.0');
    let sending = true;
    const { look, said } = lookWith(updater, { isSending: () => sending });
    expect(await look()).toBe('later');
    expect([updater.downloaded, said]).toEqual([[], []]);
    sending = false;
    expect(await look()).toBe('ready');
  });

  test('only announces what could not be trusted', async () => {
    const updater = updaterWith('2.0.0');
    const { look, said } = lookWith(updater, { canInstall: false });
    expect(await look()).toBe('announced');
    expect(updater).toMatchObject({ downloaded: [], autoInstallOnAppQuit: false });
    expect(said).toEqual(['Sluice 2.0.0 is available. Install it from where you got this one.']);
  });

  test('survives an address that does not answer', async () => {
    const updater = {
      ...updaterWith(null),
      checkForUpdates: () => Promise.reject(new Error('no answer')),
    };
    const { look, log } = lookWith(updater);
    expect(await look()).toBe('later');
    expect(log).toHaveBeenCalledWith('update.failed', { cause: 'no answer' });
  });
});

test('what is trusted before it is installed', () => {
  const signed = 'provider: generic\npublisherName:\n  - Sluice\n';
  expect(canInstallUpdates('darwin', '')).toBe(true);
  expect(canInstallUpdates('win32', signed)).toBe(true);
  expect(canInstallUpdates('win32', 'provider: generic\n')).toBe(false);
  expect(canInstallUpdates('linux', signed)).toBe(false);
});

describe('a feed', () => {
  const BYTES = Buffer.from('the next version');
  const load = createRequire(import.meta.url);
  const electronPath = load.resolve('electron');
  const asked: string[] = [];
  const files = new Map<string, string | Buffer>();
  let port = 0;
  const server = createServer((incoming, answer) => {
    const [path = ''] = (incoming.url ?? '').slice(1).split('?');
    asked.push(path);
    const content = files.get(path);
    answer.writeHead(content === undefined ? 404 : 200).end(content ?? '');
  });

  beforeEach(async () => {
    files.clear();
    asked.length = 0;
    port = await portOf(server);
  });
  afterEach(async () => {
    delete load.cache[electronPath];
    vi.unstubAllEnvs();
    await new Promise((resolve) => server.close(resolve));
  });

  /** The updater of an AppImage, in a program of version 1.0.0. */
  async function realUpdater(): Promise<Updater> {
    const directory = scratch();
    const old = join(directory, 'old.AppImage');
    const settings = join(directory, 'app-update.yml');
    await mkdir(join(directory, 'cache'));
    await writeFile(old, 'this version');
    await writeFile(
      settings,
      `provider: generic\nurl: http://127.0.0.1:${port}/\nupdaterCacheDirName: updates\n`,
    );
    vi.stubEnv('APPIMAGE', old);
    vi.stubEnv('XDG_CACHE_HOME', join(directory, 'cache'));
    const exports = {
      app: {
        isPackaged: true,
        getVersion: () => '1.0.0',
        getName: () => 'sluice',
        ...{
          getPath: () => directory,
          getAppPath: () => directory,
          whenReady: () => Promise.resolve(),
        },
        ...{
          on: () => undefined,
          once: () => undefined,
          quit: () => undefined,
          relaunch: () => undefined,
        },
      },
      session: { fromPartition: () => ({}) },
      net: {
        request: ({ session: _, ...options }: RequestOptions & { session: unknown }) =>
          request(options),
      },
    };
    load.cache[electronPath] = Object.assign(Object.create(null), {
      id: electronPath,
      filename: electronPath,
      loaded: true,
      exports,
    });
    const { AppImageUpdater } = load('electron-updater');
    const updater = new AppImageUpdater();
    Object.assign(updater, { updateConfigPath: settings, logger: null });
    return updater;
  }

  function offer(version: string, more = '', bytes = BYTES): void {
    const sha512 = createHash('sha512').update(BYTES).digest('base64');
    const name = `Sluice-${version}.AppImage`;
    files.set(name, bytes);
    files.set(
      'latest-linux.yml',
      `version: ${version}\nfiles:\n  - url: ${name}\n    sha512: ${sha512}\n    size: ${BYTES.length}\npath: ${name}\nsha512: ${sha512}\n${more}releaseDate: '2026-01-01T00:00:00.000Z'\n`,
    );
  }

  test('from one version to the next', async () => {
    offer('1.1.0');
    const { look, log } = lookWith(await realUpdater());
    expect([await look(), log.mock.calls]).toEqual(['ready', []]);
    expect(asked).toContain('Sluice-1.1.0.AppImage');
  });

  test.each(['1.0.0', '0.9.9'])('version %s is no update', async (version) => {
    offer(version);
    const { look, said } = lookWith(await realUpdater());
    expect([await look(), said]).toEqual(['none', []]);
  });

  test('a staged version is not for everybody at once', async () => {
    offer('1.1.0', 'stagingPercentage: 0\n');
    expect(await lookWith(await realUpdater()).look()).toBe('none');
    offer('1.1.0', 'stagingPercentage: 100\n');
    expect(await lookWith(await realUpdater()).look()).toBe('ready');
  });

  test('a file that is not what the feed says is not kept', async () => {
    offer('1.1.0', '', Buffer.from('something others'));
    const { look, log, said } = lookWith(await realUpdater());
    expect([await look(), said]).toEqual(['later', []]);
    expect(log.mock.calls[0]?.[1].cause).toContain('sha512');
  });
});
