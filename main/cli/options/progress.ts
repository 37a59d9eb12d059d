/** The commands that show progress: states, problems, one file, metrics for a monitoring system. */
import type { CommandSpec } from './types.ts';

const GROUP = 'See what happens';

const ID_OR_ALL = { value: 'ID|all' } as const;

export const status: CommandSpec = {
  group: GROUP,
  about: 'show per batch what is queued, sending, confirmed, skipped or needs attention',
  details: 'It also shows what waits, for what and since when, and results that expire soon.',
  examples: ['sluice status', 'sluice status --json'],
};

export const problems: CommandSpec = {
  group: GROUP,
  about: 'show what needs attention and why; retry it, ignore it, or count it as delivered',
  details: 'Without an option it lists the problems with their ids. Only one option at a time.',
  options: {
    retry: { ...ID_OR_ALL, about: 'send the file, or all files, again' },
    ignore: {
      value: 'ID|all|away',
      standard: 'none',
      about:
        'skip the file, or all files, until their content changes; away: those that wait for a drive that is not connected',
    },
    delivered: { ...ID_OR_ALL, about: 'count an upload that cannot be proved as delivered' },
  },
  examples: ['sluice problems', 'sluice problems --retry all'],
};

export const why: CommandSpec = {
  group: GROUP,
  operands: 'PATH',
  about: 'explain why a file is, or is not, uploaded; needs no key',
  options: { batch: { value: 'ID', about: 'look at one batch', standard: 'every batch' } },
  examples: ['sluice why pictures/0001.jpg'],
};

export const metrics: CommandSpec = {
  group: GROUP,
  about: 'print the state of the ledger as OpenMetrics text; needs no key',
  details:
    'For a monitoring system that runs a command. To let it ask over HTTP, start watch or watch run with --metrics PORT.',
  examples: ['sluice metrics > sluice.new && mv sluice.new sluice.prom'],
};
