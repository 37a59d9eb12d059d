/** Every palette command that opens a dialog shows it, wherever the palette was opened. */
import { expect, type Page } from '@playwright/test';
import {
  hold,
  paletteField,
  runFromPalette,
  test,
  until,
  uploadAndProcess,
  watch,
  writeImages,
} from './appSteps.ts';

const PROJECT = 'bottle-caps';
/** Commands that first ask the system for a folder. */
const ASK_FIRST: readonly string[] = ['Watch a folder…', 'Upload a folder once…'];

/**
 * What each action opens: the name of its dialog, or null. An action that is missing here fails the test, so that new ones are not
 * forgotten. ID stands for the object that is open.
 */
const ACTIONS: Readonly<Record<string, string | null>> = {
  'Watch a folder…': 'Watch a folder',
  'Upload a folder once…': 'Upload 1 folder',
  'Start job…': 'Start job',
  'Start a job over ID…': 'Start job',
  'What was skipped…': 'What was skipped',
  'Why is a file not uploaded?': 'Why is this file not uploaded?',
  'New folder…': 'New folder',
  'New annotation job in ID…': 'New annotation job',
  'Add workspace…': 'Add workspace',
  'Keyboard shortcuts': 'Keyboard shortcuts',
  'Change the bandwidth cap…': null,
  'Save the receipt of ID as CSV…': null,
  'Save the receipt of ID as JSON…': null,
  'Copy the ID ID': null,
  'Download the results of ID': null,
  'Show the logs of ID': null,
  'Show the insights of ID': null,
  'Pause uploads': null,
  'Scan for new files': null,
  'Use the light theme': null,
  'Use the dark theme': null,
  'Open the data folder': null,
  'Show the log': null,
  'Support bundle and about': null,
  Documentation: null,
};

/** The labels of the actions that the palette currently offers. */
async function offered(page: Page): Promise<readonly string[]> {
  await page.keyboard.press('Control+k');
  const actions = page
    .getByRole('listbox', { name: 'Found' })
    .getByRole('group', { name: 'Actions' });
  await expect(actions.getByRole('option', { name: 'Documentation' })).toBeVisible();
  const labels = await actions.getByRole('option').locator('.label').allTextContents();
  await page.keyboard.press('Escape');
  await expect(paletteField(page)).toBeHidden();
  return labels;
}

/** Runs the action by keyboard; its dialog is shown and has the focus. */
async function opens(page: Page, label: string, dialog: string): Promise<void> {
  await runFromPalette(page, label, label);
  const shown = page.getByRole('dialog', { name: dialog });
  await expect(shown, `${label} from ${page.url()}`).toBeVisible();
  await expect(page.locator('[role=dialog]:focus-within')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(shown).toBeHidden();
}

test('each command of the palette that opens a dialog shows it, from any view', async ({
  app,
  page,
  scratch,
}) => {
  test.slow();
  const directory = await writeImages(scratch, 'cups', 2);
  const jobId = await uploadAndProcess(app, directory, 'tall-cups', 2);
  const places = [
    ['uploads', null],
    ['batches/tall-cups', 'tall-cups'],
    [`jobs/${jobId}`, jobId],
    [`projects/${PROJECT}?tab=jobs`, PROJECT],
    ['settings/connections', null],
  ] as const;
  const seen = new Set<string>();
  for (const [address, id] of places) {
    const back = (): Promise<unknown> =>
      page.evaluate((hash) => (location.hash = hash), `#/${address}`);
    await back();
    for (const label of await offered(page)) {
      const action = id === null ? label : label.replace(id, 'ID');
      const dialog = ACTIONS[action];
      expect(dialog, `${action} is in the table`).not.toBe(undefined);
      seen.add(action);
      if (dialog === null || dialog === undefined) continue;
      await back();
      if (ASK_FIRST.includes(action)) await app.answerNextDialog({ filePaths: [directory] });
      await opens(page, label, dialog);
      // Jobs start on their batch, which is open again afterwards.
      if (action === 'Start a job over ID…') {
        await expect.poll(() => page.url()).toMatch(/batches\/tall-cups$/);
      }
    }
  }
  expect([...seen].toSorted()).toEqual(Object.keys(ACTIONS).toSorted());
});

test('a job over a batch that is still uploading cannot be started, and the form says when it can', async ({
  page,
  app,
  scratch,
  service,
}) => {
  const release = hold(service, 'POST', /upload\/image$/);
  await watch(app, await writeImages(scratch, 'cups', 1), { batch: 'cups', mode: 'single' });
  await until(page, ({ pipeline }) => pipeline.counts.sending, 1);
  await page.evaluate(() => (location.hash = '#/batches/cups'));
  await runFromPalette(page, 'start a job over', 'Start a job over cups…');
  const form = page.getByRole('dialog', { name: 'Start job' });
  const why = form.getByText('Some files are not confirmed yet. Start the job once all are.');
  await expect(why).toBeVisible();
  await expect(form.getByRole('button', { name: 'Start job' })).toBeDisabled();
  release();
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, 1);
  await expect(form.getByRole('button', { name: 'Start job' })).toBeEnabled();
  await expect(why).toBeHidden();
});
