/** Lint rules of the house (CONTRIBUTING.md). Warnings count as errors; the import rules stand in test/architecture.test.ts. */
import { defineConfig } from 'oxlint';

export default defineConfig({
  // Components have their own linter: eslint.config.js.
  ignorePatterns: ['node_modules/', 'out/', 'dist/', 'test-results/', 'test/fixtures/', '*.svelte'],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  plugins: ['eslint', 'typescript'],
  jsPlugins: ['./build/lintRules.ts'],
  categories: { correctness: 'off' },
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    'typescript/ban-ts-comment': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
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
    // A promise left to itself can lose a file.
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      { allowDefaultCaseForExhaustiveSwitch: true, considerDefaultExhaustiveForUnions: false },
    ],
    'house/no-awaited-ready': 'error',
  },
  overrides: [
    {
      files: ['main/**/*.ts'],
      rules: {
        'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
        'house/no-blocking-calls': 'error',
      },
    },
    { files: ['main/engine/**/*.ts', 'main/app/**/*.ts'], rules: { 'no-console': 'error' } },
    { files: ['main/engine/**/*.ts'], rules: { 'house/time-from-ports': 'error' } },
    {
      // What implements a port.
      files: ['main/engine/files/**/*.ts', 'main/engine/service/http/**/*.ts'],
      rules: { 'house/time-from-ports': 'off' },
    },
    {
      // The ledger and the file threads block by design. The command line does one thing at a time, and what runs once at start
      // may block: no lane runs yet.
      files: [
        'main/engine/{store,files}/**/*.ts',
        'main/engine/{core/dataDirectory,core/privateFiles,host/openLedger}.ts',
        'main/cli/**/*.ts',
        'main/{logFile,nodePorts}.ts',
      ],
      rules: { 'house/no-blocking-calls': 'off' },
    },
    { files: ['test/**/*.ts'], rules: { 'house/every-test-runs': 'error' } },
    {
      // Tools that read a configuration file or a plugin demand a default export.
      files: ['**/*.config.{js,ts}', 'build/lintRules.ts'],
      rules: { 'no-restricted-exports': 'off' },
    },
  ],
});
