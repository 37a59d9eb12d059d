/** Starts, keys and what a person must agree to. */
import { describe, expect, test, vi } from 'vitest';

const box = vi.hoisted(() => ({ response: 0, asked: 0 }));
vi.mock('electron', () => ({
  dialog: {
    showMessageBox: async () => {
      await Promise.resolve();
      box.asked += 1;
      return { response: box.response };
    },
  },
}));

const { refusedSwitch } = await import('../../../main/app/system/refusedSwitches.ts');
const { askHowToKeepKey, keyStorageOf } = await import('../../../main/app/system/keyConsent.ts');

describe('an installed program', () => {
  test.each([
    '--remote-debugging-port=9222',
    '--remote-debugging-pipe',
    '-remote-debugging-port',
    '/remote-debugging-port=1',
    '--REMOTE-debugging-port=1',
    '--inspect',
    '--inspect-brk=0.0.0.0:9229',
    '--user-data-dir=/tmp/x',
    '--js-flags=--expose-gc',
    '--renderer-cmd-prefix=/tmp/x',
  ])('refuses %s', (word) => {
    expect(refusedSwitch(['sluice', '--hidden', word])).toBe(word);
  });

  test('takes what it is started with', () => {
    expect(refusedSwitch(['sluice'])).toBeNull();
    expect(refusedSwitch(['sluice', '--hidden', 'sluice://batch/inspect'])).toBeNull();
    expect(refusedSwitch(['sluice', '--no-sandbox', '--', '--inspect'])).toBeNull();
  });
});

describe('a key where there is no keychain', () => {
  type Context = Parameters<typeof askHowToKeepKey>[0];
  const context = (protects: boolean): Pick<Context, 'secrets' | 'window'> => {
    const nothing = (): never => {
      throw new Error('not asked for');
    };
    return {
      secrets: { protects: () => protects, read: nothing, write: nothing, forget: nothing },
      window: Object.create({ current: () => ({}) }),
    };
  };

  test('is kept only when the person agrees; nothing is asked where there is one', async () => {
    expect(await askHowToKeepKey(context(true))).toEqual({ ok: true, value: 'keep' });
    expect(box.asked).toBe(0);
    for (const [response, keeping] of [
      [0, 'keep'],
      [1, 'session'],
      [2, 'cancel'],
      [7, 'cancel'],
    ] as const) {
      box.response = response;
      const kept = await askHowToKeepKey(context(false));
      expect(kept.ok ? kept.value : 'cancel').toBe(keeping);
      expect(keyStorageOf(response)).toBe(keeping);
    }
  });
});
