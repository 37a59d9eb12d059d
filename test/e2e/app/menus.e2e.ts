/** The workspace menu, the history by day, and every command by typing a few letters. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from '@playwright/test';
import { createReferenceService } from '../../service/referenceService.ts';
import {
  connect,
  hold,
  lineOf,
  notificationTitles,
  runFromPalette,
  says,
  startJob,
  test,
  until,
  value,
  watch,
  writeImages,
} from './appSteps.ts';

const DAY_MS = 24 * 60 * 60_000;

test('the workspace is a menu: the state of each, and the other one by keys', async ({
  app,
  page,
  service,
}) => {
  const second = await createReferenceService({ workspace: 'second', apiKey: 'second-key' });
  try {
    await connect(app, second);
    await until(page, ({ connections }) => connections.map(({ state }) => state), [
      'ready',
      'ready',
    ]);
    const inUse = ({
      connections,
    }: {
      connections: readonly { selected: boolean; workspace: string }[];
    }) => connections.find(({ selected }) => selected)?.workspace;
    const before = inUse(await value(page, 'snapshot.get', {}));
    const other = before === 'second' ? service.workspace : 'second';
    await page.getByRole('link', { name: 'Projects' }).click();
    const projects = page.getByRole('grid', { name: 'Folders and projects' });
    await projects.getByText('Bottle caps').click();
    const address = (): Promise<string> => page.evaluate(() => location.hash);
    await expect.poll(address).toBe('#/projects/bottle-caps');
    const nav = page.getByRole('navigation', { name: 'Views' });
    const opener = nav.getByRole('button', { name: before ?? '' });
    await opener.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: /Connected/ })).toHaveCount(2);
    await expect(page.getByRole('menuitem', { name: 'Add workspace…' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(opener).toBeFocused();
    await page.keyboard.press('Enter');
    const release = hold(other === 'second' ? second : service, 'GET', /./);
    await page.getByRole('menuitem', { name: new RegExp(other) }).press('Enter');
    await until(page, inUse, other);
    // What was read from the one is not shown as what is in the other.
    await expect(projects).toBeHidden();
    expect(await address()).toBe('#/projects');
    release();
    await expect(projects).toBeVisible();
    await expect(nav.getByRole('button', { name: other })).toBeVisible();
    await nav.getByRole('button', { name: other }).click();
    await page.getByRole('menuitem', { name: 'Manage workspaces' }).click();
    await expect(page.getByRole('tab', { name: 'Workspaces', selected: true })).toBeVisible();
  } finally {
    await second.close();
  }
});

test('a click on a notification opens what it is about, in its workspace', async ({
  app,
  page,
  scratch,
}) => {
  const directory = await writeImages(scratch, 'belt', 0);
  await watch(app, directory, { batch: 'belt' });
  const second = await createReferenceService({ workspace: 'second', apiKey: 'second-key' });
  try {
    const id = await connect(app, second);
    await until(page, ({ connections }) => connections.find((one) => one.selected)?.id, id);
    await writeImages(scratch, 'belt', 3);
    await expect
      .poll(() => notificationTitles(app), { timeout: 60_000 })
      .toContain('All 3 files are safe');
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('row', { name: /Bottle caps/ }).click();
    await app.clickNotification('All 3 files are safe');
    await expect(page.getByRole('region', { name: 'batch belt' })).toContainText('Confirmed 3');
    await until(page, ({ connections }) => connections.map(({ selected }) => selected), [
      true,
      false,
    ]);
  } finally {
    await second.close();
  }
});

/** Makes a destination's files look as if found this many days ago. */
function foundDaysAgo(userDataDir: string, name: string, days: number): void {
  // The application is using it: whoever writes waits for the other.
  const ledger = new DatabaseSync(join(userDataDir, 'data', 'ledger.db'), { timeout: 10_000 });
  ledger
    .prepare(
      `UPDATE items SET found_at = found_at - ?
       WHERE destination_id = (SELECT id FROM destinations WHERE name = ?)`,
    )
    .run(days * DAY_MS, name);
  ledger.close();
}

test('the history is shown by day: today open, each day says whether all of it is safe', async ({
  app,
  page,
  scratch,
}) => {
  for (const name of ['older', 'before', 'today']) {
    await watch(app, await writeImages(scratch, name, 2), { batch: name, name });
  }
  await says(page, 'All 6 files confirmed');
  foundDaysAgo(app.userDataDir, 'before', 1);
  foundDaysAgo(app.userDataDir, 'older', 3);
  const days = page.getByRole('list', { name: 'Days' });
  const day = (name: RegExp) => days.getByRole('button', { name });
  await expect(day(/^Yesterday/)).toContainText('All 2 files safe');
  await expect(day(/^Today/)).toHaveAttribute('aria-expanded', 'true');
  await expect(day(/^Yesterday/)).toHaveAttribute('aria-expanded', 'false');
  await expect(days.getByRole('button', { expanded: false })).toHaveCount(2);
  await day(/^Yesterday/).focus();
  await page.keyboard.press('Enter');
  await expect(days.getByRole('listitem').filter({ hasText: 'before' }).last()).toContainText(
    'All 2 files safe',
  );
  await expect(page.getByText('Last 7 days: all 6 files safe')).toBeVisible();
});

test('a watched folder and a job are worked with from the palette', async ({
  app,
  page,
  scratch,
}) => {
  await watch(app, await writeImages(scratch, 'cups', 2), { batch: 'cups', name: 'cups' });
  await says(page, 'All 2 files confirmed');
  await runFromPalette(page, 'cups: pause', 'cups: Pause');
  await expect(lineOf(page, 'cups')).toContainText('Paused');
  await runFromPalette(page, 'cups: resume', 'cups: Resume');
  await expect(lineOf(page, 'cups')).toContainText('Watching');
  await value(page, 'batch.seal', { batchId: 'cups' });
  await startJob(page, 'cups', { jobId: 'count' });
  await until(page, ({ jobsRunning }) => jobsRunning, 0);
  await runFromPalette(page, 'count the cups', 'Count the cups');
  const job = page.getByRole('region', { name: 'job count', exact: true });
  await expect(job.getByText('Done', { exact: true })).toBeVisible();
  await runFromPalette(page, 'show the logs', 'Show the logs of count');
  await expect(job.getByRole('tab', { name: 'Logs', selected: true })).toBeVisible();
});
