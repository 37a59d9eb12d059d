import { expect, test } from 'vitest';
import type { JobView } from '../../../../main/engine/jobs/jobs.ts';
import { describeJob, describeProgress } from '../../../../main/cli/run/jobFollow.ts';

const STATUS: Omit<JobView['status'], 'state' | 'currentStage'> = {
  jobId: 'j',
  name: 'j',
  plannedStages: [],
  lastMessage: null,
  resultsBatches: [],
  createdAt: 1,
  updatedAt: 1,
  definition: {},
};

test.each([
  ['succeeded', null, '100 %'],
  ['succeeded', 0.9, '100 %'],
  ['failed', null, null],
  ['failed', 0.5, '50 %'],
  ['running', 0.5, '50 %'],
  ['running', null, 'waiting'],
] as const)('a task that %s with progress %s', (status, progressFraction, said) => {
  expect(describeProgress({ status, progressFraction })).toBe(said);
});

test.each([
  [0, 'Job j: export 0 %'],
  [1, 'Job j: export 0 % (0 of 1 task)'],
])('a stage with a stated number of %i tasks', (tasksNumber, said) => {
  const view: JobView = {
    unread: null,
    status: { ...STATUS, state: 'running', currentStage: 'export' },
    stages: [
      {
        stageId: 's',
        name: 'export',
        tasksNumber,
        outputBatches: [],
        startedAt: 1,
        status: 'running',
        message: '',
        eventAt: 1,
        tasks: [],
      },
    ],
  };
  expect(describeJob(view, 1)).toBe(said);
});

test('a job whose status is a word of the service alone is described with that word', () => {
  const view: JobView = {
    unread: null,
    stages: [],
    status: { ...STATUS, state: 'queued', currentStage: 'PAUSED' },
  };
  expect(describeJob(view, 1)).toBe('Job j: PAUSED');
  expect(describeJob(view, 3_600_000)).toContain('Job j: PAUSED — ');
});
