import { JOB_OPTIONS } from './jobOptions.ts';
import type { CommandSpec, Options } from './types.ts';
import { MODE_OPTION, PART_OPTION } from './upload.ts';

export const KINDS = ['images', 'videos', 'both'] as const;

const RULE_OPTIONS = {
  batch: {
    value: 'ID_OR_TEMPLATE',
    about: 'batch that receives the files, or a template of {watch} {host} {date} {folder} {n}',
    required: true,
  },
  name: { value: 'TEXT', about: 'name of the watch', standard: 'the name of the directory' },
  'display-name': {
    value: 'TEXT',
    about: 'display name of the batches; may be a template',
    standard: 'the batch id',
  },
  include: {
    value: 'GLOB',
    many: true,
    about: 'upload only files that match; may be repeated',
    standard: 'everything',
  },
  exclude: {
    value: 'GLOB',
    many: true,
    about: 'skip files that match; may be repeated',
    standard: 'nothing',
  },
  existing: { about: 'upload files that are there already', standard: 'on' },
  'new-only': { about: 'upload only files that arrive from now on' },
  kinds: {
    value: 'KINDS',
    about: 'upload images, videos or both',
    choices: KINDS,
    standard: 'both',
  },
  ...MODE_OPTION,
  'per-batch': {
    value: 'N',
    about: 'files in each batch, for a template with {n}',
    standard: 'no limit',
  },
  links: { about: 'follow symbolic links', standard: 'on' },
  'no-links': { about: 'skip symbolic links' },
  ...PART_OPTION,
  settle: {
    value: 'SECONDS',
    about: 'how long a file must be unchanged before it is sent, 1 to 300',
    standard: 'the setting of the application, initially 5',
  },
  'seal-quiet': {
    value: 'MINUTES',
    about: 'close a batch when nothing arrived for this long',
  },
  'seal-items': {
    value: 'N',
    about: 'close a batch when it holds this many files',
  },
  'seal-at': {
    value: 'HH:MM',
    about: 'close a batch every day at this time',
  },
  workflow: {
    value: 'WF',
    about: 'start a job with this workflow when a batch is closed and confirmed',
  },
  ...JOB_OPTIONS,
  to: { value: 'DIR', about: 'download the outputs of the job to this folder' },
  unpack: { about: 'unpack the archives among the outputs' },
  'move-to': {
    value: 'DIR',
    about:
      'move files here once the service confirmed them and their batch is closed (by --seal-quiet, --seal-items, --seal-at, --per-batch or {date}); with --workflow, once the job succeeded, and with --to, once its outputs are here',
    standard: 'files stay where they are',
  },
} as const satisfies Options;

const RUN_OPTIONS = {
  metrics: {
    value: 'PORT',
    about:
      'serve OpenMetrics text at http://127.0.0.1:PORT/metrics; ADDRESS:PORT listens at another address of this computer',
    standard: 'off',
  },
  once: { about: 'stop when everything found is confirmed or needs attention' },
  poll: {
    about: 'list the directory regularly instead of waiting for the system to report changes',
  },
} as const satisfies Options;

/** The options of a rule as changes to an existing one. */
function asChanges(options: Options): Options {
  return Object.fromEntries(
    Object.entries(options).map(([name, { required: _, ...option }]) => [
      name,
      { ...option, standard: 'unchanged' },
    ]),
  );
}

const ID = 'The id is the one that sluice watch list shows. No key is needed.';

export const watch: CommandSpec = {
  group: 'Send files',
  operands: 'DIR',
  forMore: 'for several: watch add, then watch run',
  about: 'keep a directory uploaded, until it is interrupted',
  details:
    'A file is sent once it has been unchanged for the settle time, plus 1 to 4 seconds for the check; one that is overwritten more often is not sent until it rests. The same command again continues where it stopped. To keep several directories uploaded, use watch add and watch run.',
  options: { ...RULE_OPTIONS, ...RUN_OPTIONS },
  examples: [
    'sluice watch /data/camera --batch "line-4-{date}"',
    'sluice watch /data/camera --batch line-4 --once --include "**/*.jpg"',
  ],
  family: 'keep several directories uploaded, each with a saved rule',
  subcommands: {
    add: {
      operands: 'DIR',
      about: 'add a watch; watch run and the application run it',
      options: RULE_OPTIONS,
      examples: ['sluice watch add /data/camera --batch "line-4-{date}" --seal-at 18:00'],
    },
    list: {
      about: 'list the watches, with what they uploaded',
      examples: ['sluice watch list'],
    },
    edit: {
      operands: 'ID',
      about: 'change the rule of a watch',
      details: `Only the options that are given change; the value none removes a setting. ${ID}`,
      options: asChanges({
        ...RULE_OPTIONS,
        'no-unpack': { about: 'leave the archives packed' },
        'no-save-images': { about: 'do not keep the images that the workflow draws' },
      }),
      examples: ['sluice watch edit 2 --exclude "tmp/**" --workflow none --to none'],
    },
    remove: {
      operands: 'ID',
      about: 'remove a watch; your files are not touched',
      details: `One of the two options is required. ${ID}`,
      options: {
        keep: { about: 'send what is queued' },
        forget: { about: 'do not send what is queued' },
      },
      examples: ['sluice watch remove 2 --keep'],
    },
    preview: {
      operands: 'DIR|ID',
      about: 'show what a rule would upload, and to which batches; needs no key',
      options: {
        ...RULE_OPTIONS,
        batch: {
          value: 'ID_OR_TEMPLATE',
          about: RULE_OPTIONS.batch.about,
          standard: '{watch}-{host}-{date}',
        },
      },
      examples: ['sluice watch preview /data/camera --batch "line-4-{date}" --kinds images'],
    },
    pause: {
      operands: 'ID',
      about: 'pause a watch',
      details: ID,
      examples: ['sluice watch pause 2'],
    },
    resume: {
      operands: 'ID',
      about: 'resume a paused watch',
      details: ID,
      examples: ['sluice watch resume 2'],
    },
    run: {
      about: 'run every watch that is not paused, until it is interrupted',
      details:
        'Changes to watches take effect at once while it runs: add, edit, pause, resume and remove in another terminal. While there is none, or all are paused, it waits for one. With --once it runs the watches that it started with.',
      options: RUN_OPTIONS,
      examples: ['sluice watch run', 'sluice watch run --once --json'],
    },
    'undo-moves': {
      operands: 'ID|DIR',
      about: 'move the files of a watch with --move-to back to where they were',
      details: `For sluice watch DIR, which is in no list, name the directory. A watch that was removed counts, too. Ends with 3 if a file could not be moved back. ${ID}`,
      examples: ['sluice watch undo-moves 2', 'sluice watch undo-moves /data/camera'],
    },
  },
};
