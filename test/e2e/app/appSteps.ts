/** Steps shared by the window's tests: requests through the bridge, and the environment of the window. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import type { Bridge, InputOf, OutputOf, RequestName } from '../../../preload/contract/requests.ts';
import type { Result } from '../../../preload/contract/errors.ts';
import type { Settings } from '../../../preload/contract/settings.ts';
import { standardRule } from '../../../preload/contract/standardRule.ts';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import type { WatchRule } from '../../../preload/contract/watchRule.ts';
import { tinyImages } from '../../helpers/media.ts';
import {
  createReferenceService,
  type ReferenceService,
  type ServiceOptions,
} from '../../service/referenceService.ts';
import type { AppUnderTest } from '../support/appUnderTest.ts';
import { type AppFixtures, test as base, type TestLaunch } from '../support/test.ts';

declare global {
  interface Window {
    readonly sluice: Bridge;
  }
}

/** Sends a request of the contract to main. */
export function ask<Name extends RequestName>(
  page: Page,
  name: Name,
  input: InputOf<Name>,
): Promise<Result<OutputOf<Name>>> {
  const message: readonly [string, unknown] = [name, input];
  return page.evaluate(
    async ([what, given]) => Reflect.apply(window.sluice.request, undefined, [what, given]),
    message,
  );
}

/** The answer's value; fails with the error. */
export async function value<Name extends RequestName>(
  page: Page,
  name: Name,
  input: InputOf<Name>,
): Promise<OutputOf<Name>> {
  const answer = await ask(page, name, input);
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
  return answer.value;
}

/** Keeps the service from answering such requests until the returned function is called, which ends all faults. */
export function hold(service: ReferenceService, method: string, path: RegExp): () => void {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  service.faults.always(method, path, { kind: 'held', until });
  return () => {
    service.faults.clear();
    resolve();
  };
}

/**
 * Ends the faults of the service and presses the button that tries again. A view also asks again by itself, and would take the button
 * away before it is pressed; so nothing is answered until it has been.
 */
export async function healAndTryAgain(
  service: ReferenceService,
  path: RegExp,
  button: Locator,
): Promise<void> {
  service.faults.clear();
  const release = hold(service, 'GET', path);
  await button.click();
  release();
}

/** Waits until the snapshot has the expected value. */
export async function until(
  page: Page,
  what: (snapshot: AppSnapshot) => unknown,
  expected: unknown,
  timeout = 60_000,
): Promise<void> {
  const look = async (): Promise<unknown> => what(await value(page, 'snapshot.get', {}));
  await expect.poll(look, { timeout, intervals: [200] }).toEqual(expected);
}

/** Writes distinct images into a new directory; returns its path. */
export async function writeImages(parent: string, name: string, count: number): Promise<string> {
  const directory = join(parent, name);
  await mkdir(directory, { recursive: true });
  for (const image of tinyImages(count, `${name}-`)) {
    await writeFile(join(directory, image.name), image.content);
  }
  return directory;
}

/**
 * Agrees that the next key is kept in a file. A person is asked only if there is no keychain, as on the Chromium host. Call
 * it before entering the key.
 */
export async function agreesToKeep(app: AppUnderTest): Promise<void> {
  const { runtime } = await value(app.page, 'snapshot.get', {});
  if (!runtime.secretsProtected) await app.answerNextDialog({ response: 0 });
}

/** Connects like a person who types the key. */
export async function connect(app: AppUnderTest, service: ReferenceService): Promise<number> {
  await agreesToKeep(app);
  const { id } = await value(app.page, 'connection.add', {
    apiUrl: service.url,
    projectsUrl: null,
    apiKey: service.apiKey,
    workspace: null,
  });
  return id;
}

/** Chooses a directory in the dialog. */
export async function choose(app: AppUnderTest, path: string): Promise<void> {
  await app.answerNextDialog({ filePaths: [path] });
  expect(await value(app.page, 'directory.choose', { purpose: 'watch' })).toEqual({ path });
}

/** Watches a directory; files count as stable after a second. */
export async function watch(
  app: AppUnderTest,
  directory: string,
  change: Partial<WatchRule> = {},
): Promise<number> {
  await choose(app, directory);
  const rule = { ...standardRule(directory, 'camera'), settleMs: 1000, ...change };
  return (await value(app.page, 'watch.add', { rule })).id;
}

/** Starts a job over a batch, over its images and under an id of its own where nothing else is said. Gives its id. */
export async function startJob(
  page: Page,
  batchId: string,
  job: Partial<InputOf<'job.start'>> = {},
): Promise<string> {
  const standard = {
    batchId,
    kind: 'image',
    jobId: null,
    name: 'Count the cups',
    options: { workflowId: 'count-cups' },
    downloadTo: null,
  } as const;
  return (await value(page, 'job.start', { ...standard, ...job })).jobId;
}

/** Watches a directory until its images are confirmed, closes their batch, and starts a job over it. Gives the id of the job. */
export async function uploadAndProcess(
  app: AppUnderTest,
  directory: string,
  batchId: string,
  images: number,
): Promise<string> {
  const { page } = app;
  await watch(app, directory, { batch: batchId });
  await until(page, ({ pipeline }) => pipeline.counts.confirmed, images);
  await value(page, 'batch.seal', { batchId });
  return startJob(page, batchId);
}

/** The variables that connect the window to a service. */
export function connected(service: ReferenceService): Readonly<Record<string, string>> {
  return {
    SLUICE_API_URL: service.url,
    SLUICE_API_KEY: service.apiKey,
    SLUICE_WORKSPACE: service.workspace,
  };
}

interface Fixtures {
  /** Options of the service; `test.use({ serviceOptions })` changes them. */
  readonly serviceOptions: ServiceOptions;
  readonly service: ReferenceService;
  /** The application, connected to the service; `page` is its first page. */
  readonly app: AppUnderTest;
}

/** `test` with a reference service and the application connected to it. */
export const test = base.extend<Fixtures>({
  serviceOptions: [{}, { option: true }],
  service: async ({ serviceOptions }, use) => {
    const service = await createReferenceService(serviceOptions);
    await use(service);
    await service.close();
  },
  app: async ({ launch, service }, use) => {
    await use(await launchConnected(launch, service));
  },
  page: async ({ app }, use) => {
    await use(app.page);
  },
});

/** Expects this text in the strip at the bottom of the window. */
export async function says(page: Page, words: string | RegExp): Promise<void> {
  const status = page.getByRole('contentinfo', { name: 'Status' });
  await expect(status.getByRole('status')).toContainText(words, { timeout: 60_000 });
}

export async function notificationTitles(app: AppUnderTest): Promise<readonly string[]> {
  return (await app.notifications()).map(({ title }) => title);
}

export async function trayLabels(app: AppUnderTest): Promise<readonly string[]> {
  return (await app.tray.items()).map(({ label }) => label);
}

/** The names of the files and directories that were passed to the desktop. */
export async function openedNames(app: AppUnderTest): Promise<readonly string[]> {
  return (await app.openedExternally()).map((path) => basename(path));
}

export async function choosesIn(page: Page, menu: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** The row of a watch, by its name. */
export function lineOf(page: Page, name: string): Locator {
  const named = page.getByRole('heading', { name, level: 3, exact: true });
  return page
    .getByRole('list', { name: 'Watched folders' })
    .getByRole('listitem')
    .filter({ has: named });
}

export async function untilReady(page: Page): Promise<void> {
  await until(page, ({ connections }) => connections.map(({ state }) => state), ['ready']);
}

export async function changeSettings(page: Page, change: Partial<Settings>): Promise<void> {
  const { settings } = await value(page, 'snapshot.get', {});
  await value(page, 'settings.save', { ...settings, ...change });
}

/**
 * Launches the application connected by the environment, and waits until the service has accepted the key and the window shows
 * its views: only then it takes keys and drops.
 */
export async function launchConnected(
  launch: AppFixtures['launch'],
  service: ReferenceService,
  options: TestLaunch = {},
): Promise<AppUnderTest> {
  const app = await launch({ ...options, env: { ...connected(service), ...options.env } });
  await untilReady(app.page);
  await expect(app.page.getByRole('contentinfo', { name: 'Status' })).toBeVisible();
  await expect(app.page.getByRole('heading', { level: 1 })).toBeVisible();
  return app;
}

export function paletteField(page: Page): Locator {
  return page.getByRole('combobox', { name: 'Search or run a command' });
}

/** Types words into the palette; returns the selected entry. */
export async function findInPalette(page: Page, words: string): Promise<Locator> {
  await page.keyboard.press('Control+k');
  await expect(paletteField(page)).toBeFocused();
  await paletteField(page).fill(words);
  return page.getByRole('listbox', { name: 'Found' }).getByRole('option', { selected: true });
}

/** Types the words and runs the entry, with the keyboard only. */
export async function runFromPalette(page: Page, words: string, entry: string): Promise<void> {
  const chosen = await findInPalette(page, words);
  await expect(chosen).toContainText(entry);
  await expect(chosen.locator('svg')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(paletteField(page)).toBeHidden();
}
