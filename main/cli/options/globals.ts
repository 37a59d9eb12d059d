import type { Options } from './types.ts';

export const GLOBAL_OPTIONS = {
  'api-url': {
    value: 'URL',
    about: 'address of the batch data pipeline',
    standard: 'https://api.roboflow.com',
    variable: 'SLUICE_API_URL',
  },
  'projects-url': {
    value: 'URL',
    about: 'address of project management',
    standard: 'the same as --api-url',
    variable: 'SLUICE_PROJECTS_URL',
  },
  'api-key-file': {
    value: 'FILE',
    about: 'file that holds the key',
    standard: 'the variable SLUICE_API_KEY, which holds the key itself',
  },
  workspace: {
    value: 'SLUG',
    about: 'workspace',
    standard: 'the workspace of the key',
    variable: 'SLUICE_WORKSPACE',
  },
  'data-dir': {
    value: 'DIR',
    about: 'folder of the ledger, settings and logs',
    standard: "the platform's application data folder",
    variable: 'SLUICE_DATA_DIR',
  },
  json: {
    about:
      'print one JSON event per line on standard output, and text for people on standard error',
  },
  quiet: { about: 'print only results and errors' },
  verbose: { about: 'print more' },
  help: { short: 'h', about: 'show the help of this command' },
  version: { short: 'V', about: 'show the version' },
} as const satisfies Options;
