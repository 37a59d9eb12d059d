/** Jobs, as shown in the window: started from a batch, followed by the service's progress, stopped, run again, fetched. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { sample } from '../../helpers/media.ts';
import { namesDone, PIPELINE_OPERATIONS } from '../../helpers/operations.ts';
import type { ReferenceService } from '../../service/referenceService.ts';
import type { Job, JobStage } from '../../service/state.ts';
import type { AppUnderTest } from '../support/appUnderTest.ts';
import type { AppFixtures } from '../support/test.ts';
import {
  healAndTryAgain,
  hold,
  launchConnected,
  openedNames,
  startJob,
  test,
  until,
  value,
  watch,
  writeImages,
} from './appSteps.ts';

const MINUTE_MS = 60_000;
/** One stage lasts an hour of the service's time, which the tests advance. */
const STAGE_MS = 60 * MINUTE_MS;
const SLOW = { queueMs: 5 * MINUTE_MS, stageMs: STAGE_MS, tasksPerStage: 5 };

/** An application whose ledger has a batch `cups` of five confirmed images. */
async function withBatch(
  launch: AppFixtures['launch'],
  scratch: string,
  service: ReferenceService,
): Promise<AppUnderTest> {
  const directory = await writeImages(scratch, 'cups', 5);
  const app = await launchConnected(launch, service, { env: { HOME: scratch } });
  await watch(app, directory, { batch: 'cups', mode: 'single' });
  await until(app.page, ({ pipeline: line }) => line.counts.confirmed, 5);
  return app;
}

/** Uploads a video, and images in a shard, the two other ways of uploading; then checks the batch's shards. */
async function uploadOtherwise(app: AppUnderTest, scratch: string): Promise<void> {
  const directory = await writeImages(scratch, 'belt', 5);
  await writeFile(join(directory, 'belt.mp4'), await sample('mp4'));
  await watch(app, directory, { batch: 'belt', mode: 'bulk' });
  await until(app.page, ({ pipeline: line }) => line.counts.confirmed, 11);
  await app.page.getByRole('link', { name: 'Batches' }).click();
  await app.page.getByRole('row', { name: /^belt\b(?!-)/ }).click();
  const panel = app.page.getByRole('region', { name: 'batch belt', exact: true });
  await panel.getByRole('tab', { name: 'Archives 1' }).click();
  await expect(panel.getByText('1 indexed')).toBeVisible();
}

function onlyJob(service: ReferenceService): { readonly job: Job; readonly stage: JobStage } {
  const [job] = [...service.state.jobs.values()];
  const stage = job?.stages[0];
  if (job === undefined || stage === undefined) throw new Error('no job is in a stage');
  return { job, stage };
}

/** One task done, one silent for 14 minutes, two failed in the same way, one waiting: 3.5 of 5. */
function troubled(service: ReferenceService): void {
  const { stage } = onlyJob(service);
  const now = Date.now();
  const [done, silent, ...rest] = stage.tasks;
  if (done === undefined || silent === undefined) throw new Error('five tasks are expected');
  Object.assign(done, { statusType: 'success', progress: 1, eventAt: now, notification: 'Done.' });
  Object.assign(silent, {
    progress: 0.5,
    eventAt: now - 14 * MINUTE_MS,
    notification: 'loading <b>weights</b> for detector_2',
  });
  for (const [index, task] of rest.slice(0, 2).entries()) {
    Object.assign(task, {
      statusType: 'error',
      progress: 0.2,
      eventAt: now,
      notification: `Cannot read frame_${index}.jpg: image file is truncated`,
    });
  }
  Object.assign(stage, { startedAt: now - 20 * MINUTE_MS });
}

/** Watches each frame from now on; returns what the row of the open job has said that its panel did not. */
async function watchRow(page: Page): Promise<() => Promise<readonly string[]>> {
  const seen = await page.evaluateHandle(() => {
    const found: string[] = [];
    const state = (place: string): string =>
      document.querySelector(`${place} .badge`)?.textContent.trim() ?? '';
    const look = (): void => {
      const [row, panel] = [state('[role=row][aria-selected=true]'), state('article')];
      if (row !== '' && panel !== '' && row !== panel) found.push(`${row}, but ${panel}`);
      requestAnimationFrame(look);
    };
    look();
    return found;
  });
  return () => seen.evaluate((found) => [...new Set(found)]);
}

const TIME = 'Max compute time (min)';

/** Opens a collapsed part of the form, which shows its values in a line. */
async function openPart(form: Locator, title: string, values: string): Promise<void> {
  await form.getByText(values, { exact: true }).click();
  await expect(form.getByText(title, { exact: true })).toBeVisible();
}

async function fillAndStart(page: Page): Promise<void> {
  const form = page.getByRole('dialog', { name: 'Start job' });
  await expect(form.getByLabel('Batch', { exact: true })).toHaveValue('cups');
  await expect(form.getByLabel('Workflow', { exact: true })).toBeFocused();
  await expect(form.getByLabel(TIME)).toBeHidden();
  await openPart(form, 'Machines and limits', 'CPU · Auto');
  await openPart(form, 'Input and parameters', 'image · no parameters');
  await openPart(form, 'Results and job ID', 'the service chooses the format');
  for (const hint of [
    /Total across all machines, split evenly/,
    /More is faster for light workflows/,
    /More tasks finish sooner/,
    /If more images fail, the job fails/,
    /name of the workflow’s image input/,
    /JSONL keeps nested results/,
  ]) {
    await expect(form.getByText(hint)).toBeVisible();
  }
  await form.getByLabel(TIME).fill('soon');
  await form.getByText('Machines and limits', { exact: true }).click();
  await form.getByRole('button', { name: 'Start job' }).click();
  await expect(form.getByText('Enter a workflow ID.')).toBeVisible();
  // An error in a collapsed part opens it.
  await expect(form.getByText('Minutes from 0.02 to 525,600.')).toBeVisible();
  await form.getByLabel('Workflow', { exact: true }).fill('count-cups');
  await expect(form.getByPlaceholder('count-cups over cups')).toBeVisible();
  await form.getByLabel(TIME).fill('90');
  await expect(form.getByText(/^90 minutes\. Total across all machines/)).toBeVisible();
  await form.getByLabel('Allowed failures (%)').fill('5');
  await form.getByLabel('Parameters (JSON)').fill('{"confidence": 0.4');
  await expect(form.getByText(/Not valid JSON/)).toBeVisible();
  await form.getByLabel('Parameters (JSON)').fill('{"confidence": 0.4}');
  await form.getByLabel('GPU').check({ force: true });
  await form.getByLabel('Name (optional)', { exact: true }).fill('Count the cups');
  await form.getByRole('button', { name: 'Start job' }).click();
  await expect(form).toBeHidden();
  await expect(page.getByRole('grid', { name: 'Jobs' })).toBeFocused();
}

/** Started again from Jobs: filled like the last one, except for the batch, which costs money and is a person's choice. */
async function expectRemembered(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start job' }).click();
  const form = page.getByRole('dialog', { name: 'Start job' });
  const batch = form.getByLabel('Batch', { exact: true });
  await expect(batch).toHaveValue('');
  await expect(batch).toBeFocused();
  await expect(form.getByLabel('Workflow', { exact: true })).toHaveValue('count-cups');
  await form.getByRole('button', { name: 'Start job' }).click();
  await expect(form.getByText('Select a batch.')).toBeVisible();
  await expect(form.getByText('GPU · max 90 minutes · 5 % may fail')).toBeVisible();
  await openPart(form, 'Input and parameters', 'image · confidence');
  await expect(form.getByLabel('Parameters (JSON)')).toHaveValue('{\n  "confidence": 0.4\n}');
  await page.keyboard.press('Escape');
  await expect(form).toBeHidden();
}

async function expectTimeline(panel: Locator, page: Page): Promise<void> {
  const lane = panel.getByRole('region', { name: 'Stage processing' });
  await expect(lane.getByText('70 %')).toBeVisible();
  await expect(panel.getByText('processing, 70 %')).toBeVisible();
  const listed = page.getByRole('grid', { name: 'Jobs' }).getByRole('row', { selected: true });
  await expect(listed).toContainText('processing, 70 %');
  await expect(lane.getByText('5 tasks: 1 done · 1 running · 2 failed · 1 waiting')).toBeVisible();
  const tasks = lane.getByRole('listbox', { name: 'Tasks of processing' });
  await tasks.focus();
  const silent = tasks.getByRole('option', { selected: true });
  await expect(silent).toHaveAccessibleName(/t-1, running 50 %, no news for 1[4-9] min/);
  await expect(panel.getByText('loading <b>weights</b> for detector_2')).toBeVisible();
  await page.keyboard.press('End');
  await expect(panel.getByText('Done.', { exact: true })).toBeVisible();
}

async function expectErrorsAndLogs(panel: Locator, keepsLogs: boolean): Promise<void> {
  await panel.getByRole('tab', { name: 'Errors 1' }).click();
  await expect(panel.getByText('2 tasks failed in the stage “processing”')).toBeVisible();
  await expect(panel.getByText(/Cannot read frame_0.jpg/)).toBeVisible();
  await panel.getByRole('tab', { name: 'Logs' }).click();
  await expect(
    panel.getByText(keepsLogs ? 'Stage processing started.' : /has no logs for this job/).first(),
  ).toBeVisible();
  await panel.getByRole('tab', { name: 'Settings' }).click();
  await expect(panel.getByText('count-cups', { exact: true })).toBeVisible();
  for (const words of ['GPU', '90 minutes', '5 %', 'confidence: 0.4']) {
    await expect(panel.getByText(words, { exact: true })).toBeVisible();
  }
}

const SERVICES = [
  { name: 'the specification alone', serviceOptions: { specOnly: true, settings: SLOW } },
  { name: 'the live dialect', serviceOptions: { dialect: 'live', settings: SLOW } },
] as const;

for (const { name, serviceOptions } of SERVICES) {
  const offersMore = !('specOnly' in serviceOptions);
  test.describe(name, () => {
    test.use({ serviceOptions });
    test('a job from its form to its outputs', async ({ launch, scratch, service }) => {
      const app = await withBatch(launch, scratch, service);
      const { page } = app;
      await page.getByRole('link', { name: 'Batches' }).click();
      await page.getByRole('row', { name: /cups/ }).click();
      await page.getByRole('region', { name: 'batch cups' }).getByText('Start job').click();
      await fillAndStart(page);
      const panel = page.getByRole('region', { name: /^job sluice-/ });
      await expect(panel.getByRole('heading', { name: 'Count the cups' })).toBeVisible();
      await expect(panel.getByText('No stages yet')).toBeVisible();
      await expect.poll(() => service.state.jobs.size).toBe(1);
      expect(onlyBody(service)).toMatchObject({
        processingTimeoutSeconds: 5400,
        maxImageFailureRate: 0.05,
        computeConfiguration: { machineType: 'gpu' },
      });
      await service.clock.advance(SLOW.queueMs);
      troubled(service);
      await expectTimeline(panel, page);
      await expectErrorsAndLogs(panel, offersMore);

      await page.getByLabel('Search jobs').fill('no such job');
      await page.getByRole('button', { name: 'Show all jobs' }).click();
      await page.getByLabel('Search jobs').fill('the cups');
      const found = page
        .getByRole('grid', { name: 'Jobs' })
        .getByRole('row', { name: /sluice-|cups/i });
      await expect(found).toHaveCount(1);
      await page.getByRole('row', { name: /Count the cups/ }).click();
      const contradictions = await watchRow(page);

      await panel.getByRole('button', { name: 'Abort…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Abort job' }).click();
      if (offersMore) {
        await expect(panel.getByText('Aborted', { exact: true })).toBeVisible();
        await panel.getByRole('button', { name: 'Restart…' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Restart job' }).click();
        await expect.poll(() => onlyRuns(service)).toBe(2);
        await service.clock.advance(SLOW.queueMs);
        await expect(panel.getByText('Running', { exact: true })).toBeVisible();
      } else {
        await expect(panel.getByText(/offers no way to abort a job/)).toBeVisible();
        await expect(panel.getByRole('button', { name: 'Abort…' })).toBeHidden();
      }
      await service.clock.advance(3 * STAGE_MS);
      await expect(panel.getByText('Done', { exact: true })).toBeVisible();
      expect(await contradictions()).toEqual([]);
      // The results are what a person wants to see.
      await expect(panel.getByRole('tab', { name: 'Results' })).toHaveAttribute(
        'aria-selected',
        'true',
      );
      await expect(panel).toContainText('Not downloaded yet');
      await expect(panel).not.toContainText('Results are ready');
      await panel.getByRole('button', { name: 'Download results' }).click();
      const place = panel.getByRole('group', { name: 'Where the results are' });
      await place.getByRole('button', { name: 'Show in folder' }).click();
      await expect.poll(() => openedNames(app)).toEqual([`${onlyId(service)}-export`]);
      await uploadOtherwise(app, scratch);
      const pipeline = PIPELINE_OPERATIONS.map((operation) => operation.name);
      expect(namesDone(service, PIPELINE_OPERATIONS, offersMore)).toEqual(pipeline);
      await page.getByRole('link', { name: 'Jobs' }).click();
      await expectRemembered(page);
    });
  });
}

function onlyBody(service: ReferenceService): unknown {
  return [...service.state.jobs.values()][0]?.definition;
}

function onlyId(service: ReferenceService): string | undefined {
  return service.state.jobs.keys().next().value;
}

function onlyRuns(service: ReferenceService): number | undefined {
  return [...service.state.jobs.values()][0]?.runs;
}

const STAGES = /\/jobs\/odd\/stages$/;
const HTML = { kind: 'wrongJson', text: '<!doctype html><title>502</title>' } as const;
const NONSENSE = [
  { path: STAGES, ...HTML },
  { path: STAGES, kind: 'wrongJson', text: '{"stages": "many", "job": 7}' },
  { path: STAGES, kind: 'status', status: 500 },
  {
    path: /\/tasks$/,
    kind: 'wrongJson',
    text: '{"status":"ok","nextPageToken":"again","tasks":[]}',
  },
] as const;

const REFUSED = { path: /\/jobs\/odd$/, kind: 'status', status: 400 } as const;

/** What this computer knows of a job does not wait for the service; nothing else is claimed meanwhile. */
async function expectLedgerFirst(page: Page, service: ReferenceService): Promise<void> {
  const answer = hold(service, 'GET', STAGES);
  await page.getByRole('row', { name: /Odd one/ }).click();
  const panel = page.getByRole('region', { name: 'job odd' });
  await expect(panel.getByRole('tab', { name: 'Results', selected: true })).toBeVisible();
  for (const tab of ['Timeline', 'Errors']) {
    await panel.getByRole('tab', { name: tab }).click();
    await expect(panel.getByText('Reading its stages…')).toBeVisible();
  }
  answer();
  await expect(panel.getByText('No errors')).toBeVisible();
  await panel.getByRole('button', { name: 'Close (Esc)' }).click();
  await expect(panel).toBeHidden();
}

test('a job that was not started says why and is tried again; nonsense leaves an error with a way on, and the way leads on', async ({
  launch,
  scratch,
  service,
}) => {
  const { page } = await withBatch(launch, scratch, service);
  const { path: start, ...refusal } = REFUSED;
  service.faults.always('POST', start, refusal);
  await startJob(page, 'cups', { jobId: 'odd', name: 'Odd one' });
  await page.getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('row', { name: /Odd one/ }).click();
  const panel = page.getByRole('region', { name: 'job odd' });
  await expect(panel.getByRole('heading', { name: 'It was not started' })).toBeVisible();
  await expect(
    panel.getByText(/^The service refused this\. Check its workflow and settings/),
  ).toBeVisible();
  expect(service.state.jobs.size).toBe(0);
  await expect(page.getByRole('link', { name: 'Problems 1 needs attention' })).toBeVisible();
  // One thing has one red figure.
  await expect(page.getByRole('link', { name: 'Jobs', exact: true })).toBeVisible();
  service.faults.clear();
  await panel.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => service.state.jobs.size).toBe(1);
  await expect(page.getByRole('link', { name: 'Problems 1 needs attention' })).toBeHidden();
  await panel.getByRole('button', { name: 'Close (Esc)' }).click();
  const ended = async (): Promise<string> =>
    (await value(page, 'job.detail', { jobId: 'odd' })).job.state;
  await expect.poll(ended).toBe('succeeded');
  await expectLedgerFirst(page, service);
  for (const { path, ...fault } of NONSENSE) {
    service.faults.always('GET', path, fault);
    await page.getByRole('row', { name: /Odd one/ }).click();
    await expect(panel.getByRole('alert')).toBeVisible();
    await expect(panel.getByRole('heading', { name: 'odd' })).toBeVisible();
    await healAndTryAgain(service, path, panel.getByRole('button', { name: 'Try again' }));
    await expect(panel.getByRole('tab', { name: 'Timeline' })).toBeVisible();
    await panel.getByRole('button', { name: 'Close (Esc)' }).click();
    await expect(panel).toBeHidden();
  }
  service.faults.always('GET', /\/jobs$/, HTML);
  await page.getByRole('link', { name: 'Uploads' }).click();
  await page.getByRole('link', { name: 'Jobs' }).click();
  await expect(page.getByRole('row', { name: /Odd one/ })).toBeVisible();
});

test('a job that was not started can be given up; nothing says that it ran', async ({
  launch,
  scratch,
  service,
}) => {
  const { page } = await withBatch(launch, scratch, service);
  const { path: start, ...refusal } = REFUSED;
  service.faults.always('POST', start, refusal);
  await startJob(page, 'cups', { jobId: 'odd', name: 'Odd one' });
  await page.getByRole('link', { name: 'Problems 1 needs attention' }).click();
  await page.getByRole('button', { name: 'Show job' }).click();
  const panel = page.getByRole('region', { name: 'job odd' });
  await panel.getByRole('button', { name: 'Abort…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Abort “Odd one”?' });
  await expect(dialog.getByText(/^It has not started/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Abort job' }).click();
  await expect(page.getByText('The job was given up before it started.')).toBeVisible();
  await expect(panel.getByText('Aborted', { exact: true })).toBeVisible();
  await expect(panel.getByText('It was aborted before it ran.')).toBeVisible();
  await expect(panel.getByText(/^created/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Problems', exact: true })).toBeVisible();
  expect(service.state.jobs.size).toBe(0);
});
