/** End-to-end tests: the built application on Electron, or on the Chromium host where its binary is not. */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.e2e.ts',
  outputDir: '../../test-results',
  // Each test starts a whole application and waits for it half of its time: two files side by side fill two processors.
  workers: 2,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  // A laptop under load; a test that passes takes a tenth of it.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
});
