/** The options of every command that starts a job, or that sets how a watch starts one. */
import type { Options } from './types.ts';

export const MACHINES = ['cpu', 'gpu'] as const;
export const AGGREGATIONS = ['csv', 'jsonl'] as const;
export const WORKERS = ['1', '2', '4', '8'] as const;
export const MEDIA_KINDS = ['image', 'video'] as const;

const BY_SERVICE = 'the service decides';

export const JOB_OPTIONS = {
  machine: {
    value: 'TYPE',
    about: 'machine that runs the job: cpu or gpu',
    choices: MACHINES,
    standard: BY_SERVICE,
  },
  workers: {
    value: 'N',
    about: 'workers on each machine: 1, 2, 4 or 8',
    choices: WORKERS,
    standard: BY_SERVICE,
  },
  timeout: { value: 'SECONDS', about: 'limit on the processing time', standard: BY_SERVICE },
  'max-tasks': { value: 'N', about: 'tasks that run at the same time', standard: BY_SERVICE },
  'max-failure-rate': {
    value: 'FRACTION',
    about: 'fraction of images that may fail, 0 to 1, such as 0.05; images only',
    standard: BY_SERVICE,
  },
  'image-input': {
    value: 'NAME',
    about: 'name of the image input of the workflow',
    standard: BY_SERVICE,
  },
  aggregation: {
    value: 'FORMAT',
    about: 'format of the collected results: csv or jsonl',
    choices: AGGREGATIONS,
    standard: BY_SERVICE,
  },
  'max-fps': {
    value: 'FPS',
    about: 'frames per second to process; videos only',
    standard: BY_SERVICE,
  },
  parameters: {
    value: 'JSON',
    about: 'parameters of the workflow as a JSON object, such as \'{"confidence":0.4}\'',
  },
  'save-images': { about: 'keep the images that the workflow draws' },
} as const satisfies Options;
