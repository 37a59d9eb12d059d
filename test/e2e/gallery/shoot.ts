/**
 * Pictures of the window: `node test/e2e/gallery/shoot.ts [--view=uploads,jobs] [--scenario=busy,long] [--theme=light] [--size=900x600]`
 * into test-results/gallery/. A view may name an id: --view=batches/cam-1. --click="Watch a folder…,Key=abcd" presses or fills in first; DRAG=image/png+image/png holds files over the window; --axe says what a screen reader would miss, with one element each; --out=DIR names the folder.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright';
import { VIEWS } from '../../../renderer/state/route.ts';
import { findChromium } from '../../../build/findChromium.ts';
import { accessibilityFaults } from '../support/accessibility.ts';
import { NOW, SCENARIOS } from './scenario.ts';
import { openGallery } from './site.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RESULTS = join(ROOT, 'test-results');

function words(name: string, standard: readonly string[]): readonly string[] {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`));
  return given === undefined ? standard : given.slice(name.length + 3).split(',');
}

/** Drags files of these media types over the window without dropping them. */
async function holdOver(page: Page, types: readonly string[]): Promise<void> {
  await page.evaluate((held) => {
    const dataTransfer = new DataTransfer();
    held.forEach((type, at) => dataTransfer.items.add(new File(['x'], `held-${at}`, { type })));
    document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer, bubbles: true }));
  }, types);
}

async function take(
  page: Page,
  url: string,
  file: string,
  clicks: readonly string[],
): Promise<void> {
  const said: string[] = [];
  const hear = (text: string): void => void said.push(text);
  page.removeAllListeners('pageerror').removeAllListeners('console');
  page.on('pageerror', (error) => hear(error.message));
  page.on(
    'console',
    (message) =>
      message.type() === 'error' && !message.text().includes('404') && hear(message.text()),
  );
  await page.goto('about:blank');
  await page.goto(url);
  await page
    .locator('h1, h2')
    .first()
    .waitFor({ timeout: 8000 })
    .catch(() => hear('no title'));
  for (const step of clicks) {
    const [name = '', value] = step.split('=', 2);
    if (name === 'DRAG') {
      await holdOver(page, (value ?? '').split('+'));
      continue;
    }
    const label = page.getByLabel(name, { exact: true });
    const button = page.getByRole('button', { name, exact: true });
    const named = page.getByText(name, { exact: true }).or(label);
    const target = value !== undefined ? label : (await button.count()) > 0 ? button : named;
    const done =
      value === undefined
        ? target.first().click({ timeout: 3000 })
        : target.first().fill(value, { timeout: 3000 });
    await done.catch((error: unknown) => hear(String(error)));
  }
  await page.waitForLoadState('networkidle');
  if (process.argv.includes('--axe')) {
    const faults = await accessibilityFaults(page);
    for (const { rule, html } of faults) hear(`axe ${rule}: ${html.slice(0, 120)}`);
  }
  await page.screenshot({ path: file, animations: 'disabled' });
  process.stdout.write(
    `${file.slice(ROOT.length + 1)}${said.map((one) => `\n  ${one}`).join('')}\n`,
  );
}

await mkdir(RESULTS, { recursive: true });
const out = join(RESULTS, words('out', ['gallery'])[0] ?? 'gallery');
await mkdir(out, { recursive: true });
const gallery = await openGallery(words('view', VIEWS));
const found = await findChromium('windows');
const browser = await chromium.launch({
  ...(found === null ? {} : { executablePath: found }),
  args: ['--no-sandbox'],
});
try {
  for (const size of words('size', ['900x600', '1440x900'])) {
    const [width = 900, height = 600] = size.split('x').map(Number);
    const context = await browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    await page.clock.setFixedTime(NOW);
    for (const theme of words('theme', ['light', 'dark'])) {
      for (const view of words('view', VIEWS)) {
        for (const scenario of words('scenario', SCENARIOS)) {
          const name = `${view.replace(/[^a-z0-9-]/gi, '_')}-${scenario}-${theme}-${size}.png`;
          const url = `${gallery.url}gallery.html?scenario=${scenario}&theme=${theme}#/${view}`;
          await take(page, url, join(out, name), words('click', []));
        }
      }
    }
    await context.close();
  }
} finally {
  await browser.close();
  await gallery.close();
}
