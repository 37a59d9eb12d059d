/** Projects as a person works with them, on a service of either dialect; and a service that answers nonsense. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, type Locator, type Page } from '@playwright/test';
import { namesDone, PROJECT_OPERATIONS } from '../../helpers/operations.ts';
import { createReferenceService, type ReferenceService } from '../../service/referenceService.ts';
import { connected, test, untilReady } from './appSteps.ts';

function tree(page: Page): Locator {
  return page.getByRole('grid', { name: 'Folders and projects' });
}

function rowOf(within: Locator, name: RegExp | string): Locator {
  return within.getByRole('row').filter({ hasText: name });
}

/** The text of the row below the one with this text; '' when there is none. */
async function rowAfter(page: Page, name: string): Promise<string> {
  const rows = await tree(page).getByRole('row').allInnerTexts();
  const at = rows.findIndex((text) => text.includes(name));
  return at === -1 ? '' : (rows[at + 1] ?? '');
}

function inFolder(service: ReferenceService, name: string): readonly string[] {
  return service.state.projects.folders.find((folder) => folder.name === name)?.projects ?? [];
}

async function openProjects(page: Page): Promise<void> {
  await untilReady(page);
  await page.getByRole('link', { name: 'Projects' }).click();
  await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
}

async function createFolder(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New folder…' }).click();
  const dialog = page.getByRole('dialog', { name: 'New folder' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Parent folder').selectOption({ label: 'At the top' });
  await dialog.getByRole('button', { name: 'Create folder' }).click();
  await expect(dialog).toBeHidden();
  await expect(rowOf(tree(page), name)).toBeVisible();
}

async function addProject(page: Page, projectId: string): Promise<void> {
  await page.getByRole('button', { name: 'Add project…' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add a project' });
  await dialog.getByLabel('Project ID').fill('no-such-project');
  await dialog.getByRole('button', { name: 'Add project' }).click();
  await expect(dialog.getByText('This workspace has no project with this ID.')).toBeVisible();
  await dialog.getByLabel('Project ID').fill(projectId);
  await dialog.getByRole('button', { name: 'Add project' }).click();
  await expect(page.getByRole('heading', { name: projectId, level: 2 })).toBeVisible();
}

/** Folders: created, filled by drag and by keyboard; the window says that removing from all folders is impossible. */
async function organize(page: Page, service: ReferenceService, moved: string): Promise<void> {
  await createFolder(page, 'Nights');
  await createFolder(page, 'Days');
  expect(service.log.count('POST', /\/(folders|groups)$/)).toBe(2);

  await rowOf(tree(page), moved)
    .getByRole('gridcell')
    .first()
    .dragTo(rowOf(tree(page), 'Nights').getByRole('gridcell').first());
  await expect.poll(() => inFolder(service, 'Nights')).toEqual(['street-signs']);
  await expect(page.getByText('moved to Nights')).toBeVisible();

  // Until it has moved there, a click may meet the row that takes its place.
  await expect.poll(() => rowAfter(page, 'Nights')).toMatch(/Street signs.*level [23]/s);
  const inside = rowOf(tree(page), 'Street signs');
  await inside.click();
  await tree(page).press('m');
  const dialog = page.getByRole('dialog', { name: 'Move Street signs to…' });
  await expect(dialog.getByText('but not back out of all folders')).toBeVisible();
  // No folder is suggested, so that Enter moves nothing.
  await expect(dialog.getByLabel('Folder')).toBeFocused();
  await expect(dialog.getByRole('button', { name: 'Move project' })).toBeDisabled();
  // One letter: between several, a busy machine may let so much time pass that each is taken for a new beginning.
  await page.keyboard.press('d');
  await expect(dialog.getByLabel('Folder').locator('option:checked')).toHaveText('Days');
  const denied = {
    kind: 'status',
    status: 403,
    body: { message: 'Only owners move projects.' },
  } as const;
  service.faults.next('*', /\/(folders|groups)\/[^/]+\/projects$/, denied);
  await dialog.getByRole('button', { name: 'Move project' }).press('Enter');
  await expect(page.getByText('Only owners move projects')).toBeVisible();
  // What was chosen stays, to try it again.
  await expect(dialog.getByLabel('Folder').locator('option:checked')).toHaveText('Days');
  await dialog.getByRole('button', { name: 'Move project' }).press('Enter');
  await expect.poll(() => inFolder(service, 'Days')).toEqual(['street-signs']);
  expect(inFolder(service, 'Nights')).toEqual([]);
  await expect(dialog).toBeHidden();

  const loose = rowOf(tree(page), /leaf.damage/i)
    .getByRole('gridcell')
    .first();
  // The list is read again after the move: a row that changes its place ends a drag.
  await expect.poll(() => rowAfter(page, 'Days')).toContain('Street signs');
  await rowOf(tree(page), 'Street signs').getByRole('gridcell').first().dragTo(loose);
  await expect(page.getByText('Street signs stays where it is.')).toBeVisible();
  expect(inFolder(service, 'Days')).toEqual(['street-signs']);
}

async function lookAtImageBatches(page: Page): Promise<void> {
  await rowOf(tree(page), 'Bottle caps').click();
  const grid = page.getByRole('grid', { name: 'Image batches' });
  const images = rowOf(grid, 'Night shift').getByRole('gridcell').nth(1);
  await expect(images).toHaveText('115');
  const names = async (): Promise<readonly string[]> =>
    (await grid.getByRole('row').allInnerTexts()).slice(1).map((text) => text.split('\n')[0] ?? '');
  await expect.poll(names).toEqual(['Day shift', 'Night shift']);
  await grid.getByRole('button', { name: 'Images' }).click();
  await expect.poll(names).toEqual(['Night shift', 'Day shift']);
  await page.getByRole('searchbox', { name: 'Search image batches' }).fill('day');
  await expect.poll(names).toEqual(['Day shift']);
  await rowOf(grid, 'Day shift').click();
}

/** From an image batch to an annotation job: reviewed before it is sent, sent once although the answer is lost. */
async function giveOut(page: Page, service: ReferenceService): Promise<void> {
  await page.getByRole('button', { name: 'New annotation job…' }).click();
  const dialog = page.getByRole('dialog', { name: 'New annotation job' });
  await expect(dialog.getByLabel('Name')).toHaveValue('Day shift');
  await dialog.getByLabel('Images').fill('41');
  await dialog.getByLabel('Labeler').fill('ana');
  const create = dialog.getByRole('button', { name: 'Create annotation job' });
  await create.click();
  await expect(dialog.getByText('The image batch holds 40 images')).toBeVisible();
  await expect(dialog.getByText('Enter a valid email.')).toBeVisible();
  await expect(dialog.getByText('Enter the reviewer’s email.')).toBeVisible();
  await expect(dialog.getByLabel('Images')).toBeFocused();
  expect(service.log.count('POST', /\/jobs$/)).toBe(0);

  await dialog.getByLabel('Images').fill('15');
  await dialog.getByLabel('Labeler').fill('nobody@example.com');
  await dialog.getByLabel('Reviewer').fill('reviewer@example.com');
  await create.click();
  await expect(dialog.getByText('nobody@example.com is no user of the workspace')).toBeVisible();
  // Below the last field there is no room in the dialog for all suggestions.
  await dialog.getByLabel('Reviewer').fill('example');
  await dialog.getByLabel('Reviewer').press('Escape');
  await expect(dialog.getByRole('listbox')).toBeHidden();
  await dialog.getByLabel('Reviewer').click();
  await expect(dialog.getByRole('listbox', { name: 'People' })).toBeInViewport({ ratio: 1 });
  await dialog.getByLabel('Reviewer').fill('reviewer@example.com');
  // Previous labelers are suggested, also by name.
  await dialog.getByLabel('Labeler').fill('ana');
  await dialog.getByRole('option', { name: /labeler@example\.com/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Labeler')).toHaveValue('labeler@example.com');
  service.faults.next('POST', /\/jobs$/, { kind: 'doneButAnswerLost' });
  await create.click();
  await expect(dialog).toBeHidden();

  const jobs = page.getByRole('grid', { name: 'Annotation jobs' });
  const progress = (name: string): Locator => rowOf(jobs, name).getByRole('gridcell').nth(1);
  await expect(progress('Day shift')).toHaveText('0 of 15 annotated · 0 approved');
  await expect(progress('Night shift, first half')).toHaveText(
    '3 of 26 annotated · 1 rejected · 1 approved',
  );
  const made = service.state.projects.annotationJobs.filter(({ name }) => name === 'Day shift');
  expect(made).toMatchObject([{ numImages: 15, batchId: 'ib-caps-2' }]);
}

/** Changes the stored trend to look a week old: the same thirty days, seen from then. */
function keepAsOfLastWeek(userDataDir: string): void {
  // The application is using it: whoever writes waits for the other.
  const ledger = new DatabaseSync(join(userDataDir, 'data', 'ledger.db'), { timeout: 10_000 });
  ledger.exec(`INSERT INTO insight_snapshots (connection_id, project, day, from_day, until_day, totals, labelers, taken_at)
    SELECT connection_id, project, date(day, '-7 days'), date(from_day, '-7 days'), date(until_day, '-7 days'),
      json_set(totals, '$.imagesLabeled', 12), labelers, taken_at - 604800000
    FROM insight_snapshots`);
  ledger.close();
}

async function lookAtInsights(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Insights' }).click();
  const images = page.getByRole('region', { name: 'Images labeled' });
  await expect(images.getByRole('listitem')).toHaveCount(3);
  const figures = (await images.getByRole('listitem').allInnerTexts()).map((text) =>
    Number(text.split('\n').at(-1)),
  );
  expect(figures).toEqual(figures.toSorted((one, other) => other - one));
  const total = page.getByRole('term').filter({ hasText: 'Images labeled' }).locator('xpath=..');
  const sum = figures.reduce((before, one) => before + one, 0);
  await expect(total.getByRole('definition')).toHaveText(String(sum));
  await expect(page.getByText('1 day recorded so far.')).toBeVisible();

  const definition = images.getByText('An image counts once per labeler', { exact: false });
  await expect(definition).toBeHidden();
  await page.keyboard.press('d');
  await expect(definition).toBeInViewport();
  await page.getByRole('button', { name: 'Hide definitions' }).click();
  await expect(definition).toBeHidden();
}

async function followInsights(page: Page, service: ReferenceService): Promise<void> {
  const asked = /(annotationInsights|stats)$/;
  const trend = page.getByRole('region', { name: 'Trend' });
  await page.getByLabel('Period').selectOption({ label: 'Last 7 days' });
  await expect
    .poll(() => {
      const query = service.log.requests.findLast(({ path }) => asked.test(path))?.query;
      const day = (name: string): number => Date.parse(query?.get(name) ?? '');
      return (day('endDate') - day('startDate')) / 86_400_000;
    })
    .toBe(6);
  // Thirty days recorded last week are not a point on a line of seven days.
  await expect(trend.getByText('1 day recorded so far.')).toBeVisible();
  await choosePeriod(page, service);
  await page.getByLabel('Period').selectOption({ label: 'Last 30 days' });
  await expect(trend.getByRole('img', { name: /^From 12 on/ })).toBeVisible();
}

/** Both days of a period: one typed, one picked from its month; the service is asked for exactly these. */
async function choosePeriod(page: Page, service: ReferenceService): Promise<void> {
  const asked = /(annotationInsights|stats)$/;
  await page.getByLabel('Period').selectOption({ label: 'From … to …' });
  const from = page.getByRole('group', { name: 'From (UTC)' });
  await from.getByRole('spinbutton', { name: 'Year' }).click();
  await page.keyboard.type('20260105');
  await expect(from).toHaveText('2026-01-05');
  const until = page.getByRole('group', { name: 'Until (UTC)' });
  await until.getByRole('spinbutton', { name: 'Year' }).click();
  await page.keyboard.type('20260210');
  await until.getByRole('button', { name: 'Choose a day' }).click();
  const month = page.getByRole('dialog', { name: 'Until (UTC)' });
  await month.getByRole('button', { name: 'Previous month' }).click();
  await month.getByRole('button', { name: /January 31, 2026/ }).click();
  await expect(month).toBeHidden();
  await expect(until).toHaveText('2026-01-31');
  await expect
    .poll(() => {
      const query = service.log.requests.findLast(({ path }) => asked.test(path))?.query;
      return [query?.get('startDate'), query?.get('endDate')];
    })
    .toEqual(['2026-01-05', '2026-01-31']);
}

async function saveCsv(
  page: Page,
  scratch: string,
  answer: (path: string) => Promise<void>,
): Promise<void> {
  const save = page.getByRole('button', { name: 'Save CSV…' });
  await answer(join(scratch, 'no', 'such', 'directory.csv'));
  await save.click();
  await expect(
    page.getByText('Reading from or writing to the disk failed', { exact: false }),
  ).toBeVisible();
  const path = join(scratch, 'insights.csv');
  await answer(path);
  await save.click();
  await expect(page.getByText(`Saved as ${path}`)).toBeVisible();
  const lines = (await readFile(path, 'utf8')).trim().split(/\r?\n/);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^project,from,until,labeler,email,images_labeled/);
}

for (const dialect of ['spec', 'live'] as const) {
  test(`folders, image batches, annotation jobs and insights of a ${dialect} service`, async ({
    launch,
    scratch,
  }) => {
    // The specification alone cannot list projects; a live service without folders does not reveal its spelling.
    const bare = dialect === 'spec';
    const service = await createReferenceService({ dialect, specOnly: bare });
    const { folders } = service.state.projects;
    if (!bare) folders.splice(0);
    const app = await launch({ env: connected(service) });
    const { page } = app;
    // Svelte warns when something that has gone is still read.
    const warnings: string[] = [];
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
    try {
      await openProjects(page);
      if (bare) {
        await expect(page.getByText('does not list projects outside folders')).toBeVisible();
        await addProject(page, 'street-signs');
        await addProject(page, 'leaf-damage');
      }
      await expect(rowOf(tree(page), 'Bottle caps')).toBeVisible();
      await organize(page, service, bare ? 'street-signs' : 'Street signs');
      if (bare) {
        await rowOf(tree(page), 'leaf-damage').click();
        await page.getByRole('button', { name: 'Take off the list' }).click();
        await expect(rowOf(tree(page), 'leaf-damage')).toBeHidden();
      }
      await lookAtImageBatches(page);
      await giveOut(page, service);
      await lookAtInsights(page);
      keepAsOfLastWeek(app.userDataDir);
      await followInsights(page, service);
      await saveCsv(page, scratch, (filePath) => app.answerNextDialog({ filePath }));
      // The answer to the new annotation job was lost on purpose; its existence was checked above.
      const answered = PROJECT_OPERATIONS.filter(({ name }) => name !== 'Create annotation job');
      const done = namesDone(service, answered, !bare);
      expect(done).toEqual(answered.map(({ name }) => name));
      expect(service.state.violations).toEqual([]);
      expect(warnings).toEqual([]);
    } finally {
      await service.close();
    }
  });
}

/** A page did not come from the service; other nonsense may have. */
const BETWEEN = 'A proxy or sign-in page is answering instead of the service';
const UNCLEAR = 'Sluice does not understand the service’s answer';
const FAILED = 'The service had an internal error';

test('whatever nonsense a service answers, there is a text for it and a way to continue', async ({
  launch,
  service,
}) => {
  const text = '<html><body>Welcome</body></html>';
  const html = { kind: 'wrongJson', text, contentType: 'text/html' } as const;
  const folders = /\/folders$/;
  service.faults.always('GET', folders, html);
  const app = await launch({ env: connected(service) });
  const { page } = app;
  await openProjects(page);
  const failure = page.getByRole('alert');
  const again = failure.getByRole('button', { name: 'Try again' });
  await expect(failure).toContainText(BETWEEN);
  service.faults.clear();
  await again.click();
  await expect(rowOf(tree(page), 'Bottle caps')).toBeVisible();
  await expect(failure).toBeHidden();

  const kinds = [
    ['Image batches', /\/batches$/, { kind: 'wrongJson', text: '{"batches":"none"}' }, UNCLEAR],
    [
      'Annotation jobs',
      /\/jobs$/,
      { kind: 'status', status: 500, body: 'Internal <b>error' },
      FAILED,
    ],
    ['Insights', /annotationInsights$/, html, BETWEEN],
  ] as const;
  for (const [, path, fault] of kinds) service.faults.always('GET', path, fault);
  await rowOf(tree(page), 'Bottle caps').click();
  for (const [tab, , , words] of kinds) {
    await page.getByRole('tab', { name: tab }).click();
    await expect(failure).toContainText(words);
  }
  service.faults.clear();
  // It is asked for again by itself.
  await expect(page.getByRole('region', { name: 'Images labeled' })).toBeVisible();
  await page.getByRole('tab', { name: 'Annotation jobs' }).click();
  await expect(page.getByText('Night shift, first half')).toBeVisible();

  // If the list of projects fails, the projects known from folders remain.
  service.faults.always('GET', /^\/demo$/, { kind: 'status', status: 500 });
  await page.getByRole('link', { name: 'Uploads' }).click();
  await page.getByRole('link', { name: 'Projects' }).click();
  await expect(rowOf(tree(page), 'Bottle caps')).toBeVisible();
});
