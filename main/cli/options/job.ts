import { JOB_OPTIONS, MEDIA_KINDS } from './jobOptions.ts';
import type { CommandSpec } from './types.ts';

export const job: CommandSpec = {
  group: 'Batches and jobs',
  about: 'start, follow and control processing jobs',
  examples: ['sluice job start auto --batch cups --workflow count-cups', 'sluice job list'],
  subcommands: {
    start: {
      operands: 'ID|auto',
      about: 'start a job over a batch; auto makes an id',
      details:
        'The same command again does not start a second job. With --definition the file is the whole request, and only --batch and --name are used in addition.',
      options: {
        batch: { value: 'ID', about: 'batch to process', required: true, unless: 'definition' },
        workflow: {
          value: 'WF',
          about: 'workflow that processes the batch',
          required: true,
          unless: 'definition',
        },
        type: {
          value: 'TYPE',
          about: 'what the batch holds: image or video',
          choices: MEDIA_KINDS,
          standard: 'image',
        },
        definition: {
          value: 'FILE',
          about: 'file with the body of the request as JSON',
          standard: 'made from the other options',
        },
        name: { value: 'TEXT', about: 'name of the job' },
        part: { value: 'NAME', about: 'part of the batch to process', standard: 'the whole batch' },
        ...JOB_OPTIONS,
      },
      examples: [
        'sluice job start auto --batch cups --workflow count-cups',
        'sluice job start cups-1 --batch clips --workflow track --type video --max-fps 5',
      ],
    },
    list: { about: 'list the jobs of the workspace', examples: ['sluice job list'] },
    status: {
      operands: 'ID',
      about: 'show where a job is',
      examples: ['sluice job status cups-1'],
    },
    stages: {
      operands: 'ID',
      about: 'list the stages of a job',
      examples: ['sluice job stages cups-1'],
    },
    tasks: {
      operands: 'ID STAGE',
      about: 'list the tasks of a stage; STAGE is its id or name',
      examples: ['sluice job tasks cups-1 processing'],
    },
    follow: {
      operands: 'ID',
      about: 'show the progress of a job until it ends',
      examples: ['sluice job follow cups-1'],
    },
    abort: {
      operands: 'ID',
      about: 'ask the service to abort a job',
      details:
        'A job that the service never accepted, for example over a mistyped batch, is given up: it is not tried any more, and its id is free.',
      examples: ['sluice job abort cups-1'],
    },
    restart: {
      operands: 'ID',
      about: 'ask the service to restart a job',
      examples: ['sluice job restart cups-1'],
    },
  },
};
