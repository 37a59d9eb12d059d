/** `--part` as a person writes it, and as schedulers set it. */
import { expect, test } from 'vitest';
import { readPart } from '../../../../main/cli/options/part.ts';

test.each([
  ['0/8', {}, { index: 0, of: 8 }],
  ['7/8', {}, { index: 7, of: 8 }],
  ['auto/4', { JOB_COMPLETION_INDEX: '3' }, { index: 3, of: 4 }],
  ['auto', { SLURM_ARRAY_TASK_ID: '2', SLURM_ARRAY_TASK_COUNT: '5' }, { index: 2, of: 5 }],
  [
    'auto',
    { SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_MIN: '1', SLURM_ARRAY_TASK_COUNT: '3' },
    { index: 2, of: 3 },
  ],
  [
    'auto',
    {
      SLURM_ARRAY_TASK_ID: '20',
      SLURM_ARRAY_TASK_MIN: '0',
      SLURM_ARRAY_TASK_STEP: '10',
      SLURM_ARRAY_TASK_COUNT: '3',
    },
    { index: 2, of: 3 },
  ],
] as const)('%s in %o', (text, environment, part) => {
  expect(readPart(text, environment)).toEqual({ ok: true, value: part });
});

test.each([
  ['8/8', {}, 'count from 0'],
  ['1', {}, 'I/N'],
  ['-1/8', {}, 'I/N'],
  ['0/0', {}, 'count from 0'],
  ['0/200000', {}, 'at most 100000 parts'],
  ['auto', {}, 'SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX'],
  ['auto', { JOB_COMPLETION_INDEX: '0' }, 'auto/N'],
  ['auto/2', { JOB_COMPLETION_INDEX: '2' }, 'count from 0'],
  ['auto/2', { JOB_COMPLETION_INDEX: 'x' }, 'SLURM_ARRAY_TASK_ID'],
] as const)('%s in %o is refused', (text, environment, words) => {
  const read = readPart(text, environment);
  expect(read.ok).toBe(false);
  if (!read.ok) expect(JSON.stringify(read.error)).toContain(words);
});
