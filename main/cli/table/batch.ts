/** `sluice batch …`. */
import type { CommandSpec, Options } from './types.ts';

const PART = {
  part: { value: 'NAME', about: 'one part of the batch', standard: 'all parts' },
} as const satisfies Options;

export const batch: CommandSpec = {
  group: 'Batches and jobs',
  about: 'show what the service holds of a batch, download its outputs, prove its uploads',
  examples: ['sluice batch list', 'sluice batch download cups-results --to results'],
  subcommands: {
    list: {
      about: 'list the batches of the workspace',
      details:
        'From a service that does not list its batches you get those that this ledger knows.',
      examples: ['sluice batch list'],
    },
    count: {
      operands: 'ID',
      about: 'count the files that the service has in a batch',
      options: PART,
      examples: ['sluice batch count cups'],
    },
    shards: {
      operands: 'ID',
      about: 'list the shards of a batch with their states',
      examples: ['sluice batch shards cups'],
    },
    parts: {
      operands: 'ID',
      about: 'list the parts of a batch',
      examples: ['sluice batch parts cups-results'],
    },
    files: {
      operands: 'ID',
      about: 'list the files of a batch',
      options: PART,
      examples: ['sluice batch files cups-results --part images'],
    },
    download: {
      operands: 'ID',
      about: 'download every file of every part, and check each',
      details:
        'The same command again continues where it stopped. A file that you changed stays as it is; a fresh copy is put beside it.',
      options: {
        to: { value: 'DIR', about: 'folder that receives the files', required: true },
        ...PART,
        unpack: { about: 'unpack the archives' },
      },
      examples: ['sluice batch download cups-results --to results --unpack'],
    },
    receipt: {
      operands: 'ID',
      about: 'show for each file of a batch how its upload was proved; needs no key',
      options: { csv: { about: 'print CSV; not together with --json' } },
      examples: ['sluice batch receipt cups --csv > cups.csv'],
    },
  },
};
