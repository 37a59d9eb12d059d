/** Batch processing: start a job, read it, its stages and tasks. */
import type { FastifyInstance } from 'fastify';
import { instant, mount, page, type Answer, type Call } from './api.ts';
import { existingBatch } from './batches.ts';
import { parseJob, sameJson, type JobDefinition } from './jobDefinition.ts';
import { runJob } from './processing.ts';
import { Refusal } from './refusal.ts';
import { violate, type Service } from './service.ts';
import { isIngesting } from './shards.ts';
import type { Batch, Job, JobStage } from './state.ts';

/** Path of everything about one job. */
export const JOB_PATH = '/batch-processing/v1/external/:workspace/jobs/:jobId';

/** Mounts start, status, stages and tasks. */
export function mountProcessing(app: FastifyInstance, service: Service): void {
  mount(app, service, { method: 'POST', path: JOB_PATH, query: ['name'], run: start });
  mount(app, service, {
    method: 'GET',
    path: JOB_PATH,
    run: (call) => ({ body: { status: 'ok', job: jobRecord(existingJob(call)) } }),
  });
  mount(app, service, { method: 'GET', path: `${JOB_PATH}/stages`, run: stages });
  mount(app, service, {
    method: 'GET',
    path: `${JOB_PATH}/stages/:stageId/tasks`,
    query: ['pageSize', 'nextPageToken'],
    run: tasks,
  });
}

/** The job that the path names; 400 for an illegal id, 404 for an unknown one. */
export function existingJob(call: Call): Job {
  const job = call.service.state.jobs.get(legalJobId(call));
  if (job === undefined) throw new Refusal(404, 'Job not found.');
  return job;
}

function legalJobId(call: Call): string {
  const jobId = call.param('jobId');
  if (!/^[a-z0-9_-]{1,20}$/.test(jobId))
    throw new Refusal(400, 'Job id must match ^[a-z0-9_-]+$ and have at most 20 characters.');
  return jobId;
}

function start(call: Call): Answer {
  const { service } = call;
  const jobId = legalJobId(call);
  const body = asRecord(call.body);
  const parsed = parseJob(body);
  if ('wrong' in parsed) throw new Refusal(400, `Job definition: ${parsed.wrong}`);
  const definition = parsed.value;
  if (definition.processingSpecification.workspace !== service.state.workspace)
    throw new Refusal(403, 'The workflow is in another workspace.');
  const known = service.state.jobs.get(jobId);
  if (known !== undefined) return repeated(known, body);
  const batch = inputBatch(call, definition);
  const job = makeJob(call, jobId, body, definition);
  service.state.jobs.set(jobId, job);
  batch.jobs.push(jobId);
  runJob(service, job);
  return { body: { status: 'ok' } };
}

function asRecord(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'The body must be a JSON object.');
  return Object.fromEntries(Object.entries(body));
}

function repeated(known: Job, body: Readonly<Record<string, unknown>>): Answer {
  if (!sameJson(known.definition, body))
    throw new Refusal(409, 'A job with this id and another definition exists.');
  return { body: { status: 'ok' } };
}

function inputBatch({ service, exchange }: Call, definition: JobDefinition): Batch {
  const { batchId, partName } = definition.jobInput;
  const batch = existingBatch(service, batchId);
  if (isIngesting(batch)) violate(service, exchange, 'job-while-ingesting', batchId);
  if (batch.objects.length === 0) throw new Refusal(400, 'The batch is empty.');
  const wanted = definition.type === 'simple-image-processing-v1' ? 'images' : 'videos';
  const hasPart = batch.parts.some((part) => part.partName === partName);
  if (partName !== undefined && !hasPart) throw new Refusal(404, 'The batch has no such part.');
  if (batch.type === 'multipart-batch') {
    if (!hasPart) throw new Refusal(400, 'A batch with parts needs the name of one of them.');
  } else if (batch.contentType !== wanted) {
    throw new Refusal(400, `The batch holds ${batch.contentType}, the job works on ${wanted}.`);
  }
  return batch;
}

function makeJob(
  call: Call,
  jobId: string,
  body: Readonly<Record<string, unknown>>,
  definition: JobDefinition,
): Job {
  const at = call.service.state.clock.now();
  return {
    jobId,
    name: call.query.get('name') ?? jobId,
    definition: body,
    kind: definition.type === 'simple-image-processing-v1' ? 'image' : 'video',
    inputBatchId: definition.jobInput.batchId,
    inputPart: definition.jobInput.partName ?? null,
    workflowId: definition.processingSpecification.workflowId,
    aggregationFormat: definition.processingSpecification.aggregationFormat ?? 'jsonl',
    notificationsUrl: definition.notificationsURL ?? null,
    createdAt: at,
    updatedAt: at,
    currentStage: null,
    error: false,
    isTerminal: false,
    lastNotification: null,
    stages: [],
    logs: [],
    runs: 0,
  };
}

/** A job as the service reports it. */
export function jobRecord(job: Job): Readonly<Record<string, unknown>> {
  return {
    jobId: job.jobId,
    name: job.name,
    jobDefinition: job.definition,
    currentStage: job.currentStage,
    plannedStages: ['processing', 'export'],
    error: job.error,
    isTerminal: job.isTerminal,
    lastNotification: job.lastNotification,
    createdAt: instant(job.createdAt),
    lastUpdate: instant(job.updatedAt),
    // A restart takes no parameters here.
    restartParametersOverride: [],
  };
}

function stages(call: Call): Answer {
  const record = (stage: JobStage): Readonly<Record<string, unknown>> => ({
    processingStageId: stage.stageId,
    processingStageName: stage.name,
    tasksNumber: stage.tasks.length,
    outputBatches: stage.outputBatches,
    startTimestamp: instant(stage.startedAt),
    notification: stage.notification,
    statusType: stage.statusType,
    lastEventTimestamp: instant(stage.eventAt),
  });
  // The order is not guaranteed: here the latest stage comes first, so that no client relies on the other order.
  const newestFirst = existingJob(call).stages.toReversed();
  return { body: { status: 'ok', stages: newestFirst.map(record) } };
}

function tasks(call: Call): Answer {
  const stage = existingJob(call).stages.find(
    (candidate) => candidate.stageId === call.param('stageId'),
  );
  if (stage === undefined) throw new Refusal(404, 'Stage not found.');
  const { items, nextPageToken } = page(call, stage.tasks, call.service.state.settings.pageSize);
  return {
    body: {
      status: 'ok',
      nextPageToken,
      tasks: items.map((task) => ({
        taskId: task.taskId,
        notification: task.notification,
        statusType: task.statusType,
        progress: task.progress,
        eventTimestamp: instant(task.eventAt),
      })),
    },
  };
}
