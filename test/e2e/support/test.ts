/** The test function of the end-to-end tests: starts and ends applications, and keeps what explains a failure. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, type TestInfo } from '@playwright/test';
import { launchApp, type AppUnderTest, type LaunchOptions } from './appUnderTest.ts';
import { unexpected } from './trouble.ts';

/** How a test starts the application, and the trouble that it causes on purpose: all of it must happen, and nothing else. */
export interface TestLaunch extends LaunchOptions {
  readonly expects?: readonly RegExp[];
}

/** Recording what each page does takes a tenth of the whole run, so it is done on request. */
const IS_TRACED = process.env['SLUICE_TRACE'] === '1';

export interface AppFixtures {
  /** A directory that is removed after the test. */
  readonly scratch: string;
  /** Starts the application; if it still runs after the test it is closed, and must close cleanly. Trouble fails the test. */
  readonly launch: (options?: TestLaunch) => Promise<AppUnderTest>;
}

export const test = base.extend<AppFixtures>({
  scratch: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-e2e-'));
    await use(directory);
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  },
  launch: async ({ scratch }, use, info) => {
    const running: AppUnderTest[] = [];
    const started: { readonly app: AppUnderTest; readonly expects: readonly RegExp[] }[] = [];
    await use(async ({ expects = [], ...options } = {}) => {
      const app = await launchApp({ userDataDir: join(scratch, 'user-data'), ...options });
      running.push(app);
      started.push({ app, expects });
      if (IS_TRACED && options.waitForPage !== false)
        await app.page.context().tracing.start({ screenshots: true, snapshots: true });
      void app.exited.then(() => running.splice(running.indexOf(app), 1));
      return app;
    });
    const failed = info.status !== info.expectedStatus;
    for (const [at, app] of [...running].entries()) {
      if (failed) await keep(app, info, at);
      await app.close();
    }
    const trouble = started.flatMap(({ app, expects }) => unexpected(app.output(), expects));
    if (trouble.length > 0) throw new Error(`This went wrong unseen:\n${trouble.join('\n')}`);
  },
});

/** Keeps the log and a picture in test-results, and the trace if there is one. */
async function keep(app: AppUnderTest, info: TestInfo, at: number): Promise<void> {
  await writeFile(info.outputPath(`app-${at}.log`), app.output());
  try {
    await app.page.screenshot({ path: info.outputPath(`app-${at}.png`), timeout: 5000 });
    if (IS_TRACED)
      await app.page.context().tracing.stop({ path: info.outputPath(`app-${at}.zip`) });
  } catch {
    // There may be no page left to look at.
  }
}
