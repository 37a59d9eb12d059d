/** What the pictures show: a person's steps through every view of the real program, idle, working and in trouble. */
import { appendFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import {
  agreesToKeep,
  changeSettings,
  choose,
  until,
  untilReady,
  value,
  watch,
} from '../e2e/app/appSteps.ts';
import type { AppUnderTest } from '../e2e/support/appUnderTest.ts';
import type { ReferenceService } from '../service/referenceService.ts';
import type { Shoot } from './camera.ts';
import { drawImages } from './drawImages.ts';

/** Everything that a scene needs. */
export interface Stage {
  readonly app: AppUnderTest;
  readonly service: ReferenceService;
  readonly shoot: Shoot;
  /** The parent of the image folders. */
  readonly home: string;
}

const ORCHARD = 'Orchard 2026';
const LINE = 'Line 3 – west station, camera upper left, acceptance run with operator notes';
const LINE_BATCH = 'line-3-west-station-camera-upper-left-acceptance-run';
const BELT = 'Belt';
/** Number of images of the orchard, the line and the belt. */
const SENDABLE = 3288;

/** Draws the images: an orchard of 3,000 in 30 folders, a line with long names and some that cannot be sent, a small belt. */
export async function drawHome(home: string, chromium: string): Promise<void> {
  const number = (value: number, digits: number): string => String(value).padStart(digits, '0');
  await drawImages(
    home,
    [
      ...(['yard', 'cups', 'shelf'] as const).map((scene, at) => ({
        scene,
        count: 1000,
        path: (file: number) =>
          join(
            ORCHARD,
            `row-${number(at * 10 + Math.ceil(file / 100), 2)}`,
            `IMG_${number(at * 1000 + file, 5)}.jpg`,
          ),
      })),
      {
        scene: 'conveyor',
        count: 240,
        path: (file) =>
          join(LINE, `station-west-camera-upper-left-calibration-run-${number(file, 4)}.jpg`),
      },
      { scene: 'parts', count: 48, path: (file) => join(BELT, `frame-${number(file, 4)}.jpg`) },
    ],
    chromium,
  );
}

/** Goes to an address of the window, such as `batches/cam-1`. The content is loaded when the picture is taken. */
async function open(page: Page, to: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), `#/${to}`);
  const view = to.replace(/[/?].*/, '');
  await page.getByRole('heading', { level: 1, name: new RegExp(`^${view}$`, 'i') }).waitFor();
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.locator(':is([role=dialog], [role=menu])')).toHaveCount(0);
}

/** The first start: address and key, also wrong ones, a folder, also an empty one, the preview, and all of it safe. */
export async function firstRun({ app, service, shoot, home }: Stage): Promise<void> {
  const { page } = app;
  await page.getByLabel('API key', { exact: true }).waitFor();
  await shoot(app, 'first-1-connect');
  await page.getByText('Advanced', { exact: true }).click();
  const address = page.getByLabel('Address', { exact: true });
  const key = page.getByLabel('API key', { exact: true });
  await key.fill('not-the-key');
  await address.fill('http://127.0.0.1:9');
  await page.getByRole('alert').waitFor();
  await shoot(app, 'first-1-unreachable');
  await address.fill(service.url);
  await page.getByText('Copy the full key').waitFor();
  await shoot(app, 'first-1-refused');
  await key.fill(service.apiKey);
  await page.getByText(`The key is valid for workspace ${service.workspace}`).waitFor();
  await shoot(app, 'first-2-connected');
  await agreesToKeep(app);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('button', { name: 'Choose a folder…' }).waitFor();
  await shoot(app, 'first-3-folder');
  const preview = page.getByRole('region', { name: 'Preview' });
  const pick = async (folder: string, found: RegExp): Promise<void> => {
    await app.answerNextDialog({ filePaths: [join(home, folder)] });
    await page.getByRole('button', { name: 'Choose a folder…' }).click();
    await preview.getByText(found).first().waitFor();
  };
  await pick(ORCHARD, /3,000/);
  await shoot(app, 'first-4-preview');
  await page.getByRole('button', { name: 'Back' }).click();
  await mkdir(join(home, 'New camera'));
  await pick('New camera', /^Nothing to upload/);
  await shoot(app, 'first-4-empty');
  await page.getByRole('button', { name: 'Start watching' }).click();
  await page.getByRole('heading', { level: 1, name: 'Uploads' }).waitFor();
  await shoot(app, 'first-5-empty');
  await watch(app, join(home, BELT), { name: BELT, batch: 'first' });
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 48);
  await shoot(app, 'first-6-safe');
}

/** Connected, with no content. */
export async function empty({ app, shoot }: Stage): Promise<void> {
  const { page } = app;
  for (const view of ['uploads', 'batches', 'jobs', 'problems']) {
    await open(page, view);
    await shoot(app, `empty-${view}`);
  }
}

/** Starts the upload of 3,000 images, under a limit that leaves time for pictures. */
export async function startUploads({ app, home }: Stage): Promise<void> {
  const { page } = app;
  await open(page, 'uploads');
  await changeSettings(page, { bandwidth: '1M' });
  await watch(app, join(home, BELT), { name: BELT, batch: 'belt', mode: 'single' });
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 48);
  await watch(app, join(home, ORCHARD), { name: ORCHARD, batch: 'orchard-2026' });
  await watch(app, join(home, LINE), { name: LINE, batch: LINE_BATCH, mode: 'single' });
  await until(page, ({ pipeline }) => pipeline.counts.found >= SENDABLE, true);
  await until(page, ({ pipeline }) => pipeline.counts.confirmed >= SENDABLE - 3000, true);
  // Part of an archive has been sent, and the remaining time is known.
  await until(page, ({ pipeline }) => pipeline.bytes.onWire > 0 && pipeline.leftMs !== null, true);
}

/** What a person sees and does during the upload. */
export async function busy(stage: Stage): Promise<void> {
  const { app, shoot, home } = stage;
  const { page } = app;
  await startUploads(stage);
  await shoot(app, 'busy-uploads');
  const row = page.getByRole('list', { name: 'Watched folders' }).getByRole('listitem');
  const opener = row.getByRole('button', { name: ORCHARD, exact: true });
  await opener.click();
  await shoot(app, 'busy-uploads-open');
  await opener.click();
  await opener.click({ button: 'right' });
  await shoot(app, 'busy-menu');
  await close(page);
  // From here on the upload takes longer than all its pictures.
  await changeSettings(page, { bandwidth: '200k' });
  await shootRule(stage);
  await open(page, 'batches');
  await shoot(app, 'busy-batches');
  await open(page, 'batches/orchard-2026');
  await shoot(app, 'busy-batch');
  const item = page.getByRole('grid', { name: 'Files' }).getByRole('row').nth(2);
  await item.click({ button: 'right' });
  await shoot(app, 'busy-batch-menu');
  await close(page);
  await page.keyboard.press('Control+k');
  await shoot(app, 'busy-palette');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('IMG_0012');
  await page
    .getByRole('option', { name: /IMG_0012/ })
    .first()
    .waitFor();
  await shoot(app, 'busy-palette-file');
  await close(page);
  await open(page, 'uploads');
  await app.dropFiles(page.locator('body'), [join(home, BELT)]);
  await page.getByRole('dialog').getByText('48 files').first().waitFor();
  await shoot(app, 'busy-drop');
  await close(page);
}

async function shootRule({ app, shoot }: Stage): Promise<void> {
  const { page } = app;
  await page.getByRole('button', { name: `Actions for ${ORCHARD}` }).click();
  await page.getByRole('menuitem', { name: 'Edit rule…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('region', { name: 'Preview' })
    .getByText(/new files?$/)
    .waitFor();
  await shoot(app, 'busy-rule-1');
  await dialog.getByRole('tab', { name: 'Filters & format' }).click();
  await shoot(app, 'busy-rule-2');
  await dialog.getByRole('tab', { name: 'When done' }).click();
  await shoot(app, 'busy-rule-3');
  await close(page);
}

/** Broken files, a service that refuses some, no network, a key that is refused. */
export async function failing(stage: Stage): Promise<void> {
  const { app, service, shoot, home } = stage;
  const { page } = app;
  const broken = join(home, 'Gate');
  await mkdir(broken, { recursive: true });
  await drawGate(home, broken);
  let asked = 0;
  service.faults.choose((method, path) => {
    if (method !== 'POST' || !path.endsWith('/upload/image')) return null;
    asked += 1;
    return asked % 6 === 0
      ? {
          kind: 'status',
          body: { error: 'Image could not be decoded' },
          status: asked % 12 === 0 ? 422 : 400,
        }
      : null;
  });
  await changeSettings(page, { bandwidth: '1M' });
  await watch(app, broken, { name: 'Gate', batch: 'gate', mode: 'single' });
  // They share this limit with 3,000 other images: a busy computer needs more than the usual time.
  await until(page, ({ problems }) => problems.count >= 4, true, 180_000);
  await until(page, ({ pipeline }) => pipeline.counts.skipped > 0, true);
  await changeSettings(page, { bandwidth: '200k' });
  service.faults.clear();
  await open(page, 'uploads');
  await shoot(app, 'failing-uploads');
  await open(page, 'problems');
  await shoot(app, 'failing-problems');
  await page.getByRole('button', { name: 'Show files' }).first().click();
  await shoot(app, 'failing-problems-files');
  await page
    .getByRole('button', { name: /^Ignore: / })
    .first()
    .click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await shoot(app, 'failing-undo');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page
    .getByRole('button', { name: /^Ignore all/ })
    .first()
    .click();
  await page.getByRole('alertdialog').or(page.getByRole('dialog')).waitFor();
  await shoot(app, 'failing-ignore');
  await close(page);
  await open(page, 'uploads');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'What was skipped…' }).click();
  await page.getByRole('grid', { name: 'Skipped files' }).waitFor();
  await shoot(app, 'failing-skipped');
  await close(page);
  await service.unplug();
  await until(page, ({ pipeline }) => pipeline.blockedBy !== null, true);
  await open(page, 'uploads');
  await shoot(app, 'failing-offline');
  await open(page, 'batches/orchard-2026');
  await shoot(app, 'failing-offline-batch');
  await service.plug();
  await untilReady(page);
  await keyRefused(stage);
}

/** The service no longer accepts the key; the new one is accepted, and everything continues. */
async function keyRefused({ app, service, shoot }: Stage): Promise<void> {
  const { page } = app;
  const former = service.state.apiKey;
  service.state.apiKey = 'another-key';
  await until(page, ({ connections }) => connections.map(({ state }) => state), ['refused']);
  for (const view of ['uploads', 'batches', 'problems', 'settings']) {
    await open(page, view);
    await shoot(app, `failing-key-${view}`);
  }
  await page.getByRole('button', { name: /^Update the API key of/ }).click();
  await page.getByRole('dialog').waitFor();
  await shoot(app, 'failing-key-dialog');
  await page.getByLabel('API key', { exact: true }).fill('not-the-key');
  await page.getByRole('button', { name: 'Check and save' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await shoot(app, 'failing-key-dialog-error');
  await close(page);
  await open(page, 'projects');
  await shoot(app, 'failing-key-projects');
  service.state.apiKey = former;
  await agreesToKeep(app);
  const { connections } = await value(page, 'snapshot.get', {});
  for (const { id } of connections) {
    await value(page, 'connection.giveKey', { id, apiKey: former });
  }
  await untilReady(page);
}

async function drawGate(home: string, broken: string): Promise<void> {
  const { readFile } = await import('node:fs/promises');
  for (let number = 1; number <= 36; number += 1) {
    const name = `frame-${String(((number - 1) % 48) + 1).padStart(4, '0')}.jpg`;
    const bytes = await readFile(join(home, BELT, name));
    const target = join(broken, `gate-${String(number).padStart(3, '0')}.jpg`);
    await writeFile(target, bytes);
    // Bytes after the end make a file distinct, although strict readers see the same image: only some get them.
    if (number % 3 !== 0) await appendFile(target, `gate ${String(number)}`);
    if (number % 12 === 1) await truncate(target, 5000);
  }
  await writeFile(join(broken, 'notes.jpg'), 'not an image');
  await writeFile(join(broken, 'empty.jpg'), '');
}

/** Everything sent, processed and downloaded. */
export async function full(stage: Stage): Promise<void> {
  const { app, service, shoot, home } = stage;
  const { page } = app;
  await changeSettings(page, { bandwidth: '' });
  await until(page, ({ pipeline: { counts } }) => counts.confirmed >= SENDABLE, true);
  await open(page, 'uploads');
  await shoot(app, 'full-uploads');
  await open(page, 'batches');
  await shoot(app, 'full-batches');
  await open(page, 'batches/orchard-2026');
  await shoot(app, 'full-batch');
  const panel = page.getByRole('region', { name: /^batch / });
  await panel.getByRole('tab', { name: /^Files/ }).click();
  await page.getByRole('grid', { name: 'Files' }).waitFor();
  await shoot(app, 'full-batch-files');
  await panel.getByRole('tab', { name: /^Archives/ }).click();
  await page.getByRole('grid', { name: 'Archives' }).waitFor();
  await shoot(app, 'full-batch-archives');
  await app.answerNextDialog({ filePath: join(home, 'receipt.csv') });
  await panel.getByRole('button', { name: /^More about/ }).click();
  await page.getByRole('menuitem', { name: /CSV…$/ }).click();
  await page.getByText('receipt.csv').waitFor();
  await shoot(app, 'full-toast');
  await panel.getByRole('button', { name: 'Start job' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot(app, 'full-start-job');
  await page.getByRole('dialog').getByRole('button', { name: 'Start job' }).click();
  await page.getByRole('dialog').locator('[aria-invalid=true]').first().waitFor();
  await shoot(app, 'full-start-job-error');
  await close(page);
  await jobs(stage, service, home);
  await open(page, 'problems');
  await page.getByRole('region', { name: /^The job / }).waitFor();
  await shoot(app, 'full-problems');
  await open(page, 'jobs');
  await page.getByRole('row', { name: /Count the parts/ }).click();
  await results(stage);
  await projects(stage);
  await settings(stage);
  await page.keyboard.press('Escape');
  await open(page, 'uploads');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await shoot(app, 'full-shortcuts');
  await close(page);
}

async function jobs({ app, shoot }: Stage, service: ReferenceService, home: string): Promise<void> {
  const { page } = app;
  const folder = join(home, 'Results');
  await mkdir(folder, { recursive: true });
  await choose(app, folder);
  service.faults.clear();
  await startJob(page, 'belt', 'Count the parts', 'count-parts', folder);
  await until(page, ({ jobsRunning }) => jobsRunning, 0);
  await startJob(page, LINE_BATCH, 'Find scratches on line 3', 'always-fails', null);
  await until(page, ({ jobsRunning }) => jobsRunning, 0);
  const { id } = await startJob(page, 'orchard-2026', 'Count apples', 'count-apples', null);
  await open(page, `jobs/${id}`);
  await page
    .getByRole('region', { name: /^Stage / })
    .first()
    .waitFor({ timeout: 60_000 });
  await shoot(app, 'full-job-running');
  await until(page, ({ jobsRunning }) => jobsRunning, 0);
  await open(page, 'jobs');
  await shoot(app, 'full-jobs');
  await page.getByRole('row', { name: /Find scratches/ }).click();
  await page.getByRole('heading', { level: 2, name: 'Find scratches on line 3' }).waitFor();
  await shoot(app, 'full-job-failed');
  await page.getByRole('row', { name: /Count the parts/ }).click();
  await page.getByRole('heading', { level: 2, name: 'Count the parts' }).waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
  await shoot(app, 'full-job-done');
  await service.unplug();
  await until(page, ({ pipeline }) => pipeline.blockedBy !== null, true);
  await page.getByRole('row', { name: /Find scratches/ }).click();
  await page.getByText('They are shown as soon as the service answers.').waitFor();
  await shoot(app, 'full-job-offline');
  await service.plug();
  await untilReady(page);
  await page.getByRole('row', { name: /Count the parts/ }).click();
}

async function startJob(
  page: Page,
  batchId: string,
  name: string,
  workflowId: string,
  downloadTo: string | null,
): Promise<{ readonly id: string }> {
  await value(page, 'batch.seal', { batchId });
  const { jobId } = await value(page, 'job.start', {
    batchId,
    kind: 'image',
    jobId: null,
    name,
    options: { workflowId, persistImagesOutputs: true },
    downloadTo,
  });
  return { id: jobId };
}

async function results({ app, shoot }: Stage): Promise<void> {
  const { page } = app;
  await page.getByRole('tab', { name: 'Results' }).click();
  await page.getByRole('grid', { name: 'summary/summary.csv' }).waitFor({ timeout: 60_000 });
  await shoot(app, 'full-results-table');
  await page.getByText('Images 48', { exact: true }).click();
  const images = page.getByRole('listbox', { name: 'Result images' });
  await images.locator('img').first().waitFor();
  await shoot(app, 'full-results-images');
  await images.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').locator('img').first().waitFor();
  await shoot(app, 'full-results-picture');
  await close(page);
  await open(page, 'batches/belt?tab=items');
  const grid = page.getByRole('grid', { name: 'Files' });
  await grid.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.getByRole('dialog').locator('img').first().waitFor();
  await shoot(app, 'full-quick-look');
  await close(page);
}

async function projects({ app, shoot }: Stage): Promise<void> {
  const { page } = app;
  await open(page, 'projects');
  const project = page.getByRole('row').filter({ hasText: 'Bottle caps' });
  await project.waitFor();
  await shoot(app, 'full-projects');
  await project.click();
  await page.getByRole('grid', { name: 'Image batches' }).waitFor();
  await shoot(app, 'full-project');
  for (const tab of ['Annotation jobs', 'Insights']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
    await page.getByRole('tab', { name: new RegExp(`^${tab}`), selected: true }).waitFor();
    await shoot(app, `full-project-${tab.toLowerCase().replace(' ', '-')}`);
  }
  await page.getByRole('tab', { name: /^Annotation jobs/ }).click();
  await page.getByRole('button', { name: 'New annotation job…' }).first().click();
  await page.getByRole('dialog').waitFor();
  await shoot(app, 'full-annotation-dialog');
  await close(page);
}

async function settings({ app, shoot }: Stage): Promise<void> {
  const { page } = app;
  for (const [part, name] of [
    ['connections', 'Workspaces'],
    ['uploading', 'Uploading'],
    ['general', 'General'],
    ['webhook', 'Webhook'],
    ['about', 'Help and about'],
  ] as const) {
    await open(page, `settings/${part}`);
    await page.getByRole('tab', { name, selected: true }).waitFor();
    await shoot(app, `full-settings-${part}`);
  }
}
