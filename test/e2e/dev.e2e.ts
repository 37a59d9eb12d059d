/** `npm run dev`, on a copy of the sources: changes in the window are hot-swapped, changes behind it reopen it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, expect, type Page, test } from '@playwright/test';
import type { Bridge } from '../../preload/contract/requests.ts';
import { findChromium } from '../../build/findChromium.ts';
import { ROOT } from '../../build/runStage.ts';

declare global {
  interface Window {
    readonly sluice: Bridge;
  }
}

const TYPED = 'typed before the change';
/** For a busy machine, which first builds everything. */
const PATIENT = { timeout: 240_000 };

/** A copy of everything that is built, in a new directory. */
async function copyOfSources(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'sluice-dev-'));
  const names = [
    'build',
    'main',
    'preload',
    'renderer',
    'package.json',
    'tsconfig.json',
    'LICENSE',
  ];
  for (const name of names) {
    await cp(join(ROOT, name), join(root, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction');
  return root;
}

async function startDevelopment(root: string): Promise<ChildProcess> {
  const found = await findChromium('headless');
  const words = ['--user-data-dir', join(root, 'data'), '--remote-debugging-port', '0'];
  return spawn(process.execPath, ['build/start.ts', '--dev', '--host', ...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SLUICE_HEADLESS: '1',
      ...(found === null ? {} : { SLUICE_CHROMIUM: found }),
    },
  });
}

interface Shown {
  readonly browser: Browser;
  readonly page: Page;
}

async function look(root: string): Promise<Shown> {
  const file = join(root, 'data/chromium-host/DevToolsActivePort');
  const [port] = (await readFile(file, 'utf8')).split('\n');
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
  const pages = browser.contexts().flatMap((context) => context.pages());
  const page = pages.find((entry) => entry.url().includes('sluice'));
  if (page !== undefined) return { browser, page };
  await browser.close();
  throw new Error('There is no window yet.');
}

async function openWindow(root: string): Promise<Shown> {
  const opened: Shown[] = [];
  await expect(async () => {
    const shown = await look(root);
    await expect(shown.page.getByLabel('API key', { exact: true })).toBeVisible();
    opened.push(shown);
  }).toPass(PATIENT);
  const [shown] = opened;
  if (shown === undefined) throw new Error('There is no window.');
  return shown;
}

/**
 * Changes a file in one write. `writeFile` empties it first, and Vite ignores a second change within 50 ms: if it reads the file between
 * the two, it keeps the empty one.
 */
async function replaceText(path: string, change: (text: string) => string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const text = await file.readFile('utf8');
    await file.write(change(text).padEnd(text.length), 0);
  } finally {
    await file.close();
  }
}

test('a change in the window is hot-swapped; one behind it reopens the window', async () => {
  test.setTimeout(900_000);
  const root = await copyOfSources();
  const development = await startDevelopment(root);
  const ended = new Promise<void>((resolve) => development.once('close', () => resolve()));
  const edit = async (path: string, change: (text: string) => string): Promise<void> =>
    replaceText(join(root, path), change);
  try {
    const { page, browser } = await openWindow(root);
    const key = page.getByLabel('API key', { exact: true });
    await key.fill(TYPED);
    await page.evaluate(() => Reflect.set(window, 'sameWindow', true));
    const policy = await page.evaluate(async () =>
      (await fetch('index.html')).headers.get('content-security-policy'),
    );
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');

    // A component, with a module that it starts to use. The page may not listen yet: the edit is repeated until it does.
    await writeFile(join(root, 'renderer/text/swapped.ts'), "export const WORDS = 'swapped in';");
    const component = 'renderer/components/overlays/Toasts.svelte';
    const before = await readFile(join(root, component), 'utf8');
    const script = '<script lang="ts">\n  import { WORDS } from \'../../text/swapped.ts\';';
    const after = `${before.replace('<script lang="ts">', script)}\n<p>{WORDS}</p>\n`;
    await expect(async () => {
      await edit(component, () => after);
      await expect(page.getByText('swapped in')).toBeVisible({ timeout: 5000 });
    }).toPass(PATIENT);
    await edit('renderer/text/swapped.ts', (text) => text.replace('in', 'again'));
    await expect(page.getByText('swapped again')).toBeVisible(PATIENT);
    await edit('renderer/styles/tokens.css', (text) => `${text}\n:root { --probe: 7px; }\n`);
    const probe = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--probe'));
    await expect.poll(probe, PATIENT).toBe('7px');
    expect(await key.inputValue()).toBe(TYPED);
    expect(await page.evaluate(() => 'sameWindow' in window)).toBe(true);

    // The window's state lives in modules: such a change reloads the page, in the same application.
    await edit('renderer/state/toasts.svelte.ts', (text) => `${text}\n`);
    await page.waitForFunction(() => !('sameWindow' in window), undefined, PATIENT);
    await expect(page.getByText('swapped again')).toBeVisible(PATIENT);

    // Code behind the window: the application ends and opens again, with the change.
    const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
    await edit('main/app/window/windowSnapshot.ts', (text) =>
      text.replace('version: context.version', "version: '7.7.7'"),
    );
    await gone;
    const next = await openWindow(root);
    const version = (): Promise<unknown> =>
      next.page.evaluate(async () => {
        const answer = await window.sluice.request('snapshot.get', {});
        return answer.ok ? answer.value.runtime.version : answer.error.code;
      });
    await expect.poll(version, PATIENT).toBe('7.7.7');
    await expect(next.page.getByText('swapped again')).toBeVisible(PATIENT);

    const last = new Promise<void>((resolve) => next.browser.once('disconnected', () => resolve()));
    development.kill('SIGTERM');
    await Promise.all([ended, last]);
  } finally {
    development.kill('SIGTERM');
    await ended;
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
});
