/** `sluice annotation-job …`: the labelling work of a project, and assigning more of it. */
import type { Result } from '../../../preload/contract/errors.ts';
import type { AnnotationJobRequest, ServiceClient } from '../../engine/runner/connect.ts';
import { ok } from '../../engine/core/errors.ts';
import { createAnnotationJobOnce } from '../../engine/projects/createOnce.ts';
import type { AnnotationJob, ImageBatch } from '../../engine/core/model.ts';
import { withProject } from '../session/client.ts';
import type { Action, Actions, CommandContext } from '../session/context.ts';
import { positiveNumber, usage } from '../terminal/args.ts';
import {
  type Column,
  count,
  formatInstant,
  formatPercent,
  withIsoTimes,
} from '../terminal/format.ts';
import { showList } from '../terminal/longList.ts';
import { oneByIdOrName } from '../terminal/oneOf.ts';

const COLUMNS: readonly Column<AnnotationJob>[] = [
  ['annotation job', (job) => job.annotationJobId],
  ['name', (job) => job.name],
  ['state', (job) => job.status],
  [
    'done',
    ({ images, annotated }) =>
      images === null || images === 0 || annotated === null
        ? null
        : formatPercent(Math.min(1, annotated / images)),
  ],
  [
    'annotated',
    ({ images, annotated }) =>
      images === null || annotated === null ? annotated : `${annotated} of ${images}`,
  ],
  ['approved', (job) => job.approved],
  ['rejected', (job) => job.rejected],
  ['labeler', (job) => job.labeler],
  ['reviewer', (job) => job.reviewer],
  ['created', (job) => formatInstant(job.createdAt)],
];

const list: Action = (context, [word = '']) =>
  withProject(context, 'if-exists', word, async (project, { client }) => {
    const jobs = await client.annotationJobs(project, context.signal);
    if (!jobs.ok) return jobs;
    const none = 'This project has no annotation jobs.';
    return showList(context.output, { project }, ['annotationJobs', jobs.value, none], COLUMNS);
  });

/** The options of `create`. */
interface AnnotationRequest extends Omit<AnnotationJobRequest, 'imageBatchId'> {
  /** The id or name of an image batch. */
  readonly imageBatch: string;
}

const EMAIL = /^[^\s@<>,;:"]+@[^\s@<>,;:"]+\.[^\s@<>,;:".]+$/;

function readAnnotationRequest({ args }: CommandContext): Result<AnnotationRequest> {
  const given = (name: string): string => args.needed(name).trim();
  for (const name of ['labeler', 'reviewer']) {
    if (!EMAIL.test(given(name))) return usage(`--${name} needs an e-mail address`);
  }
  const images = positiveNumber(given('images'), '--images');
  if (!images.ok) return images;
  return ok({
    name: given('name'),
    imageBatch: given('batch'),
    images: images.value,
    labelerEmail: given('labeler'),
    reviewerEmail: given('reviewer'),
  });
}

function showJob(
  context: CommandContext,
  job: AnnotationJob,
  requested: Pick<AnnotationJobRequest, 'images' | 'labelerEmail'>,
  created: boolean,
): Result<number> {
  const line = created
    ? `Annotation job ${job.annotationJobId}: ${count(job.images ?? requested.images, 'image')} for ${job.labeler ?? requested.labelerEmail}.`
    : `This annotation job exists already: ${job.annotationJobId}. To create another one, give another --name.`;
  return context.output.result({ annotationJob: withIsoTimes(job), created }, [line]);
}

async function createOne(
  context: CommandContext,
  client: ServiceClient,
  project: string,
  { imageBatch, ...wanted }: AnnotationRequest,
): Promise<Result<number>> {
  const { clock, signal } = context;
  const batches = await client.imageBatches(project, signal);
  if (!batches.ok) return batches;
  const idOf = (one: ImageBatch): string => one.imageBatchId;
  const batch = oneByIdOrName(batches.value, imageBatch, idOf, 'image batch');
  if (!batch.ok) return batch;
  const { imageBatchId, name, images } = batch.value;
  if (images !== null && wanted.images > images) {
    return usage(`the image batch ${name} holds ${count(images, 'image')}, fewer than --images`);
  }
  const request = { ...wanted, imageBatchId };
  const making = { client, clock, signal, onLost: context.output.say };
  const done = await createAnnotationJobOnce(making, project, request, batches.value);
  return done.ok ? showJob(context, done.value.made, wanted, done.value.created) : done;
}

const create: Action = async (context, [word = '']) => {
  const wanted = readAnnotationRequest(context);
  if (!wanted.ok) return wanted;
  return withProject(context, 'if-exists', word, (project, { client }) =>
    createOne(context, client, project, wanted.value),
  );
};

export const annotationJob: Actions = { list, create };
