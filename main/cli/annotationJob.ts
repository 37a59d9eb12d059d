/** `sluice annotation-job …`: the labelling work of a project, and giving out more of it. */
import type { Result } from '../../preload/contract/errors.ts';
import type { ServiceClient } from '../engine/runner/connect.ts';
import { ok } from '../engine/core/errors.ts';
import { createAnnotationJobOnce } from '../engine/projects/createOnce.ts';
import type { AnnotationJob } from '../engine/core/model.ts';
import { usage, wholeNumber } from './args.ts';
import { withClient } from './beside.ts';
import type { Command, CommandContext } from './context.ts';
import { EXIT } from './exitCode.ts';
import { count, formatInstant, formatPercent, formatTable } from './format.ts';
import { choiceOf, oneByIdOrName, projectFrom } from './oneOf.ts';

type Act = (context: CommandContext) => Promise<Result<number>>;

function jobToJson(job: AnnotationJob): Readonly<Record<string, unknown>> {
  const { createdAt } = job;
  return { ...job, createdAt: createdAt === null ? null : new Date(createdAt).toISOString() };
}

function jobRow(job: AnnotationJob): readonly string[] {
  return [
    job.annotationJobId,
    job.name,
    job.status,
    job.images === 0 ? '' : formatPercent(Math.min(1, job.annotated / job.images)),
    `${job.annotated} of ${job.images}`,
    String(job.approved),
    String(job.rejected),
    job.labeler ?? '',
    job.reviewer ?? '',
    job.createdAt === null ? '' : formatInstant(job.createdAt),
  ];
}

const COLUMNS = [
  'annotation job',
  'name',
  'state',
  'done',
  'annotated',
  'approved',
  'rejected',
  'labeler',
  'reviewer',
  'created',
];

const list: Act = async (context) => {
  const early = projectFrom(context.args.words[1], null);
  if (!early.ok) return early;
  return withClient(context, 'if-there', async ({ client, workspace }) => {
    const project = projectFrom(context.args.words[1], workspace);
    if (!project.ok) return project;
    const jobs = await client.annotationJobs(project.value, context.signal);
    if (!jobs.ok) return jobs;
    const lines =
      jobs.value.length === 0
        ? ['This project has no annotation jobs.']
        : formatTable([COLUMNS, ...jobs.value.map(jobRow)]);
    const data = { project: project.value, annotationJobs: jobs.value.map(jobToJson) };
    context.output.result(data, lines);
    return ok(EXIT.done);
  });
};

/** What was asked for, checked as far as that needs nobody's answer. */
interface Wish {
  readonly name: string;
  /** Id or name of an image batch. */
  readonly imageBatch: string;
  readonly images: number;
  readonly labelerEmail: string;
  readonly reviewerEmail: string;
}

const EMAIL = /^[^\s@<>,;:"]+@[^\s@<>,;:"]+\.[^\s@<>,;:".]+$/;

function readWish(context: CommandContext): Result<Wish> {
  const { args } = context;
  const given = (name: string): string => args.text(name)?.trim() ?? '';
  const missing = ['name', 'batch', 'images', 'labeler', 'reviewer'].filter(
    (name) => given(name) === '',
  );
  if (missing.length > 0) {
    return usage(`missing: ${missing.map((name) => `--${name}`).join(', ')}`);
  }
  for (const name of ['labeler', 'reviewer']) {
    if (!EMAIL.test(given(name))) return usage(`--${name} needs an e-mail address`);
  }
  const images = wholeNumber(given('images'), '--images', 1);
  if (!images.ok) return images;
  return ok({
    name: given('name'),
    imageBatch: given('batch'),
    images: images.value,
    labelerEmail: given('labeler'),
    reviewerEmail: given('reviewer'),
  });
}

function tellJob(context: CommandContext, job: AnnotationJob, created: boolean): Result<number> {
  const said = created
    ? `Annotation job ${job.annotationJobId}: ${count(job.images, 'image')} for ${job.labeler ?? 'its labeler'}.`
    : `There is such an annotation job already: ${job.annotationJobId}. Give another --name for a further one.`;
  context.output.result({ annotationJob: jobToJson(job), created }, [said]);
  return ok(EXIT.done);
}

async function createOne(
  context: CommandContext,
  client: ServiceClient,
  project: string,
  wish: Wish,
): Promise<Result<number>> {
  const { signal } = context;
  const batches = await client.imageBatches(project, signal);
  if (!batches.ok) return batches;
  const batch = oneByIdOrName(
    batches.value,
    wish.imageBatch,
    (one) => one.imageBatchId,
    'image batch',
  );
  if (!batch.ok) return batch;
  const { imageBatchId, name, images } = batch.value;
  if (wish.images > images) {
    return usage(`the image batch ${name} holds ${count(images, 'image')}, fewer than --images`);
  }
  const { labelerEmail, reviewerEmail } = wish;
  const request = {
    name: wish.name,
    imageBatchId,
    images: wish.images,
    labelerEmail,
    reviewerEmail,
  };
  const { clock } = context.ports();
  const making = { client, clock, signal, onLost: (said: string) => context.output.say(said) };
  const done = await createAnnotationJobOnce(making, project, request, batches.value);
  return done.ok ? tellJob(context, done.value.made, done.value.created) : done;
}

const create: Act = async (context) => {
  const early = projectFrom(context.args.words[1], null);
  if (!early.ok) return early;
  const wish = readWish(context);
  if (!wish.ok) return wish;
  return withClient(context, 'if-there', async ({ client, workspace }) => {
    const project = projectFrom(context.args.words[1], workspace);
    if (!project.ok) return project;
    return createOne(context, client, project.value, wish.value);
  });
};

const ACTS: Readonly<Record<string, Act>> = { list, create };

export const annotationJob: Command = {
  usage:
    'sluice annotation-job list PROJECT · create PROJECT --name N --batch B --images N --labeler EMAIL --reviewer EMAIL',
  about: 'labelling work of a project: how far it is, and giving out images of an image batch',
  options: { name: 'text', batch: 'text', images: 'text', labeler: 'text', reviewer: 'text' },
  run: async (context) => {
    const act = choiceOf(ACTS, context.args.words[0]);
    return act === undefined ? usage('annotation-job list or create') : act(context);
  },
};
