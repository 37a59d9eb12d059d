/** Settings as a person uses them: by the text there, and what applies afterwards. */
import { rename } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import { createReferenceService } from '../../service/referenceService.ts';
import type { AppUnderTest } from '../support/appUnderTest.ts';
import {
  agreesToKeep,
  launchConnected,
  test,
  until,
  value,
  watch,
  writeImages,
} from './appSteps.ts';

const KEY = 'key-of-the-second-one';

async function section(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await expect(page.getByRole('tab', { name, selected: true })).toBeVisible();
}

function row(page: Page, workspace: string): Locator {
  return page.getByRole('listitem').filter({ hasText: workspace });
}

async function addSecond(app: AppUnderTest, url: string, key: string): Promise<void> {
  const { page } = app;
  await page.getByRole('button', { name: 'Add workspace…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add workspace' });
  const add = dialog.getByRole('button', { name: 'Add workspace' });
  await dialog.getByText('Advanced', { exact: true }).click();
  await dialog.getByLabel('Address', { exact: true }).fill(url);
  await dialog.getByLabel('API key', { exact: true }).fill('not-the-key-at-all');
  await expect(dialog.getByText('The service refused the key').first()).toBeVisible();
  await expect(add).toBeDisabled();
  await dialog.getByLabel('Address for projects').fill(`${url}/`);
  await dialog.getByLabel('API key', { exact: true }).fill(key);
  await expect(dialog.getByText('The key is valid for workspace second')).toBeVisible();
  await agreesToKeep(app);
  await add.click();
  await expect(dialog).toBeHidden();
}

/** Removes the second workspace, choosing what happens to its queued files. */
async function removeSecond(page: Page, fate: string): Promise<void> {
  await page.getByRole('button', { name: 'More for second' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove the workspace “second” from Sluice?' });
  await expect(dialog.getByText('3 files still queued')).toBeVisible();
  await dialog.getByText(fate, { exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove from Sluice' }).click();
  await expect(row(page, 'second')).toHaveCount(0);
}

async function queueThree(app: AppUnderTest, scratch: string): Promise<string> {
  await value(app.page, 'uploads.pause', { paused: true });
  const directory = await writeImages(scratch, 'line-2', 3);
  await watch(app, directory, { batch: 'line-2' });
  await until(app.page, ({ pipeline: line }) => line.counts.queued, 3);
  return directory;
}

test('several workspaces: added after a check, used, removed with what is queued, and only kept ones stay', async ({
  launch,
  scratch,
  service,
}) => {
  test.slow();
  const second = await createReferenceService({ workspace: 'second', apiKey: KEY });
  try {
    const app = await launchConnected(launch, service);
    const { page } = app;
    await page.getByRole('link', { name: 'Settings' }).click();
    await addSecond(app, second.url, KEY);
    const line = row(page, 'second');
    await expect(line.getByText('Connected')).toBeVisible();
    await expect(line.getByText(second.url)).toBeVisible();
    await expect(line.getByText('Active')).toBeVisible();
    await row(page, 'demo').getByRole('button', { name: 'Switch to demo' }).click();
    await expect(row(page, 'demo').getByText('Active')).toBeVisible();
    await line.getByRole('button', { name: 'Switch to second' }).click();
    await expect(line.getByText('Active')).toBeVisible();

    const directory = await queueThree(app, scratch);
    await expect(line.getByText('3 files')).toBeVisible();
    await row(page, 'demo').getByRole('button', { name: 'Switch to demo' }).click();
    await expect(page.locator('footer')).toContainText('Paused; 3 files to go in second');
    await line.getByRole('button', { name: 'Switch to second' }).click();
    await removeSecond(page, 'Keep queued');
    await addSecond(app, second.url, KEY);
    await expect(line.getByText('3 files')).toBeVisible();
    await removeSecond(page, 'Discard');
    // Forgotten files are in no row; only their folder brings them back, once it reappears.
    await rename(directory, `${directory}-away`);
    await addSecond(app, second.url, KEY);
    await until(page, ({ watches }) => watches.map(({ state }) => state), ['missing']);
    const counted = ({ pipeline: { counts } }: AppSnapshot): readonly number[] => [
      counts.queued + counts.sending + counts.sent,
      counts.skipped,
    ];
    await until(page, counted, [0, 3]);
    await rename(`${directory}-away`, directory);
    await until(page, counted, [3, 0]);
    expect(await page.content()).not.toContain(KEY);
    await app.close();

    // The variables are gone, and so is their connection; the stored one is shown.
    const again = await launch();
    await until(
      again.page,
      ({ connections }) => connections.map((one) => [one.workspace, one.state, one.selected]),
      [['second', 'ready', true]],
    );
    expect(second.state.objects('line-2')).toHaveLength(0);
  } finally {
    await second.close();
  }
});

test('uploading, general, webhook and about: each change holds, nothing secret is shown', async ({
  app,
  page,
  service,
}) => {
  test.slow();
  await page.getByRole('link', { name: 'Settings' }).click();

  await section(page, 'Uploading');
  const lanes = page.getByLabel('Uploads at the same time');
  await lanes.fill('0');
  await lanes.blur();
  await expect(page.getByText('A whole number from 1 to 64.')).toBeVisible();
  await lanes.fill('3');
  await lanes.blur();
  await page.getByLabel('Order').selectOption('Smallest first');
  await page.getByLabel('Wait before upload').fill('2');
  await page.getByLabel('Wait before upload').blur();
  await until(
    page,
    ({ settings: { lanesMost, order, settleMs } }) => [lanesMost, order, settleMs],
    [3, 'smallest', 2000],
  );

  await page.getByText('Always', { exact: true }).click();
  const rate = page.getByLabel('At most, in megabytes per second');
  await rate.fill('1.5');
  await rate.blur();
  await until(
    page,
    ({ settings, pipeline: line }) => [settings.bandwidth, line.capBytesPerSecond],
    ['1.5M', 1_500_000],
  );
  await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText('Limit 1.5 MB/s');
  await page.getByText('Schedule', { exact: true }).click();
  await page.getByRole('button', { name: 'Add a time' }).click();
  await page.getByLabel('Entry 3: day').selectOption('Saturday');
  await page.getByLabel('Entry 3: cap').selectOption('no limit');
  // Left without its hour, the field is empty; typing digits moves on from the hours to the minutes.
  const from = page.getByRole('group', { name: 'Entry 3: from' });
  await from.getByRole('spinbutton', { name: 'Hours' }).click();
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.getByLabel('Entry 3: cap').focus();
  await expect(from).toHaveText('––:––');
  await expect(page.getByText('Enter a time for every entry.')).toBeVisible();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type('0000');
  await expect(from).toHaveText('00:00');
  await page.keyboard.press('Tab');
  await until(page, ({ settings }) => settings.bandwidth, '08:00,2M 18:00,off Sat-00:00,off');
  await expect(page.getByRole('img', { name: /Saturday from 00:00/ })).toBeVisible();
  await page.getByRole('button', { name: 'Remove entry 3' }).click();
  await until(page, ({ settings }) => settings.bandwidth, '08:00,2M 18:00,off');
  await expect(page.getByRole('button', { name: 'Add a time' })).toBeFocused();
  // By keyboard only: from the day to the hours, digits, a step up.
  await page.getByLabel('Entry 1: day').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.type('0630');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await until(page, ({ settings }) => settings.bandwidth, '06:31,2M 18:00,off');

  await section(page, 'General');
  await page.getByText('Dark', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  for (const name of ['A job has ended', 'Start at login', 'Keep the computer awake']) {
    await page.getByRole('switch', { name }).click();
  }
  await until(
    page,
    ({ settings: { notifications, startAtLogin, keepAwake } }) => [
      notifications.jobs,
      startAtLogin,
      keepAwake,
    ],
    [false, true, false],
  );

  await section(page, 'Webhook');
  await expect(page.getByRole('button', { name: 'Test the webhook' })).toBeDisabled();
  await page.getByRole('switch', { name: 'Receive webhooks' }).click();
  const publicUrl = page.getByLabel('Address for the service');
  await publicUrl.fill('ftp://example.com');
  await publicUrl.blur();
  await expect(page.getByText('Begin with https://', { exact: false })).toBeVisible();
  await publicUrl.fill('');
  await publicUrl.blur();
  await page.getByRole('button', { name: 'Test the webhook' }).click();
  await expect(page.getByText(/^Webhooks are received at 127\.0\.0\.1, port \d+\.$/)).toBeVisible();
  await expect(
    page.getByText('The service is given no address, so it will not call.'),
  ).toBeVisible();
  await publicUrl.fill('https://hooks.example.com/sluice');
  await publicUrl.blur();
  await until(
    page,
    ({ settings }) => settings.webhook.publicUrl,
    'https://hooks.example.com/sluice',
  );
  await page.getByRole('button', { name: 'Test the webhook' }).click();
  await expect(
    page.getByText('Whether the service gets through from outside was not tried:'),
  ).toContainText('name https://hooks.example.com/sluice, and the first call shows it.');

  await section(page, 'Help and about');
  await expect(page.getByText(/^Sluice \d+\.\d+\.\d+ on /)).toBeVisible();
  await page.getByRole('button', { name: 'Open the data folder' }).click();
  await expect.poll(() => app.openedExternally()).not.toEqual([]);
  await page.getByRole('button', { name: 'Licences…' }).click();
  await expect(page.getByRole('dialog', { name: 'Licences' }).locator('pre')).toContainText('MIT');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Preview…' }).click();
  const bundle = page.getByRole('dialog', { name: 'Support bundle' });
  await expect(bundle.locator('pre')).toContainText('"version"');
  await expect(bundle.locator('pre')).not.toContainText(service.apiKey);
  await bundle.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByText('Support bundle copied')).toBeVisible();
});
