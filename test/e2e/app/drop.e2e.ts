/** Dropping files and folders on the window: it says what will happen, asks for the batch, and sends each file exactly once. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, type Page } from '@playwright/test';
import { sample } from '../../helpers/media.ts';
import type { ReferenceService } from '../../service/referenceService.ts';
import { ask, launchConnected, says, test, until, value, watch, writeImages } from './appSteps.ts';

async function drag(page: Page, type: 'dragenter' | 'dragleave', held: readonly string[]) {
  const dataTransfer = await page.evaluateHandle((types) => {
    const transfer = new DataTransfer();
    types.forEach((kind, at) => transfer.items.add(new File(['x'], `${at}`, { type: kind })));
    return transfer;
  }, held);
  await page.getByRole('heading', { level: 1 }).dispatchEvent(type, { dataTransfer });
}

function archives(service: ReferenceService, batchId: string): number {
  const uploads = [...service.state.uploads.values()];
  return uploads.filter((one) => JSON.stringify(one).includes(batchId)).length;
}

test('dropped folders and files are looked at, given a batch, and confirmed', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const many = await writeImages(scratch, 'run.2026', 55);
  const few = await writeImages(scratch, 'few', 2);
  const clip = join(scratch, 'conveyor.mp4');
  await writeFile(clip, await sample('mp4'));
  const window = page.locator('body');
  const dialog = page.getByRole('dialog');
  const batch = dialog.getByLabel('Batch', { exact: true });

  await drag(page, 'dragenter', ['image/jpeg', 'image/jpeg']);
  await expect(page.getByText('Drop to upload 2 images')).toBeVisible();
  await drag(page, 'dragleave', ['image/jpeg', 'image/jpeg']);
  await expect(page.getByText('Drop to upload 2 images')).toBeHidden();

  // A folder whose name looks like a file's: 55 images go in bulk.
  await app.dropFiles(window, [many]);
  await expect(dialog.getByRole('heading', { name: 'Upload 1 folder' })).toBeVisible();
  await expect(dialog).toContainText('55 files');
  await expect(batch).toBeFocused();
  await batch.fill('My Drop');
  await expect(dialog).toContainText('Batch ID: my-drop');
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(page.getByText('Added to my-drop')).toBeVisible();
  await expect(dialog).toBeHidden();
  await says(page, 'All 55 files confirmed');
  expect(service.state.objects('my-drop')).toHaveLength(55);
  expect(archives(service, 'my-drop')).toBe(1);

  // Two files by name, one of which disappears before the button is pressed.
  const [first = '', second = ''] = ['few-000001.jpg', 'few-000002.png'].map((name) =>
    join(few, name),
  );
  await app.dropFiles(window, [first, second]);
  await expect(dialog.getByRole('heading', { name: 'Upload 2 files' })).toBeVisible();
  await dialog.getByText('One at a time', { exact: true }).click();
  await batch.fill('picked');
  await rm(second);
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(page.getByText(`${second} no longer exists.`)).toBeVisible();
  await expect(dialog).toContainText('no longer exists');
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog).toBeHidden();
  await says(page, 'All 56 files confirmed');
  expect(service.state.objects('picked')).toHaveLength(1);

  await app.dropFiles(window, [clip]);
  await batch.fill('clips');
  await expect(dialog).toContainText('1 file,');
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  const toast = page.getByText('Added to clips').locator('../..');
  await toast.getByRole('button', { name: 'Show batch' }).click();
  const panel = page.getByRole('region', { name: 'batch clips' });
  const confirmed = panel.getByRole('term').filter({ hasText: 'Confirmed' });
  await expect(confirmed.locator('..')).toHaveText(/1$/);
  await says(page, 'All 57 files confirmed');
  expect(service.state.objects('clips')).toHaveLength(1);
  expect(service.state.doubles()).toEqual([]);
});

test('a drop that cannot be sent is explained in plain words, and can be watched instead', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const empty = await writeImages(scratch, 'empty', 0);
  const gone = await writeImages(scratch, 'gone', 1);
  const window = page.locator('body');
  const dialog = page.getByRole('dialog');

  const paths = [join(scratch, 'user-data')];
  expect(await ask(page, 'upload.start', { paths, batch: 'stolen', mode: 'auto' })).toMatchObject({
    ok: false,
    error: { code: 'usage.invalid' },
  });

  await app.dropFiles(window, [gone]);
  await expect(dialog).toContainText('1 file,');
  await rm(gone, { recursive: true });
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(dialog.getByRole('heading', { name: 'Nothing here can be uploaded' })).toBeVisible();
  await expect(dialog).toContainText('It was moved or deleted.');
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(dialog).toBeHidden();

  await app.dropFiles(window, [empty]);
  await expect(dialog).toContainText('It has no files yet.');
  await dialog.getByRole('button', { name: 'Watch this folder instead…' }).click();
  await expect(dialog.getByRole('heading', { name: 'Watch a folder' })).toBeVisible();
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('empty');
  await dialog.getByRole('button', { name: 'Start watching' }).click();
  await expect(page.getByRole('heading', { name: 'empty', level: 3 })).toBeVisible();
  expect(service.state.batches.size).toBe(0);

  // A second time, it is said before anything is filled in.
  await app.dropFiles(window, [empty]);
  await expect(dialog).toContainText('This folder is watched: new files upload by themselves.');
  await ask(page, 'watch.pause', { id: 1, paused: true });
  await expect(dialog).toContainText('This folder is watched, but paused.');
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await app.answerNextDialog({ filePaths: [empty] });
  await page.getByRole('button', { name: 'Watch a folder…' }).click();
  await expect(dialog.getByRole('region', { name: 'Preview' })).toContainText('overlaps');
  await page.keyboard.press('Escape');
});

test('an upload is stopped before it is sent, and added again', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const paths = [await writeImages(scratch, 'wrong', 5)];
  await value(page, 'uploads.pause', { paused: true });
  const dialog = page.getByRole('dialog');
  const drop = async (): Promise<void> => {
    await app.dropFiles(page.locator('body'), paths);
    await dialog.getByLabel('Batch').fill('wrong');
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
  };
  await drop();
  await until(page, ({ pipeline }) => pipeline.counts.queued, 5);
  await page.getByRole('button', { name: 'Actions for wrong' }).click();
  await page.getByRole('menuitem', { name: 'Stop upload…' }).click();
  await expect(dialog).toContainText('5 files not sent yet will be skipped.');
  await dialog.getByRole('button', { name: 'Stop upload' }).click();
  await until(page, ({ pipeline: { counts } }) => [counts.queued, counts.skipped], [0, 5]);
  await page.getByRole('button', { name: /^5 skipped of wrong/ }).click();
  const skipped = page.getByRole('dialog', { name: 'Skipped in wrong' });
  await expect(skipped.getByText('Its upload was stopped.')).toHaveCount(5);
  await skipped.getByRole('button', { name: 'Close', exact: true }).last().click();
  await value(page, 'uploads.pause', { paused: false });
  await drop();
  await until(page, ({ pipeline: { counts } }) => [counts.confirmed, counts.skipped], [5, 0]);
  expect(service.state.objects('wrong')).toHaveLength(5);
  // What is not a drop cannot be stopped like one.
  const watched = await writeImages(scratch, 'camera', 1);
  await watch(app, watched, { batch: 'camera' });
  const { watches } = await value(page, 'snapshot.get', {});
  const destinationId = watches[0]?.destinationId ?? 0;
  expect((await ask(page, 'upload.cancel', { destinationId })).ok).toBe(false);
});

test('a file that is confirmed is uploaded again by a decision, into another batch alone', async ({
  app,
  page,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'cups', 2);
  await watch(app, directory, { batch: 'cups' });
  await says(page, 'All 2 files confirmed');
  await page.getByRole('link', { name: 'Batches' }).click();
  await page.getByRole('row', { name: /cups/i }).first().click();
  const items = page.getByRole('grid', { name: 'Files' });
  // The first row is the header.
  await expect(items.getByRole('row')).toHaveCount(3);
  await items.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Upload again…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Upload 1 file again' });
  await expect(dialog).toContainText('Already in cups. Choose another batch');
  const upload = dialog.getByRole('button', { name: 'Upload', exact: true });
  // Into the batch that already has it: the window says so and does not allow it.
  await dialog.getByLabel('Batch').fill('cups');
  await expect(dialog).toContainText('The file is in this batch already.');
  await expect(upload).toBeDisabled();
  await dialog.getByLabel('Batch').fill('cups-for-a-second-job');
  await upload.click();
  await says(page, 'All 3 files confirmed');
  expect(service.state.objects('cups')).toHaveLength(2);
  expect(service.state.objects('cups-for-a-second-job')).toHaveLength(1);
});

test('a batch that the service deleted is uploaded again as a whole, after a question that says how much', async ({
  launch,
  scratch,
  service,
}) => {
  test.slow();
  const directory = await writeImages(scratch, 'cups', 3);
  const first = await launchConnected(launch, service);
  await watch(first, directory, { batch: 'cups' });
  await says(first.page, 'All 3 files confirmed');
  await first.close();
  // It expires.
  service.state.batches.delete('cups');
  const ledger = new DatabaseSync(join(first.userDataDir, 'data', 'ledger.db'));
  ledger.exec('UPDATE batches SET expires_at = 1');
  ledger.close();
  await rm(join(directory, (await readdir(directory))[0] ?? ''));

  const app = await launchConnected(launch, service);
  const { page } = app;
  await page.getByRole('link', { name: 'Batches' }).click();
  const row = page.getByRole('row', { name: /cups/i }).first();
  await expect(row).toContainText('Expired');
  await row.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Upload again…' }).click();
  const question = page.getByRole('dialog', { name: /^Upload “cups” again/i });
  await expect(question).toContainText('2 files');
  await expect(question).toContainText('1 file is no longer on this computer');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();

  // From the batch itself.
  await row.click();
  await page
    .getByRole('region', { name: 'batch cups', exact: true })
    .getByRole('button', { name: 'Upload again…' })
    .click();
  await question.getByRole('button', { name: 'Upload 2 files' }).click();
  await expect(question).toBeHidden();
  await expect
    .poll(() => [...service.state.batches.keys()].map((id) => service.state.objects(id).length))
    .toEqual([2]);
  await says(page, /^All \d files confirmed/);
  // The files are in it again: a second upload would send them twice.
  await page
    .getByRole('region', { name: 'batch cups', exact: true })
    .getByRole('button', { name: 'Upload again…' })
    .click();
  await expect(page.getByText('These files were uploaded again already.')).toBeVisible();
});
