/** The options that cli.md promises, listed independently of the program's own table. */

type Kind = 'text' | 'texts' | 'flag';
type Options = Readonly<Record<string, Kind>>;

function texts(...names: readonly string[]): Options {
  return Object.fromEntries(names.map((name) => [name, 'text'] as const));
}

function flags(...names: readonly string[]): Options {
  return Object.fromEntries(names.map((name) => [name, 'flag'] as const));
}

const JOB: Options = {
  ...texts('machine', 'workers', 'timeout', 'max-tasks', 'max-failure-rate', 'image-input'),
  ...texts('aggregation', 'max-fps', 'parameters'),
  ...flags('save-images'),
};

/** Options by command; those common to all under ''. */
export const EVERY_COMMAND: Readonly<Record<string, Options>> = {
  '': {
    ...texts('api-url', 'projects-url', 'api-key-file', 'workspace', 'data-dir'),
    ...flags('json', 'quiet', 'verbose'),
  },
  upload: { ...texts('batch', 'name', 'mode', 'job-type', 'part'), ...flags('no-links') },
  watch: {
    ...texts('batch', 'name', 'display-name', 'kinds', 'mode', 'per-batch', 'settle', 'seal-quiet'),
    ...texts('part', 'metrics'),
    ...texts('seal-items', 'seal-at', 'workflow', 'to', 'move-to'),
    include: 'texts',
    exclude: 'texts',
    ...flags('existing', 'new-only', 'links', 'no-links', 'unpack', 'once', 'poll', 'keep'),
    ...flags('no-unpack', 'no-save-images'),
    ...flags('forget'),
    ...JOB,
  },
  run: {
    ...texts('batch', 'name', 'mode', 'workflow', 'to'),
    ...flags('no-links', 'unpack'),
    ...JOB,
  },
  metrics: {},
  status: {},
  problems: texts('retry', 'ignore', 'delivered'),
  batch: { ...texts('part', 'to', 'against'), ...flags('unpack', 'csv', 'merge', 'sha256') },
  job: { ...texts('batch', 'workflow', 'type', 'definition', 'name', 'part'), ...JOB },
  folder: texts('parent', 'to'),
  project: { ...texts('from', 'until', 'sort'), ...flags('csv') },
  'annotation-job': texts('name', 'batch', 'images', 'labeler', 'reviewer'),
  why: texts('batch'),
  pause: texts('batch'),
  resume: texts('batch'),
  settings: texts('bandwidth', 'lanes', 'order', 'webhook', 'webhook-bind', 'webhook-url'),
  connections: {},
  service: {},
  doctor: {},
  completion: {},
};

/** Every option that any command takes. */
export const ALL_OPTIONS: Options = Object.assign({}, ...Object.values(EVERY_COMMAND));
