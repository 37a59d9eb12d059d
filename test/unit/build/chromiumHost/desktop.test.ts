import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { acquireLock, releaseLock } from '../../../../build/chromiumHost/singleInstance.ts';
import { clickPath, Menu } from '../../../../build/chromiumHost/menu.ts';
import { nativeImage } from '../../../../build/chromiumHost/nativeImage.ts';
import { setOptions } from '../../../../build/chromiumHost/options.ts';
import { powerMonitor } from '../../../../build/chromiumHost/power.ts';
import { protocol } from '../../../../build/chromiumHost/protocol.ts';
import { safeStorage } from '../../../../build/chromiumHost/safeStorage.ts';

const directory = mkdtempSync(join(tmpdir(), 'sluice-host-'));

beforeAll(() => {
  const settings = {
    rest: [],
    userDataDir: directory,
    remoteDebuggingPort: null,
    disableFeatures: null,
    headless: true,
  };
  setOptions({ entry: import.meta.filename, ...settings });
});
afterAll(() => {
  releaseLock();
  rmSync(directory, { recursive: true });
});

describe('safeStorage', () => {
  it('gives back what it locked, and keeps its key to the owner', async () => {
    const locked = await safeStorage.encryptStringAsync('rf_secret ✓');
    expect(locked.toString('latin1')).not.toContain('rf_secret');
    const opened = await safeStorage.decryptStringAsync(locked);
    expect(opened).toEqual({ result: 'rf_secret ✓', shouldReEncrypt: false });
    expect(statSync(join(directory, 'chromium-host-key')).mode & 0o777).toBe(0o600);
    expect(safeStorage.getSelectedStorageBackend()).toBe('basic_text');
  });

  it('refuses what was changed, cut or never locked', async () => {
    const locked = await safeStorage.encryptStringAsync('rf_secret');
    const changed = Buffer.from(locked);
    changed.writeUInt8(changed.readUInt8(locked.length - 1) ^ 1, locked.length - 1);
    for (const bad of [changed, locked.subarray(0, 10), Buffer.alloc(0), Buffer.from('plain')]) {
      await expect(safeStorage.decryptStringAsync(bad)).rejects.toThrow();
    }
  });
});

describe('menus', () => {
  it('click runs, toggles, and says what is not there', () => {
    const clicked = vi.fn();
    const menu = Menu.buildFromTemplate([
      {
        label: '&File',
        submenu: [
          { label: 'Pause', type: 'checkbox', click: (item) => clicked(item.checked) },
          { label: 'Off', enabled: false },
        ],
      },
    ]);
    clickPath(menu, ['File', 'Pause']);
    clickPath(menu, ['File', 'Pause']);
    expect(clicked.mock.calls).toEqual([[true], [false]]);
    expect(() => clickPath(menu, ['File', 'Off'])).toThrow('disabled');
    expect(() => clickPath(menu, ['File', 'Gone'])).toThrow('no "Gone", only "Pause", "Off"');
    expect(() => clickPath(menu, ['File', 'Pause', 'Deep'])).toThrow('no submenu');
  });
});

it('a protocol is announced before ready, once, and only app', () => {
  const privileges = { standard: true, secure: true };
  expect(() => protocol.registerSchemesAsPrivileged([{ scheme: 'other', privileges }])).toThrow();
  expect(() => protocol.registerSchemesAsPrivileged([{ scheme: 'app' }])).toThrow('not standard');
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges }]);
  expect(() => protocol.handle('app', () => new Response(''))).toThrow('after app is ready');
});

it('only one process is the first', () => {
  expect(acquireLock(['a'], () => undefined)).toBe(true);
  expect(acquireLock(['a'], () => undefined)).toBe(true);
});

it('power is what tests say', () => {
  const heard = vi.fn();
  powerMonitor.on('on-battery', () => heard(powerMonitor.isOnBatteryPower()));
  powerMonitor.happen('on-battery');
  expect(heard.mock.calls).toEqual([[true]]);
  powerMonitor.happen('on-ac');
  expect(powerMonitor.isOnBatteryPower()).toBe(false);
});

it('pictures keep their bytes, and a missing file is an empty picture', () => {
  const path = join(directory, 'one.png');
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==',
    'base64',
  );
  writeFileSync(path, bytes);
  const picture = nativeImage.createFromPath(path);
  expect(picture.getSize()).toEqual({ width: 1, height: 1 });
  expect(picture.toDataURL()).toBe(`data:image/png;base64,${bytes.toString('base64')}`);
  expect(picture.resize({ width: 16, height: 16 }).getSize()).toEqual({ width: 16, height: 16 });
  expect(nativeImage.createFromPath(join(directory, 'none.png')).isEmpty()).toBe(true);
});
