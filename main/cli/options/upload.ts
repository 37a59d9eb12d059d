import { JOB_OPTIONS, MEDIA_KINDS } from './jobOptions.ts';
import type { CommandSpec, Options } from './types.ts';

export const MODES = ['auto', 'single', 'bulk'] as const;

export const MODE_OPTION = {
  mode: {
    value: 'MODE',
    about: 'send images one by one (single), in archives (bulk), or choose (auto)',
    choices: MODES,
    standard: 'auto',
  },
} as const satisfies Options;

const BATCH = {
  value: 'ID',
  about: 'batch that receives the files',
  required: true,
} as const;

/** The share that one of several machines sends. */
export const PART_OPTION = {
  part: {
    value: 'I/N',
    about:
      'send only part I of N, counted from 0, when N machines share the files; auto or auto/N takes I from a Slurm array or a Kubernetes Indexed Job',
    standard: 'all files',
  },
} as const satisfies Options;

const NO_LINKS = { about: 'skip symbolic links' } as const;

export const upload: CommandSpec = {
  group: 'Send files',
  operands: 'PATH…',
  about: 'send files and directories to a batch, and wait until the service confirms them',
  details:
    'Directories are read with everything below them. Images go to the batch; videos go to the same batch when there are no images, else to ID-videos. The same command again continues where it stopped.',
  options: {
    batch: BATCH,
    name: { value: 'TEXT', about: 'display name of the batch', standard: 'the batch id' },
    ...MODE_OPTION,
    'job-type': {
      value: 'TYPE',
      about: 'kind of file that goes to ID when there are both: image or video',
      choices: MEDIA_KINDS,
      standard: 'image',
    },
    'no-links': NO_LINKS,
    ...PART_OPTION,
  },
  examples: [
    'sluice upload pictures --batch cups',
    'sluice upload a.jpg clips --batch line-4 --json',
    'sluice upload /shared/pictures --batch cups --part 0/8',
  ],
};

export const run: CommandSpec = {
  group: 'Send files',
  operands: 'DIR',
  about: 'upload a directory, start a job over it, follow the job, and download its outputs',
  options: {
    batch: BATCH,
    workflow: { value: 'WF', about: 'workflow that processes the batch', required: true },
    to: { value: 'DIR', about: 'folder that receives the outputs', required: true },
    unpack: { about: 'unpack the archives among the outputs' },
    name: {
      value: 'TEXT',
      about: 'display name of the batch and the job',
      standard: 'the batch id',
    },
    ...MODE_OPTION,
    'no-links': NO_LINKS,
    ...JOB_OPTIONS,
  },
  examples: ['sluice run pictures --batch cups --workflow count-cups --to results'],
};
