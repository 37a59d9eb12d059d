import { beforeAll, expect, it } from 'vitest';
import { ELECTRON_NAMES } from '../../../../build/chromiumHost/electronNames.ts';
import { setOptions } from '../../../../build/chromiumHost/options.ts';

beforeAll(() => {
  const headless = {
    remoteDebuggingPort: null,
    disableFeatures: null,
    headless: true,
    userDataDir: null,
  };
  setOptions({ entry: import.meta.filename, rest: [], ...headless });
});

it('knows the names that electron.d.ts declares', () => {
  expect(ELECTRON_NAMES.length).toBeGreaterThan(40);
  expect(ELECTRON_NAMES).toEqual(expect.arrayContaining(['app', 'BrowserWindow', 'webUtils']));
});

it('exports all of them, and what it does not have says so when it is used', async () => {
  const { standIn } = await import('../../../../build/chromiumHost/standIn.ts');
  expect(Object.keys(standIn)).toEqual([...ELECTRON_NAMES]);
  const updater = standIn['autoUpdater'];
  expect(() => Reflect.get(Object(updater), 'checkForUpdates')).toThrow(
    'is not on the Chromium host',
  );
  expect(() => Reflect.construct(Object(standIn['TouchBar']), [])).toThrow('is not on the');
  expect(standIn['ipcRenderer']).toBeUndefined();
});

it('members that are not written throw by name', async () => {
  const { standIn } = await import('../../../../build/chromiumHost/standIn.ts');
  const member = (of: string, name: string): unknown => Reflect.get(Object(standIn[of]), name);
  expect(() => member('app', 'setJumpList')).toThrow('App.setJumpList is not on');
  expect(() => member('shell', 'readShortcutLink')).toThrow('shell.readShortcutLink is not on');
  expect(() => member('dialog', 'showCertificateTrustDialog')).toThrow('is not on');
});
