/** What the application relies on in its runtime, tested with a small application on the available runtime. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { AppUnderTest } from './support/appUnderTest.ts';
import { startHost } from './support/hostProcess.ts';
import { test as base, type TestLaunch } from './support/test.ts';

const ENTRY = join(import.meta.dirname, 'fixtureApp/main.mjs');

/** Reads a path like `fixture.facts.fs` in the page's own world. */
function read(page: Page, path: string): Promise<unknown> {
  return page.evaluate((names) => {
    let value: unknown = window;
    for (const name of names.split('.')) {
      value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    }
    return typeof value === 'function' ? 'function' : value;
  }, path);
}

/** Calls a function of the fixture's bridge; an error becomes `name: message`. */
function call(page: Page, name: string, ...args: unknown[]): Promise<unknown> {
  return page.evaluate(
    async ([key, list]) => {
      try {
        const fn: unknown = Reflect.get(Reflect.get(window, 'fixture'), key);
        return typeof fn === 'function' ? await fn(...list) : 'no such function';
      } catch (error) {
        return String(error);
      }
    },
    [name, args] as const,
  );
}

async function log(page: Page): Promise<readonly string[]> {
  const lines = await call(page, 'invoke', 'log');
  return Array.isArray(lines) ? lines.map(String) : [];
}

const test = base.extend<{ readonly start: (options?: TestLaunch) => Promise<AppUnderTest> }>({
  start: async ({ launch }, use) => {
    await use((options = {}) => launch({ entry: ENTRY, ...options }));
  },
});

// Short tests, and the last ones: one after the other, two of three workers would wait for them.
test.describe.configure({ mode: 'parallel' });

/** Checks of one running application: none of them changes what another one looks at. */
const checks: (readonly [string, (app: AppUnderTest) => Promise<void>])[] = [];
function check(name: string, run: (app: AppUnderTest) => Promise<void>): void {
  checks.push([name, run]);
}

check('messages cross in both directions with their values', async (app) => {
  const { page } = app;
  const values = [1, 'two', null, [true, { three: 3 }], 'ünïcode ✓', { nested: { list: [] } }];
  expect(await call(page, 'invoke', 'echo', ...values)).toEqual(values);
  expect(await call(page, 'invoke', 'fail')).toContain(
    "Error invoking remote method 'fail': Error: it failed",
  );
  expect(await call(page, 'invoke', 'nobody')).toContain("No handler registered for 'nobody'");
  const heard = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const fixture: unknown = Reflect.get(window, 'fixture');
        if (typeof fixture !== 'object' || fixture === null) return resolve('no bridge');
        const stop: unknown = Reflect.get(
          fixture,
          'onTock',
        )((value: unknown) => {
          if (typeof stop === 'function') stop();
          resolve(value);
        });
        Reflect.get(fixture, 'tick')(41);
      }),
  );
  expect(heard).toEqual({ count: 42 });
});

check('the preload has its own world and only what a sandbox allows', async (app) => {
  const { page } = app;
  expect(await read(page, 'seenAtStart')).toBe('object');
  expect(await read(page, 'require')).toBeUndefined();
  expect(await read(page, 'process')).toBeUndefined();
  expect(await read(page, 'onlyForPreload')).toBeUndefined();
  expect(await read(page, 'fixture.facts')).toMatchObject({
    fs: expect.stringContaining('module not found: fs'),
    node: expect.stringContaining('module not found'),
    sandboxed: true,
    exit: 'undefined',
    main: 'undefined',
  });
  expect(await call(page, 'add', 2, 3)).toBe(5);
  expect(await call(page, 'refuse')).toContain('refused here');
});

check('the bridge is frozen in depth', async (app) => {
  const { page } = app;
  const frozen = await page.evaluate(() => {
    const bridge: unknown = Reflect.get(window, 'fixture');
    const all: unknown[] = [];
    const visit = (value: unknown): void => {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
      all.push(Object.isFrozen(value));
      for (const key of Object.keys(value)) visit(Reflect.get(value, key));
    };
    visit(bridge);
    const replaced =
      Reflect.set(window, 'fixture', null) || Reflect.deleteProperty(window, 'fixture');
    return { all, replaced };
  });
  expect(frozen.all.length).toBeGreaterThan(8);
  expect(frozen.all).not.toContain(false);
  expect(frozen.replaced).toBe(false);
});

check('menu, keys, tray and notifications', async (app) => {
  await app.menuClick(['Help', 'Docs']);
  await app.menuClick(['File', 'Pause']);
  await app.page.keyboard.press('Control+Shift+P');
  await expect
    .poll(() => log(app.page))
    .toEqual(expect.arrayContaining(['docs', 'pause true', 'pause false']));
  await expect(app.menuClick(['File', 'Off'])).rejects.toThrow('disabled');
  await expect(app.menuClick(['File', 'Nowhere'])).rejects.toThrow('no "Nowhere"');
  const labels = (await app.tray.items()).map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(['Open', 'Quit']));
  await call(app.page, 'invoke', 'notify');
  expect(await app.notifications()).toEqual([{ title: 'Done', body: '3 images' }]);
});

check('permissions, new windows and navigation are refused', async (app) => {
  const { page } = app;
  const denied = await page.evaluate(async () => {
    const names = ['geolocation', 'notifications', 'camera'] as const;
    const states = names.map(async (name) => (await navigator.permissions.query({ name })).state);
    const position = new Promise((resolve) =>
      navigator.geolocation.getCurrentPosition(resolve, (error) => resolve(error.code)),
    );
    return { states: await Promise.all(states), position: await position };
  });
  expect(denied).toEqual({ states: ['denied', 'denied', 'denied'], position: 1 });
  expect(await page.evaluate(() => window.open('https://evil.example/a'))).toBeNull();
  await page.getByRole('link', { name: 'New window' }).click();
  await page.getByRole('link', { name: 'Away' }).click();
  await page.getByRole('button', { name: 'Form away' }).click();
  await page.getByRole('link', { name: 'Help' }).click();
  await expect.poll(() => app.openedExternally()).toEqual(['https://docs.example/help']);
  await expect
    .poll(() => log(page))
    .toEqual(
      expect.arrayContaining([
        'open https://evil.example/a',
        'open https://evil.example/',
        'will-navigate https://evil.example/',
      ]),
    );
  expect(await read(page, 'location.href')).toMatch(/\/index\.html$/);
  expect(await app.windows()).toHaveLength(1);
  await expect.poll(() => page.context().pages().length).toBe(1);
});

check('power events arrive', async (app) => {
  await app.power('on-battery');
  await app.power('suspend');
  await app.power('resume');
  expect((await log(app.page)).filter((line) => line.startsWith('power'))).toEqual([
    'power on-battery true',
    'power suspend true',
    'power resume true',
  ]);
});

check('the theme of the application reaches the page', async (app) => {
  const { page } = app;
  const dark = (): Promise<boolean> =>
    page.evaluate(() => window.matchMedia('(prefers-color-scheme: dark)').matches);
  await call(page, 'invoke', 'theme', 'dark');
  await expect.poll(dark).toBe(true);
  await call(page, 'invoke', 'theme', 'light');
  await expect.poll(dark).toBe(false);
});

test('messages, the preload, menus, permissions, power and the theme', async ({ start }) => {
  const app = await start();
  for (const [name, run] of checks) await test.step(name, () => run(app));
});

test('the page is app:// to the application, and its CSP is obeyed', async ({ start }) => {
  const { page } = await start({ expects: [/Content Security Policy.*script-src/s, /img-src/] });
  expect(await call(page, 'invoke', 'sender')).toEqual({
    url: 'app://sluice/index.html',
    origin: 'app://sluice',
    top: true,
    known: true,
    shown: 'app://sluice/index.html',
  });
  expect(await log(page)).toContain('serve app://sluice/page.js');
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.head.append(script);
    const image = document.createElement('img');
    image.src = 'https://evil.example/pixel.png';
    document.body.append(image);
    return Reflect.get(window, 'injected') === true;
  });
  expect(ran).toBe(false);
  await expect
    .poll(() => read(page, 'violations'))
    .toEqual(expect.arrayContaining(['script-src-elem', 'img-src']));
  expect(await page.evaluate(() => window.isSecureContext)).toBe(true);
});

test('hidden failures are noticed: an error of the page, and an unhandled one in main', async ({
  start,
}) => {
  const app = await start({ expects: [/page broke/, /page promised/, /said aloud/, /main broke/] });
  await app.page.evaluate(() => {
    setTimeout(() => {
      throw new Error('page broke');
    }, 0);
    void Promise.reject(new Error('page promised'));
    console.error('said aloud');
  });
  for (const said of ['page broke', 'page promised', 'said aloud']) {
    await expect.poll(() => app.output()).toContain(said);
  }
  await call(app.page, 'invoke', 'break').catch(() => null);
  await expect.poll(() => app.output()).toContain('main broke');
  await app.kill();
});

test('dialogs are answered by the test, and one without an answer fails it', async ({ start }) => {
  const app = await start();
  await app.answerNextDialog({ filePaths: ['/data/camera one'] });
  expect(await call(app.page, 'invoke', 'choose')).toEqual({
    canceled: false,
    filePaths: ['/data/camera one'],
  });
  expect(await call(app.page, 'invoke', 'choose')).toContain('the test queued no answer');
  await expect(app.close()).rejects.toThrow('showOpenDialog ("Pick a folder")');
});

test('without a tray, closing the window is noticed', async ({ start }) => {
  const app = await start({ args: ['--no-tray'] });
  expect(await app.tray.items()).toEqual([]);
  await app.closeWindow();
  await expect.poll(() => app.windows()).toEqual([]);
});

test('before-quit can refuse once', async ({ start }) => {
  const app = await start({ args: ['--ask-before-quit'] });
  await app.quit();
  await expect.poll(() => log(app.page)).toContain('before-quit');
  expect((await app.windows())[0]?.visible).toBe(true);
  await app.quit();
  expect(await app.exited).toBe(0);
});

test('a crashed page is noticed and can be loaded again', async ({ start }) => {
  const app = await start();
  await app.crashRenderer();
  const page = await app.waitForPage();
  await expect(page.getByRole('heading', { name: 'Fixture' })).toBeVisible();
  expect(await log(page)).toContain('gone crashed');
});

test('what pages and the application store lasts', async ({ start, scratch }) => {
  const first = await start();
  await first.page.evaluate(() => window.localStorage.setItem('kept', 'yes'));
  expect(await call(first.page, 'invoke', 'secret', 'rf_key_123')).toEqual({
    readable: false,
    back: 'rf_key_123',
  });
  await first.close();
  const second = await start();
  expect(await second.page.evaluate(() => window.localStorage.getItem('kept'))).toBe('yes');
  expect(second.userDataDir).toBe(join(scratch, 'user-data'));
});

test('a killed application leaves no browser behind', async ({ start }) => {
  const app = await start();
  const before = await processesWith(app.userDataDir);
  if (process.platform === 'linux') expect(before).toBeGreaterThan(1);
  await app.kill();
  await expect.poll(() => processesWith(app.userDataDir)).toBe(0);
});

test('the end of the system session is a quit, and nothing stays behind', async ({ start }) => {
  const app = await start();
  await app.terminate();
  expect(await app.exited).toBe(0);
  await expect.poll(() => processesWith(app.userDataDir)).toBe(0);
});

test('the Chromium host ends with the test that started it', async ({ scratch }) => {
  const userDataDir = join(scratch, 'user-data');
  const host = startHost({ entry: ENTRY, userDataDir, env: {}, args: [], waitForPage: true });
  // Before its page is there, so that it has something left to report.
  host.abandon();
  await expect.poll(() => processesWith(userDataDir)).toBe(0);
});

/** How many processes name this directory on their command line; only Linux can tell without another program. */
async function processesWith(directory: string): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.includes(directory)).length;
}
