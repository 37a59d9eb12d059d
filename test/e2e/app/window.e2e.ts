/** The window as a desktop program: one instance, a tray, keys that stay inside, and no way in for others. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import {
  agreesToKeep,
  connected,
  test,
  trayLabels,
  until,
  untilReady,
  value,
  watch,
  writeImages,
  says,
} from './appSteps.ts';

function send(page: Page, name: unknown, input: unknown): Promise<unknown> {
  return page.evaluate(
    async ([what, given]) => Reflect.apply(window.sluice.request, undefined, [what, given]),
    [name, input] as const,
  );
}

test('a malformed message changes nothing', async ({ launch, service }) => {
  const app = await launch({ env: connected(service) });
  await until(app.page, ({ connections }) => connections.length, 1);
  // The address of a connection is stored, so it may not contain the key.
  const keyed = {
    ...{ apiUrl: `${service.url}/?api_key=${service.apiKey}`, projectsUrl: null },
    apiKey: service.apiKey,
    workspace: null,
  };
  const bad: readonly (readonly [unknown, unknown])[] = [
    ['connection.check', keyed],
    ['connection.add', keyed],
    ['no.such', {}],
    ['constructor', {}],
    ['__proto__', {}],
    [7, {}],
    ['uploads.pause', { paused: 'yes' }],
    ['uploads.pause', { paused: true, extra: 1 }],
    ['uploads.pause', null],
    ['batch.page', { offset: -1, limit: 10, search: '' }],
    ['batch.page', { offset: 0, limit: 1e9, search: '' }],
    ['batch.detail', { batchId: '../../etc' }],
    ['batch.page', { offset: 0, limit: 10, search: 'x'.repeat(300_000) }],
    ['link.open', { to: 'https://elsewhere.example/' }],
    ['folder.open', { path: '/' }],
    ['batch.download', { batchId: 'a', to: '/tmp' }],
  ];
  for (const [name, input] of bad) {
    expect(await send(app.page, name, input), String(name)).toMatchObject({
      ok: false,
      error: { code: 'usage.invalid' },
    });
  }
  await until(app.page, ({ pipeline: line }) => line.paused, false);
  expect(await app.openedExternally()).toEqual([]);
});

test('a refused key is reported, and the key is never returned or stored in a file', async ({
  launch,
  scratch,
  service,
}) => {
  const app = await launch();
  const { page } = app;
  await page.getByText('Advanced', { exact: true }).click();
  await page.getByLabel('Address', { exact: true }).fill(service.url);
  await page.getByLabel('API key', { exact: true }).fill('a-wrong-key-for-this');
  await expect(page.getByText('The service refused the key').first()).toBeVisible();
  await until(page, ({ connections }) => connections.length, 0);
  await page.getByLabel('API key', { exact: true }).fill(service.apiKey);
  await agreesToKeep(app);
  await page.getByRole('button', { name: 'Connect' }).click();
  await untilReady(page);
  const snapshot = await value(page, 'snapshot.get', {});
  expect(JSON.stringify(snapshot)).not.toContain(service.apiKey);
  expect(await page.content()).not.toContain(service.apiKey);
  await page.getByRole('button', { name: 'Later' }).click();
  await app.menuClick(['File', 'Settings']);
  await page.getByRole('button', { name: `More for ${service.workspace}` }).click();
  await page.getByRole('menuitem', { name: 'Replace API key…' }).click();
  await page.getByLabel('API key', { exact: true }).fill('another-wrong-key');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog').getByText('The service refused the key')).toBeVisible();
  await page.keyboard.press('Escape');
  // Shown only where it applies, and gone for good once dismissed.
  const open = (where: Page): Locator => where.getByText('This computer has no keychain');
  await expect(open(page)).toHaveCount(snapshot.runtime.secretsProtected ? 0 : 1);
  if (!snapshot.runtime.secretsProtected) {
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(open(page)).toHaveCount(0);
  }
  await page.getByRole('tab', { name: 'Help and about' }).click();
  await expect(
    page.getByText(
      snapshot.runtime.secretsProtected
        ? 'Encrypted with the system keychain'
        : 'In a file that only your user can read',
      { exact: true },
    ),
  ).toBeVisible();
  await app.close();
  const files = await readdir(join(scratch, 'user-data'), { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile())) {
    if (!/\.(json|db|db-wal|log|txt)$/.test(file.name)) continue;
    const content = await readFile(join(file.parentPath, file.name));
    expect(content.includes('demo-key'), file.name).toBe(false);
    expect(content.includes('a-wrong-key-for-this'), file.name).toBe(false);
    expect(content.includes('another-wrong-key'), file.name).toBe(false);
  }
  service.faults.always('*', /./, { kind: 'status', status: 401 });
  const again = await launch();
  await expect(again.page.getByText('Key refused').first()).toBeVisible();
  await expect(open(again.page)).toHaveCount(0);
  await expect.poll(() => trayLabels(again)).toContain('Sluice needs attention');
  service.faults.clear();
  await expect(again.page.getByText('Connected', { exact: true }).first()).toBeVisible();
});

test('without a keychain a person decides whether the key is written, and may decide again', async ({
  launch,
  scratch,
  service,
}) => {
  const app = await launch();
  const { page } = app;
  const { runtime } = await value(page, 'snapshot.get', {});
  const isAsked = !runtime.secretsProtected;
  await page.getByText('Advanced', { exact: true }).click();
  await page.getByLabel('Address', { exact: true }).fill(service.url);
  await page.getByLabel('API key', { exact: true }).fill(service.apiKey);
  const connect = page.getByRole('button', { name: 'Connect' });
  if (isAsked) {
    await app.answerNextDialog({ response: 2 });
    await connect.click();
    await expect(page.getByRole('alert')).toContainText('The key was not saved.');
    await until(page, ({ connections }) => connections.length, 0);
    await app.answerNextDialog({ response: 1 });
  }
  await connect.click();
  await untilReady(page);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByText('This computer has no keychain')).toHaveCount(0);
  await app.close();
  const kept: unknown = JSON.parse(
    await readFile(join(scratch, 'user-data', 'window.json'), 'utf8'),
  );
  const count = isAsked ? 0 : 1;
  expect(Object.keys(Object(Reflect.get(Object(kept), 'keys')))).toHaveLength(count);

  const again = await launch();
  const state = isAsked ? 'locked' : 'ready';
  await until(again.page, ({ connections }) => connections.map((one) => one.state), [state]);
  // A key that was not stored is nowhere: there is no entry about it.
  await again.page.getByRole('link', { name: 'Settings' }).click();
  await again.page.getByRole('tab', { name: 'Help and about' }).click();
  await expect(again.page.getByText('Data folder', { exact: true })).toBeVisible();
  await expect(again.page.getByText('API keys', { exact: true })).toHaveCount(count);
});

test('closing hides to the tray; its menu, a second start and a link bring the window back', async ({
  launch,
  service,
}) => {
  const app = await launch({ env: connected(service) });
  const visible = async (): Promise<readonly boolean[]> =>
    (await app.windows()).map((one) => one.visible);
  await expect
    .poll(() => trayLabels(app))
    .toEqual(expect.arrayContaining(['Everything is uploaded', 'Open Sluice', 'Pause', 'Quit']));
  await app.closeWindow();
  await expect.poll(visible).toEqual([false]);
  await app.tray.click('Pause');
  await expect.poll(() => trayLabels(app)).toEqual(expect.arrayContaining(['Paused', 'Resume']));
  await app.tray.click('Open Sluice');
  await expect.poll(visible).toEqual([true]);
  await says(app.page, 'Paused; nothing is queued');
  await app.page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(() => trayLabels(app)).toContain('Pause');
  await app.closeWindow();
  await expect.poll(visible).toEqual([false]);
  expect(await app.secondStart([])).toBe(0);
  await expect.poll(visible).toEqual([true]);
  await app.closeWindow();
  await expect.poll(visible).toEqual([false]);
  expect(await app.secondStart(['sluice://batch/cam-1'])).toBe(0);
  await expect.poll(visible).toEqual([true]);
  await expect(app.page.getByRole('link', { name: 'Batches' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await expect.poll(() => app.page.url()).toContain('cam-1');
});

test('the page obeys its policy: nothing inline, nothing from elsewhere, no new windows', async ({
  launch,
}) => {
  const app = await launch({ expects: [/Content Security Policy/, /elsewhere\.example/, /404/] });
  const [policy, opened, fetched] = await app.page.evaluate(async () => {
    const answer = await fetch('index.html');
    const foreign = await fetch('https://elsewhere.example/').then(
      () => 'fetched',
      () => 'refused',
    );
    return [
      answer.headers.get('content-security-policy'),
      window.open('https://elsewhere.example/') === null,
      foreign,
    ] as const;
  });
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect([opened, fetched]).toEqual([true, 'refused']);
  const status = await app.page.evaluate(async () => {
    const outside = await fetch('..%2f..%2fpackage.json');
    return outside.status;
  });
  expect(status).toBe(404);
});

test('every view opens from the menu; on battery uploads wait when that is wished', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'unplugged', 3);
  for (const view of ['Batches', 'Jobs', 'Projects', 'Problems', 'Uploads']) {
    await app.menuClick(['View', view]);
    await expect(page.getByRole('heading', { name: view, level: 1 })).toBeVisible();
  }
  await app.menuClick(['File', 'Settings']);
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await page.getByRole('tab', { name: 'General' }).click();
  await page.getByRole('switch', { name: 'Wait while on battery' }).click();
  await until(page, ({ settings }) => settings.pauseOnBattery, true);
  await app.power('on-battery');
  await watch(app, directory, { batch: 'unplugged', mode: 'single' });
  await says(page, 'Waiting for mains power; nothing is lost');
  expect(service.state.objects('unplugged')).toHaveLength(0);
  await app.power('on-ac');
  await says(page, 'All 3 files confirmed');
  expect(service.state.doubles()).toEqual([]);
});
