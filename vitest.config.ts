/** The test stages that run in Vitest; the end-to-end tests run in Playwright (test/e2e). */
import { availableParallelism } from 'node:os';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more, and are small, so that Vitest would start them last and then wait for them. */
const LONGEST = /everyStep|characters/;

/** Starts what takes longest first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = (file: TestSpecification): boolean => LONGEST.test(file.moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    // Processes rather than threads: tests start threads of their own and change what belongs to a whole process.
    pool: 'forks',
    // Vitest leaves one processor free by itself; of two that would be half.
    maxWorkers: Math.max(2, availableParallelism()),
    environment: 'node',
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    passWithNoTests: false,
    // As long as a test may take: what is waited for comes late on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture.test.ts'],
          exclude: ['test/unit/renderer/**'],
          // Files share nothing but their imports; loading these again for each takes up to a second of processor time.
          isolate: false,
          // Generous, because a busy machine must not fail a test that says nothing about time.
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        plugins: [svelte({ configFile: false })],
        // Runes need Svelte's browser build.
        resolve: { conditions: ['browser'] },
        test: { name: 'renderer', include: ['test/unit/renderer/**/*.test.ts'], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/service/**/*.test.ts'],
          isolate: false,
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        // Takes a minute: not part of `npm test`.
        test: {
          name: 'machines',
          include: ['test/machines/**/*.test.ts'],
          globalSetup: 'test/integration/buildPrograms.ts',
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          isolate: false,
          include: ['test/integration/**/*.test.ts'],
          globalSetup: 'test/integration/buildPrograms.ts',
          // Packages for Linux are made on Linux, with its own tools.
          exclude: process.platform === 'linux' ? [] : ['test/integration/packages.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
