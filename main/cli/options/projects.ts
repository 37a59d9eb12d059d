import type { CommandSpec } from './types.ts';

const GROUP = 'Projects';
const SLUG = 'PROJECT is the slug of a project, alone or as workspace/slug.';

export const SORTS = ['name', 'count', 'created'] as const;

export const folder: CommandSpec = {
  group: GROUP,
  about: 'list and create project folders, and move projects into them',
  examples: ['sluice folder list'],
  subcommands: {
    list: { about: 'list the folders with their projects', examples: ['sluice folder list'] },
    create: {
      operands: 'NAME',
      forMore: 'quote a name with spaces',
      about: 'create a folder, unless there is one of this name',
      options: {
        parent: { value: 'ID', about: 'id or name of the folder above', standard: 'the top level' },
      },
      examples: ['sluice folder create "Line 4" --parent Quality'],
    },
    move: {
      operands: 'PROJECT…',
      about: 'move projects into a folder',
      details: SLUG,
      options: { to: { value: 'FOLDER', about: 'id or name of the folder', required: true } },
      examples: ['sluice folder move bottle-caps leaf-damage --to Quality'],
    },
  },
};

export const project: CommandSpec = {
  group: GROUP,
  about: 'list projects and their image batches, and show annotation insights',
  examples: ['sluice project insights bottle-caps --from 2026-03-01'],
  subcommands: {
    list: { about: 'list the projects of the workspace', examples: ['sluice project list'] },
    insights: {
      operands: 'PROJECT',
      about: 'show who labeled how much and how well; the answer is kept for trend',
      details: SLUG,
      options: {
        from: { value: 'DATE', about: 'first day, YYYY-MM-DD', standard: '29 days before --until' },
        until: { value: 'DATE', about: 'last day, YYYY-MM-DD', standard: 'today' },
        csv: { about: 'print CSV; not together with --json' },
      },
      examples: ['sluice project insights bottle-caps --from 2026-03-01 --csv'],
    },
    trend: {
      operands: 'PROJECT',
      about: 'show the insights that were kept, one line per day; needs no key',
      details: SLUG,
      examples: ['sluice project trend bottle-caps'],
    },
    batches: {
      operands: 'PROJECT',
      about: 'list image batches with their image count and creation date',
      details: SLUG,
      options: {
        sort: {
          value: 'BY',
          about: 'order: name, count (largest first) or created (newest first)',
          choices: SORTS,
          standard: 'as the service lists them',
        },
      },
      examples: ['sluice project batches bottle-caps --sort created'],
    },
  },
};

export const annotationJob: CommandSpec = {
  group: GROUP,
  about: 'list and create annotation jobs',
  examples: ['sluice annotation-job list bottle-caps'],
  subcommands: {
    list: {
      operands: 'PROJECT',
      about: 'list the annotation jobs of a project with their progress',
      details: SLUG,
      examples: ['sluice annotation-job list bottle-caps'],
    },
    create: {
      operands: 'PROJECT',
      about: 'give images of an image batch to a labeler, unless the same job exists',
      details: SLUG,
      options: {
        name: { value: 'NAME', about: 'name of the job', required: true },
        batch: { value: 'BATCH', about: 'id or name of the image batch', required: true },
        images: { value: 'N', about: 'number of images', required: true },
        labeler: { value: 'EMAIL', about: 'e-mail address of the labeler', required: true },
        reviewer: { value: 'EMAIL', about: 'e-mail address of the reviewer', required: true },
      },
      examples: [
        'sluice annotation-job create bottle-caps --name night --batch "Line 4" --images 200 --labeler ann@example.com --reviewer bob@example.com',
      ],
    },
  },
};
