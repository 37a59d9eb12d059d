/** The window's settings survive a damaged file, and messages from the window reach their handlers only when they are valid. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Handlers } from '../../../../main/app/ipc/ipcServer.ts';
import { scratch } from '../../../helpers/scratch.ts';

// The same store, without asking Electron for its directory.
vi.mock('electron-store', async () => {
  const { default: Conf } = await import('conf');
  class PlainStore extends Conf {
    constructor({ cwd, name }: { cwd: string; name: string }) {
      super({ cwd, configName: name });
    }
  }
  return { default: PlainStore };
});

vi.mock('electron', () => {
  const safeStorage = {
    encryptStringAsync: async (text: string) => Buffer.from([...text].reverse().join('')),
    decryptStringAsync: async (bytes: Buffer) => {
      const text = bytes.toString();
      if (text.startsWith('broken')) throw new Error('it cannot be decrypted');
      return { result: [...text].reverse().join(''), shouldReEncrypt: false };
    },
  };
  return { ipcMain: {}, safeStorage };
});

const { openSettingsFile } = await import('../../../../main/app/system/settingsFile.ts');
const { createSecrets } = await import('../../../../main/app/system/secrets.ts');
const { answerRequest } = await import('../../../../main/app/ipc/ipcServer.ts');

test('settings are kept, and the backup stands in for a damaged file', async () => {
  const directory = scratch();
  const first = await openSettingsFile(directory);
  expect([first.restored, first.read().theme]).toEqual([null, 'system']);
  first.write({ theme: 'dark' });
  await first.settled();
  const second = await openSettingsFile(directory);
  expect([second.restored, second.read().theme]).toEqual([null, 'dark']);

  for (const damage of ['', '{"theme":', '{"theme":"purple"}', '\0\0\0']) {
    await writeFile(join(directory, 'window.json'), damage);
    const repaired = await openSettingsFile(directory);
    expect([repaired.restored, repaired.read().theme], damage).toEqual(['backup', 'dark']);
    expect(await readFile(join(directory, 'window.json.damaged'), 'utf8')).toBe(damage);
  }
  await writeFile(join(directory, 'window.json'), '{');
  await writeFile(join(directory, 'window.backup.json'), '{');
  const lost = await openSettingsFile(directory);
  expect([lost.restored, lost.read().theme]).toEqual(['lost', 'system']);
});

test('keys are kept encrypted, one by one; one that cannot be decrypted is no key', async () => {
  const directory = scratch();
  const file = await openSettingsFile(directory);
  const secrets = createSecrets(file);
  await secrets.write(1, 'key-of-one');
  await secrets.write(2, 'key-of-two');
  await file.settled();
  for (const name of ['window.json', 'window.backup.json']) {
    expect(await readFile(join(directory, name), 'utf8')).not.toContain('key-of');
  }
  expect(await secrets.read(1)).toBe('key-of-one');
  file.write({ keys: { ...file.read().keys, 1: Buffer.from('broken').toString('base64') } });
  expect([await secrets.read(1), await secrets.read(2)]).toEqual([null, 'key-of-two']);
  secrets.forget(2);
  expect(await secrets.read(2)).toBeNull();
  // Its directory is removed now.
  await file.settled();
});

test('a handler hears only what fits the contract, and what it throws becomes an error', async () => {
  const heard: unknown[] = [];
  const logged: string[] = [];
  const pause = async (input: unknown): Promise<unknown> => {
    heard.push(input);
    return { ok: true, value: null };
  };
  const broken = async (): Promise<unknown> => {
    throw new Error('a bug');
  };
  const handlers = new Proxy(
    {},
    { get: (_all, name) => (name === 'uploads.pause' ? pause : broken) },
  );
  const ask = (name: unknown, input: unknown): Promise<unknown> =>
    Reflect.apply(answerRequest, undefined, [
      handlers satisfies Partial<Handlers>,
      name,
      input,
      (event: string) => logged.push(event),
    ]);
  for (const [name, input] of [
    ['uploads.pause', { paused: 1 }],
    ['uploads.pause', undefined],
    ['toString', {}],
    [{ toString: 'uploads.pause' }, { paused: true }],
    ['uploads.pause', { paused: true, more: true }],
  ] as const) {
    expect(await ask(name, input)).toMatchObject({ ok: false, error: { code: 'usage.invalid' } });
  }
  expect(heard).toEqual([]);
  expect(await ask('uploads.pause', { paused: true })).toEqual({ ok: true, value: null });
  expect(heard).toEqual([{ paused: true }]);
  expect(await ask('problem.read', {})).toMatchObject({
    ok: false,
    error: { code: 'bug.unexpected' },
  });
  expect(logged).toEqual(['request.threw']);
});
