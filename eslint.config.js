/** Lint rules for components, which Oxlint cannot read; everything else is in oxlint.config.ts. Warnings count as errors. */
import svelte from 'eslint-plugin-svelte';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const files = ['renderer/**/*.svelte', 'renderer/**/*.svelte.ts'];

export default defineConfig(
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...svelte.configs.recommended.map((config) => ({ ...config, files })),
  {
    files,
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      eqeqeq: ['error', 'always'],
      'no-debugger': 'error',
      'no-eval': 'error',
      'no-var': 'error',
      // Lists are replaced whole and never watched from inside.
      'svelte/prefer-svelte-reactivity': 'off',
      'svelte/no-useless-mustaches': 'off',
      'svelte/no-unused-svelte-ignore': 'off',
      'svelte/require-each-key': 'error',
      'svelte/no-at-html-tags': 'error',
    },
  },
);
