/** What breaks around the window: its own files damaged, an unreadable key, a crashed page, a vanished drive, deceptive names. */
import { readdir, readFile, rename, rm, writeFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, type Page } from '@playwright/test';
import { tinyJpeg } from '../../helpers/media.ts';
import {
  agreesToKeep,
  choose,
  connect,
  hold,
  test,
  until,
  untilReady,
  value,
  watch,
  writeImages,
} from './appSteps.ts';

const PAGE_BYTES = 4096;

/** Expects a text anywhere in the window. */
async function says(page: Page, text: string): Promise<void> {
  await expect(page.getByText(text, { exact: false }).first()).toBeVisible();
}

/** Destroys the page on which the ledger's files table begins. */
async function damage(path: string): Promise<void> {
  const ledger = new DatabaseSync(path);
  const pageOf = `SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'items'`;
  const page = Number(ledger.prepare(pageOf).get()?.['rootpage']);
  ledger.close();
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, PAGE_BYTES * (page - 1));
  await file.close();
}

test('damaged settings, a damaged ledger and an unreadable key: reported, repaired, nothing sent twice', async ({
  launch,
  scratch,
  service,
}) => {
  // Three starts of the application, one after the other.
  test.setTimeout(360_000);
  const directory = await writeImages(scratch, 'camera', 6);
  const home = join(scratch, 'user-data');
  const settings = join(home, 'window.json');
  const first = await launch();
  await connect(first, service);
  await watch(first, directory, { batch: 'kept' });
  await until(first.page, ({ pipeline: line }) => line.counts.confirmed, 6);
  await first.close();

  // Truncated settings and a lost page of the ledger: the backup is used, and whatever can be read from the ledger.
  await writeFile(settings, (await readFile(settings, 'utf8')).slice(0, 60));
  await damage(join(home, 'data', 'ledger.db'));
  const second = await launch();
  await says(second.page, 'window settings were damaged and were restored from the backup');
  await says(second.page, 'The ledger was damaged');
  await second.page.getByRole('button', { name: 'Got it' }).first().click();
  await untilReady(second.page);
  await writeFile(join(directory, 'second.jpg'), tinyJpeg(9001));
  await expect.poll(() => service.state.objects('kept').length).toBe(7);
  expect(service.state.doubles()).toEqual([]);
  await second.close();

  // Settings with a wrong shape, and a backup whose key was written on another computer.
  const backup = join(home, 'window.backup.json');
  const kept: { keys: Record<string, string> } = JSON.parse(await readFile(backup, 'utf8'));
  const [id = '1'] = Object.keys(kept.keys);
  const stranger = Buffer.from('written by another keychain').toString('base64');
  await writeFile(backup, JSON.stringify({ ...kept, keys: { [id]: stranger } }));
  await writeFile(settings, '[1, 2, 3]');
  await writeFile(join(directory, 'third.jpg'), tinyJpeg(9002));
  const third = await launch();
  const { page } = third;
  await says(page, 'The key is needed again');
  expect(service.state.objects('kept')).toHaveLength(7);
  await page.getByRole('button', { name: 'Update API key…' }).click();
  await agreesToKeep(third);
  await page.getByLabel('API key', { exact: true }).fill(service.apiKey);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^API key of .* updated$/)).toBeVisible();
  await expect.poll(() => service.state.objects('kept').length).toBe(8);
  expect(service.state.doubles()).toEqual([]);
  expect((await readdir(home)).filter((name) => name.includes('damaged'))).not.toEqual([]);
});

test('a page that crashes and a drive that disappears: uploads continue, the window says so, each file arrives once', async ({
  app,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'drive', 6);
  const release = hold(service, 'POST', /upload\/image$/);
  await watch(app, directory, { batch: 'drive', mode: 'single' });
  await until(app.page, ({ pipeline: line }) => line.transfers.length > 0, true);
  await app.crashRenderer();
  release();
  const page = await app.waitForPage();
  await says(page, 'All 6 files confirmed');

  await rename(directory, `${directory}-gone`);
  await says(page, 'Not there');
  await writeFile(join(`${directory}-gone`, 'while-away.jpg'), tinyJpeg(9101));
  await rename(`${directory}-gone`, directory);
  await says(page, 'All 7 files confirmed');
  await expect(page.getByText('Not there')).toHaveCount(0);
  expect(service.state.objects('drive')).toHaveLength(7);
  expect(service.state.doubles()).toEqual([]);
});

test('deceptive names stay names: nothing leaves the chosen folder, nothing runs in the window', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'camera', 3);
  const results = await writeImages(scratch, 'results', 1);
  await watch(app, directory, { batch: 'liars' });
  await until(page, ({ pipeline: line }) => line.counts.confirmed, 3);
  const objects = service.state.batches.get('liars')?.objects ?? [];
  const lies = ['../../slipped.jpg', '<img src=x onerror=alert(1)>.jpg', 'CON\u202egpj.exe'];
  for (const [at, name] of lies.entries()) {
    const object = objects[at];
    if (object !== undefined) objects.splice(at, 1, { ...object, name });
  }
  await choose(app, results);
  await value(page, 'batch.download', { batchId: 'liars', to: results });
  await until(page, ({ downloads }) => downloads.map(({ state }) => state !== 'running'), [true]);
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.getByText('liars', { exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'liars' }).first()).toBeVisible();
  expect((await readdir(scratch)).sort()).toEqual(['camera', 'results', 'user-data']);
  const fetched = await readdir(results, { recursive: true });
  expect(fetched.filter((name) => /[<>\u202e]/.test(name))).toEqual([]);
});

test('a file whose name is not text is shown with its bytes and its picture; the desktop opens its folder', async ({
  app,
  page,
  scratch,
}) => {
  const directory = await writeImages(scratch, 'camera', 0);
  // Only Linux has such names.
  const isLinux = process.platform === 'linux';
  const name = isLinux ? 'gr\\xfcn.jpg' : 'green.jpg';
  const bytes = Buffer.from(isLinux ? 'gr\xfcn.jpg' : name, 'latin1');
  await writeFile(Buffer.concat([Buffer.from(join(directory, '/')), bytes]), tinyJpeg(7));
  await watch(app, directory, { batch: 'odd' });
  await until(page, ({ pipeline: line }) => line.counts.confirmed, 1);
  await page.evaluate(() => (location.hash = '#/batches/odd'));
  const row = page.getByRole('grid', { name: 'Files' }).getByRole('row').filter({ hasText: name });
  await expect(row.locator('img')).toBeVisible();
  await row.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Quick look' }).click();
  const look = page.getByRole('dialog', { name });
  await expect(look.locator('img')).toBeVisible();
  await look.getByRole('button', { name: 'Copy path' }).click();
  await expect(page.getByText('1 path copied')).toBeVisible();
  await look.getByRole('button', { name: 'Open' }).click();
  await look.getByRole('button', { name: 'Show in folder' }).click();
  const opened = isLinux ? directory : join(directory, name);
  await expect.poll(() => app.openedExternally()).toEqual([opened, opened]);
  await rm(directory, { recursive: true });
  await look.getByRole('button', { name: 'Show in folder' }).click();
  await expect(page.getByText('The file no longer exists.')).toBeVisible();
});
