/** End-to-end tests: the built application on Electron, or on the Chromium host if Electron's binary is missing. */
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.e2e.ts',
  outputDir: '../../test-results',
  // Each test starts a whole application and spends half of its time waiting for it: three files in parallel fill two processors.
  workers: 3,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  // For a laptop under load; a passing test usually takes a twentieth of this.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
});
