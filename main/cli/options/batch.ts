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
      about: 'list the archives (shards) of a batch with their states',
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
        'The same command again continues where it stopped. A file that you changed stays as it is; a fresh copy is put next to it.',
      options: {
        to: { value: 'DIR', about: 'folder that receives the files', required: true },
        ...PART,
        unpack: { about: 'unpack the archives' },
      },
      examples: ['sluice batch download cups-results --to results --unpack'],
    },
    receipt: {
      operands: 'ID|FILE…',
      about: 'show for each file of a batch how its upload was proved; needs no key',
      details:
        'Each file has the hash of what was sent, with its algorithm: BLAKE3 (b3:…), or the SHA-256 of what an earlier version sent. Its SHA-256 is computed from the file, if that is unchanged. With --merge, the operands are receipts that were printed with --csv or --json, such as those of machines that shared the work by --part. The merged receipt names every file once, and the exit code is then 3 unless everything in it is confirmed or skipped for a stated reason and, with --against, no file is missing.',
      options: {
        csv: { about: 'print CSV, with the SHA-256; not together with --json' },
        sha256: { about: 'show the SHA-256, too; --csv and --json always do' },
        merge: { about: 'put several receipts together: batch receipt --merge FILE…' },
        against: {
          value: 'DIR',
          about: 'with --merge: also check that every file below DIR is in the receipts',
          standard: 'no check',
        },
      },
      examples: [
        'sluice batch receipt cups --csv > cups.csv',
        'sluice batch receipt cups --sha256',
        'sluice batch receipt --merge part-*.csv --against /shared/pictures',
      ],
    },
  },
};
