/** Problems that a service and a disk really cause: what happened, whether files are safe, what to do, and that doing it helps. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import { tinyJpeg } from '../../helpers/media.ts';
import {
  choosesIn,
  hold,
  startJob,
  test,
  trayLabels,
  until,
  value,
  watch,
  writeImages,
} from './appSteps.ts';

const DAY_MS = 24 * 60 * 60_000;
const BUSY = { kind: 'status', status: 503 } as const;
const UNDECODED = { kind: 'status', body: { error: 'Image could not be decoded' } } as const;

function cause(page: Page, happened: string | RegExp): Locator {
  return page.getByRole('region', { name: happened });
}

/** The files of a cause; a few are listed at once, many on demand. */
async function showFiles(group: Locator, count: number): Promise<Locator> {
  if (count > 3) await group.getByRole('button', { name: /^Show files/ }).click();
  const rows = group.getByRole('grid', { name: 'Files' }).getByRole('row');
  await expect(rows).toHaveCount(count);
  return rows;
}

test('files that the service refused are tried again one by one and together', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'belt', 4);
  // Two alternating statuses: the same one for three files in a row would concern the batch.
  let asked = 0;
  service.faults.choose((method, path) => {
    if (method !== 'POST' || !path.endsWith('/upload/image')) return null;
    asked += 1;
    return { ...UNDECODED, status: asked % 2 === 0 ? 422 : 400 };
  });
  await watch(app, directory, { batch: 'belt', mode: 'single' });
  await until(page, ({ problems }) => [problems.count, problems.unread], [4, 4]);
  await expect(page.getByRole('link', { name: /Problems/ })).toHaveAccessibleName(
    'Problems 4 need attention, 4 new',
  );
  await expect.poll(() => trayLabels(app)).toContain('4 files need attention, 4 new');

  await page.getByRole('link', { name: /Problems/ }).click();
  const refused = cause(page, /refused|does not accept/);
  await expect(refused).toContainText('Image could not be decoded');
  await expect(refused).toContainText('Not uploaded. Nothing on this computer was changed.');
  // Viewed is not solved: the count stays.
  await until(page, ({ problems }) => [problems.count, problems.unread], [4, 0]);
  await expect.poll(() => trayLabels(app)).toContain('4 files need attention');
  await expect(page.getByRole('link', { name: /Problems/ })).toHaveAccessibleName(
    'Problems 4 need attention',
  );

  // One cause: its own button is the only one that tries all of them.
  await expect(page.getByRole('button', { name: 'Try all again' })).toBeHidden();
  const rows = await showFiles(refused, 4);
  // By keyboard only: quick look, two selected, retried while everything is paused, and undone.
  await value(page, 'uploads.pause', { paused: true });
  await refused.getByRole('grid', { name: 'Files' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await expect(page.getByRole('dialog', { name: 'belt-000001.jpg' })).toContainText(
    'Needs attention',
  );
  await page.keyboard.press('Space');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(refused.getByRole('grid', { name: 'Files' })).toBeFocused();
  await page.keyboard.press('Shift+ArrowDown');
  await expect(refused.getByRole('row', { selected: true })).toHaveCount(2);
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Try again (2)' }).press('Enter');
  await until(page, ({ problems }) => problems.count, 2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('2 files back on the list')).toBeVisible();
  await until(page, ({ problems }) => problems.count, 4);
  service.faults.clear();
  await value(page, 'uploads.pause', { paused: false });
  await rows
    .first()
    .getByRole('button', { name: /^Try again/ })
    .click();
  await expect.poll(() => service.state.objects('belt').length).toBe(1);
  await expect(rows.first()).toContainText('Off the list');
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(rows).toHaveCount(3);
  await refused.getByRole('button', { name: 'Try all 3 again' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing needs attention' })).toBeVisible();
  await until(page, ({ pipeline: line }) => line.counts.confirmed, 4);
  await expect.poll(() => trayLabels(app)).toContain('Everything is uploaded');
  expect(service.state.doubles()).toEqual([]);
});

test('files that are all refused alike wait with their batch: one problem, not one for each file', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'belt', 6);
  service.faults.always('POST', /upload\/image$/, { ...UNDECODED, status: 422 });
  await watch(app, directory, { batch: 'belt', mode: 'single' });
  await page.getByRole('link', { name: /Problems/ }).click();
  const waits = page
    .getByRole('listitem')
    .filter({ hasText: 'Nothing is sent to batch belt for now' });
  await expect(waits).toContainText('Image could not be decoded');
  await expect(page.getByRole('link', { name: 'Problems 1 needs attention' })).toBeVisible();
  await expect(waits).toContainText(/Next try in (59|60) min|Next try in 1 h/);
  await until(
    page,
    ({ problems, pipeline }) => [problems.count, pipeline.counts.confirmed],
    [0, 0],
  );
  await until(page, ({ pipeline: { counts } }) => counts.queued + counts.sending + counts.sent, 6);
  expect(service.log.find('POST', /\/upload\/image$/).length).toBeLessThanOrEqual(6);
  // After a fix, a person does not have to wait an hour.
  service.faults.clear();
  await waits.getByRole('button', { name: /^Try now/ }).click();
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 6);
  expect(service.state.doubles()).toEqual([]);
});

test('an extended quota is tried at once when a person asks, and everything continues', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'belt', 3);
  service.faults.choose(() => ({ kind: 'status', status: 402, body: { error: 'no credits' } }));
  await watch(app, directory, { batch: 'belt', mode: 'single' });
  await page.getByRole('link', { name: /Problems/ }).click();
  const waits = page.getByRole('region', { name: /Sending|Checking|wait/ }).first();
  await expect(waits).toBeVisible();
  service.faults.clear();
  // Sluice also tries by itself, and would take the button away before it is pressed; so nothing is answered until it has been.
  const release = hold(service, '*', /./);
  await page
    .getByRole('button', { name: /^Try now/ })
    .first()
    .click();
  release();
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 3);
  await expect(page.getByRole('button', { name: /^Try now/ })).toHaveCount(0);
  expect(service.state.doubles()).toEqual([]);
});

test('what cannot be proved is decided by a person: marked as delivered, or sent again', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'gate', 2);
  // Both are accepted and the answers lost; lists fail until the service has deleted the batch.
  let sent = false;
  service.faults.choose((method, path) => {
    if (method === 'GET') return sent && path.endsWith('/list') ? BUSY : null;
    sent ||= path.endsWith('/upload/image');
    return path.endsWith('/upload/image') ? { kind: 'doneButAnswerLost' } : null;
  });
  await watch(app, directory, { batch: 'gate', mode: 'single' });
  await expect.poll(() => service.state.objects('gate').length).toBe(2);
  await service.clock.advance(8 * DAY_MS);
  service.faults.clear();
  await page.getByRole('link', { name: /Problems/ }).click();
  const unproven = cause(page, /^It is not certain whether /);
  await expect(unproven.getByText('2 files', { exact: true })).toBeVisible();
  await expect(unproven).toContainText('nothing is sent again by itself');
  await expect(page.getByRole('button', { name: 'Try all again' })).toBeHidden();

  const rows = await showFiles(unproven, 2);
  await expect(
    unproven.getByRole('button', { name: 'Mark all 2 as delivered', exact: true }),
  ).toBeVisible();
  await rows
    .first()
    .getByRole('button', { name: /^Mark as delivered/ })
    .click();
  const believe = page.getByRole('dialog', { name: 'Mark 1 file as delivered?' });
  await expect(believe).toContainText('confirmed by you, not by the service');
  await believe.getByRole('button', { name: 'Cancel' }).click();
  await expect(rows).toHaveCount(2);
  await rows
    .first()
    .getByRole('button', { name: /^Mark as delivered/ })
    .click();
  await believe.getByRole('button', { name: 'Mark as delivered' }).click();
  await expect(rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rows).toHaveCount(2);
  // The same with the menu of its row.
  await rows.first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Mark as delivered…' }).click();
  await believe.getByRole('button', { name: 'Mark as delivered' }).click();
  await expect(rows).toHaveCount(1);

  await unproven.getByRole('button', { name: 'Send again (may duplicate)', exact: true }).click();
  const again = page.getByRole('dialog', { name: 'Send 1 file again?' });
  await expect(again).toContainText('puts it there a second time');
  await again.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing needs attention' })).toBeVisible();
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 2);
  // The one marked as delivered stays where it was; the other was sent once, to the batch that follows the deleted one.
  expect(service.state.objects('gate-2')).toHaveLength(1);
  expect(service.log.find('POST', /\/upload\/image$/)).toHaveLength(3);
  expect(service.state.doubles()).toEqual([]);
});

test('vanished files are reported and need nobody; half a file and a missing folder do', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'dock', 2);
  await value(page, 'uploads.pause', { paused: true });
  await watch(app, directory, { batch: 'dock', mode: 'single' });
  await until(page, ({ pipeline: line }) => line.counts.found, 2);
  await rm(join(directory, 'dock-000001.jpg'));
  await value(page, 'uploads.pause', { paused: false });
  await until(page, ({ pipeline: line }) => [line.counts.confirmed, line.counts.attention], [1, 0]);
  await page.getByRole('link', { name: /Problems/ }).click();
  await expect(page.getByRole('heading', { name: 'Nothing needs attention' })).toBeVisible();

  const half = join(scratch, 'half.jpg');
  await writeFile(half, tinyJpeg(7).subarray(0, -40));
  await app.dropFiles(page.locator('#app'), [half]);
  await page.getByLabel('Batch', { exact: true }).fill('dropped');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('link', { name: /Problems/ }).click();
  const truncated = cause(page, /incomplete/);
  await expect(truncated.getByText('1 file', { exact: true })).toBeVisible();
  await expect(truncated).toContainText('Replace the file');
  await expect(await showFiles(truncated, 1)).toContainText('half.jpg');
  await writeFile(half, tinyJpeg(7));
  await truncated.getByRole('button', { name: /^Try again/ }).click();
  await expect.poll(() => service.state.objects('dropped').length).toBe(1);

  await rm(directory, { recursive: true });
  await page.getByRole('link', { name: 'Uploads' }).click();
  await expect(page.getByText('Folder missing', { exact: true })).toBeVisible();
  // Whether everything in a missing folder is safe is not known.
  const all = page.getByText(/^All \d+ files safe$/);
  await expect(all).toHaveCount(0);
  await writeImages(scratch, 'dock', 2);
  await expect(page.getByText('Folder missing', { exact: true })).toBeHidden();
  await until(page, ({ pipeline: line }) => [line.counts.confirmed, line.counts.attention], [3, 0]);
  await expect(all.first()).toBeVisible();
  expect(service.state.doubles()).toEqual([]);
});

test('files that a person ignores leave the list, and come back from what was left out', async ({
  app,
  page,
  scratch,
}) => {
  const halves = ['one.jpg', 'two.jpg'].map((name) => join(scratch, name));
  for (const [seed, half] of halves.entries()) {
    await writeFile(half, tinyJpeg(seed).subarray(0, -40));
  }
  await app.dropFiles(page.locator('#app'), halves);
  await page.getByLabel('Batch', { exact: true }).fill('shed');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('link', { name: /Problems/ }).click();
  const truncated = cause(page, /incomplete/);
  await expect(truncated.getByText('2 files', { exact: true })).toBeVisible();
  const rows = await showFiles(truncated, 2);
  await rows
    .filter({ hasText: 'one.jpg' })
    .getByRole('button', { name: /^Ignore/ })
    .click();
  await expect(truncated.getByText('1 file', { exact: true })).toBeVisible();
  await truncated.getByRole('button', { name: 'Ignore', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Nothing needs attention' })).toBeVisible();
  await until(page, ({ pipeline: line }) => [line.counts.skipped, line.counts.attention], [2, 0]);

  await page.getByRole('link', { name: 'Uploads' }).click();
  // So far something was only dropped; the next step is as near as in an empty window.
  await expect(page.getByRole('button', { name: 'Watch a folder…' })).toBeVisible();
  await choosesIn(page, 'More', 'What was skipped…');
  const skipped = page.getByRole('grid', { name: 'Skipped files' }).getByRole('row');
  await page.getByRole('button', { name: 'File', exact: true }).click();
  const one = skipped.filter({ hasText: 'one.jpg' });
  // Until the list is sorted, a click may meet the other row. The first row is the header.
  await expect(skipped.nth(1)).toContainText('one.jpg');
  await expect(page.getByRole('columnheader', { name: 'File' })).toHaveAttribute(
    'aria-sort',
    /ascending|descending/,
  );
  await one.getByRole('button', { name: 'Upload one.jpg after all' }).click();
  // It keeps its place: a second click there takes no other file.
  await expect(one).toContainText('Queued');
  await until(page, ({ pipeline: line }) => [line.counts.skipped, line.counts.attention], [1, 1]);
  // Now the other file has its row.
  await page.getByRole('searchbox', { name: 'Search files' }).fill('two');
  await expect(one).toBeHidden();
  await expect(page.getByRole('button', { name: 'Upload two.jpg after all' })).toBeVisible();
});

test('a file that was watched and dropped is one problem; leaving out its like and ignoring it are undone', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = join(scratch, 'yard');
  await mkdir(join(directory, 'test'), { recursive: true });
  const odd = join(directory, 'test', 'odd.jpg');
  await writeFile(odd, tinyJpeg(7));
  service.faults.always('POST', /upload\/image$/, { ...UNDECODED, status: 422 });
  const watchId = await watch(app, directory, { batch: 'yard', mode: 'single' });
  await until(page, ({ problems }) => problems.count, 1);
  await app.dropFiles(page.locator('#app'), [odd]);
  await page.getByRole('dialog').getByLabel('Batch', { exact: true }).fill('shed');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await until(page, ({ pipeline }) => pipeline.counts.attention, 2);
  await until(page, ({ problems }) => problems.count, 1);
  await page.getByRole('link', { name: /Problems/ }).click();
  const refused = cause(page, /refused|does not accept/);
  await expect(refused.getByText('1 file', { exact: true })).toBeVisible();

  await refused.getByRole('button', { name: 'Show odd.jpg in folder' }).click();
  await expect.poll(() => app.openedExternally()).toEqual([odd]);
  await choosesIn(page, 'More about odd.jpg', 'Copy path');
  await expect(page.getByText('1 path copied')).toBeVisible();

  // The dropped one stays: only what a watch finds can be left out by its rule.
  await choosesIn(page, 'More about odd.jpg', 'Always exclude files like this…');
  const dialog = page.getByRole('dialog', { name: 'Always exclude files like this' });
  await dialog.getByRole('radio', { name: /Everything in the folder test/ }).check();
  await dialog.getByRole('button', { name: 'Exclude' }).click();
  await until(page, ({ pipeline }) => [pipeline.counts.skipped, pipeline.counts.attention], [1, 1]);
  const excluded = ({ watches }: AppSnapshot): readonly string[] | undefined =>
    watches.find(({ id }) => id === watchId)?.rule.exclude;
  await until(page, excluded, ['test/**']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(page, ({ pipeline }) => [pipeline.counts.skipped, pipeline.counts.attention], [0, 2]);
  await until(page, excluded, []);

  await refused.getByRole('button', { name: 'Ignore', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Nothing needs attention' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(refused.getByText('1 file', { exact: true })).toBeVisible();
  service.faults.clear();
  await refused.getByRole('button', { name: 'Try again', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Nothing needs attention' })).toBeVisible();
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 2);
  expect(service.state.doubles()).toEqual([]);
});

test('a job that failed and a key that is refused are on the same list, with what to do', async ({
  app,
  page,
  scratch,
  service,
}) => {
  await watch(app, await writeImages(scratch, 'cups', 2), { batch: 'cups', mode: 'single' });
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 2);
  await startJob(page, 'cups', { jobId: 'count', options: { workflowId: 'always-fails' } });
  const link = page.getByRole('link', { name: /^Problems/ });
  await expect(link).toHaveAccessibleName('Problems 1 needs attention');
  // The headline, the status line and the tray say the same.
  const headline = page.getByRole('region', { name: 'Progress' });
  await expect(headline.getByText('All 2 files safe')).not.toHaveClass(/calm/);
  await expect(headline.getByRole('button', { name: '1 problem needs attention' })).toBeVisible();
  await expect(page.getByRole('contentinfo')).toContainText(
    '1 problem needs attention; 2 confirmed',
  );
  await expect.poll(() => trayLabels(app)).toContain('1 problem needs attention');
  service.faults.always('GET', /\/jobs\/count(\/|$)/, BUSY);
  await link.click();
  const failed = page.getByRole('region', { name: 'The job “Count the cups” failed' });
  await expect(failed.getByText('The service could not be asked why.')).toBeVisible();
  // It is asked again by itself.
  service.faults.clear();
  await expect(failed.getByText('The workflow failed.')).toBeVisible();
  await failed.getByRole('button', { name: /^Ignore/ }).click();
  await expect(page.getByRole('heading', { name: 'Nothing needs attention' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await failed.getByRole('button', { name: 'Show errors' }).click();
  const job = page.getByRole('region', { name: 'job count', exact: true });
  await expect(job.getByText('The workflow failed.', { exact: true }).first()).toBeVisible();

  service.faults.choose(() => ({ kind: 'status', status: 401, body: { error: 'no such key' } }));
  await writeImages(scratch, 'cups', 3);
  await link.click();
  const refused = page.getByRole('region', { name: /^The service refused the key/ });
  await refused.getByRole('button', { name: 'Update API key…' }).click();
  await expect(page.getByRole('dialog').getByLabel('API key', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  service.faults.clear();
});
