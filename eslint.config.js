/** Lint rules of the house (CONTRIBUTING.md). Warnings count as errors; the import rules stand in test/architecture.test.ts. */
import svelte from 'eslint-plugin-svelte';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What implements a port (main/engine/core/ports.ts), and so may touch the real clock and real randomness. */
const PORT_MODULES = ['main/engine/files/**/*.ts', 'main/engine/service/http/**/*.ts'];

const CLOCK_RULES = [
  {
    selector:
      "CallExpression[callee.object.name='Date'][callee.property.name='now'], NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take the time from the Clock port.',
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Take randomness from the Random port.',
  },
  {
    selector:
      "CallExpression[callee.name=/^(setTimeout|setInterval)$/], CallExpression[callee.object.name='performance'][callee.property.name='now'], ImportDeclaration[source.value='node:timers/promises']",
    message: 'Take time from the Clock port.',
  },
];
const SYNC_RULES = [
  {
    selector: 'CallExpression[callee.name=/Sync$/], CallExpression[callee.property.name=/Sync$/]',
    message: 'Blocking calls stop every lane and the window; use the promise version.',
  },
];
const READY_RULES = [
  {
    selector: "Program > * > AwaitExpression[argument.callee.property.name='whenReady']",
    message: 'A top-level await of app.whenReady() never returns in Electron; use .then().',
  },
];
const TEST_RULES = [
  {
    selector:
      'CallExpression > MemberExpression.callee[object.name=/^(it|test|describe)$/][property.name=/^(only|skip|todo|fixme|fails)$/]',
    message: 'Every test runs, every time.',
  },
];

/** Rules that need types. */
const typedRules = {
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { allowDefaultCaseForExhaustiveSwitch: true, considerDefaultExhaustiveForUnions: false },
  ],
};

const plainRules = {
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-non-null-assertion': 'error',
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
  '@typescript-eslint/no-unused-vars': [
    'error',
    { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
  ],
  '@typescript-eslint/ban-ts-comment': 'error',
  'no-restricted-exports': [
    'error',
    {
      restrictDefaultExports: {
        direct: true,
        named: true,
        defaultFrom: true,
        namedFrom: true,
        namespaceFrom: true,
      },
    },
  ],
  eqeqeq: ['error', 'always'],
  'no-constant-condition': ['error', { checkLoops: false }],
  'no-debugger': 'error',
  'no-eval': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'no-restricted-syntax': ['error', ...READY_RULES],
};

const typedLanguage = {
  parser: tseslint.parser,
  parserOptions: {
    projectService: true,
    tsconfigRootDir: import.meta.dirname,
    extraFileExtensions: ['.svelte'],
  },
};

/** A set of files and the `no-restricted-syntax` list they obey: a later entry replaces an earlier one whole. */
function syntax(files, ...lists) {
  return { files, rules: { 'no-restricted-syntax': ['error', ...lists.flat()] } };
}

export default defineConfig(
  { ignores: ['node_modules/', 'out/', 'dist/', 'test-results/', 'test/fixtures/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: plainRules,
  },
  {
    // Where a promise left to itself could lose a file. Types cost a minute on the rest and would find little there.
    files: ['main/**/*.ts', 'preload/**/*.ts'],
    languageOptions: typedLanguage,
    rules: typedRules,
  },
  ...svelte.configs.recommended.map((config) => ({
    ...config,
    files: ['renderer/**/*.svelte', 'renderer/**/*.svelte.ts'],
  })),
  {
    files: ['renderer/**/*.svelte', 'renderer/**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      ...plainRules,
      'prefer-const': 'off',
      // A component's bindings may be used in its markup only, which this rule cannot see.
      '@typescript-eslint/consistent-type-imports': 'off',
      // Lists are replaced whole and never watched from inside.
      'svelte/prefer-svelte-reactivity': 'off',
      'svelte/no-useless-mustaches': 'off',
      'svelte/no-unused-svelte-ignore': 'off',
      'svelte/require-each-key': 'error',
      'svelte/no-at-html-tags': 'error',
    },
  },
  {
    files: ['main/**/*.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['main/engine/**/*.ts', 'main/app/**/*.ts'], rules: { 'no-console': 'error' } },
  syntax(['main/**/*.ts'], READY_RULES, SYNC_RULES),
  syntax(['main/engine/**/*.ts'], READY_RULES, SYNC_RULES, CLOCK_RULES),
  syntax(PORT_MODULES, READY_RULES, SYNC_RULES),
  syntax(['main/engine/store/**/*.ts'], READY_RULES, CLOCK_RULES),
  syntax(['main/engine/files/**/*.ts'], READY_RULES),
  // The command line does one thing at a time, and what runs once at start may block: no lane runs yet.
  syntax(['main/cli/**/*.ts', 'main/logFile.ts', 'main/nodePorts.ts'], READY_RULES),
  syntax(
    ['main/engine/{core/dataDirectory,core/privateFiles,host/openLedger}.ts'],
    READY_RULES,
    CLOCK_RULES,
  ),
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...READY_RULES, ...TEST_RULES],
    },
  },
  {
    // Tools that read a configuration file demand a default export.
    files: ['*.config.ts', 'build/vite.*.config.ts', 'test/**/*.config.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
