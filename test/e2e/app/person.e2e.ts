/** As a person works: by what is written on the window, from the first start to a confirmed upload; and a look at every view. */
import { mkdir } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { connected, test, until, value, watch, writeImages } from './appSteps.ts';

const VIEWS = ['Uploads', 'Batches', 'Jobs', 'Projects', 'Problems', 'Settings'] as const;
const PICTURES = 'test-results/views';

test('a first run, by what stands on the window: connect, pick a folder, choose, confirmed', async ({
  launch,
  scratch,
  service,
}) => {
  const directory = await writeImages(scratch, 'cups', 5);
  const app = await launch();
  const { page } = app;
  await page.getByLabel('Address', { exact: true }).fill(service.url);
  await page.getByLabel('Key', { exact: true }).fill('not-the-key');
  await expect(
    page.getByText('The service refused the key', { exact: false }).first(),
  ).toBeVisible();
  await page.getByLabel('Key', { exact: true }).fill(service.apiKey);
  await expect(page.getByText(`Workspace ${service.workspace}`)).toBeVisible();
  await page.getByRole('button', { name: 'Connect' }).click();
  await app.answerNextDialog({ filePaths: [directory] });
  await page.getByRole('button', { name: /folder/i }).click();
  await expect(page.getByText('5 files', { exact: false }).first()).toBeVisible();
  await page.locator('form').getByRole('button').last().click();
  await expect(page.getByRole('heading', { name: 'Uploads', level: 1 })).toBeVisible();
  await expect(page.getByText('All 5 files confirmed', { exact: false })).toBeVisible({
    timeout: 40_000,
  });
  expect(service.state.doubles()).toEqual([]);
  await page.getByRole('link', { name: 'Batches' }).click();
  await expect(page.getByText('5 confirmed', { exact: false }).first()).toBeVisible();
});

for (const theme of ['light', 'dark'] as const) {
  test(`every view is reachable by its link and accessible, ${theme}`, async ({
    launch,
    scratch,
    service,
  }) => {
    const directory = await writeImages(scratch, 'line-3', 8);
    const app = await launch({ env: connected(service) });
    const { page } = app;
    await until(page, ({ connections }) => connections.map(({ state }) => state), ['ready']);
    const { settings } = await value(page, 'snapshot.get', {});
    await value(page, 'settings.save', { ...settings, theme });
    await watch(app, directory, { batch: 'line-3' });
    await until(page, ({ line }) => line.counts.confirmed, 8);
    await mkdir(PICTURES, { recursive: true });
    for (const view of VIEWS) {
      await page.getByRole('link', { name: view }).click();
      await expect(page.getByRole('heading', { name: view, level: 1 })).toBeVisible();
      await page.screenshot({ path: `${PICTURES}/${view.toLowerCase()}-${theme}.png` });
      // The other mode opens a page of its own, which the application refuses.
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
      const grave = violations.filter(
        ({ impact }) => impact === 'serious' || impact === 'critical',
      );
      expect(grave.map(({ id, nodes }) => [view, id, nodes[0]?.html])).toEqual([]);
    }
  });
}
