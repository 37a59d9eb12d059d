/** Processing jobs on the service. */
import { ok, type Result } from '../../core/errors.ts';
import { processingPlace } from './address.ts';
import { isNotOffered, type Caller } from './caller.ts';
import { allPages } from './paging.ts';
import { acceptedAnswer } from '../schemas/staging.ts';
import {
  jobAnswer,
  jobsAnswer,
  logsAnswer,
  stagesAnswer,
  tasksAnswer,
} from '../schemas/processing.ts';
import type { JobStatus } from '../../core/model.ts';
import type { ServiceClient, JobRequest } from '../serviceClient.ts';
import { orWhenAbsent, orWhenNotOffered } from './staging.ts';

/** Jobs per page (the newer official client accepts 1 to 100). */
const JOBS_PAGE = '100';

/**
 * The complete body of a start-job request. Fields for the other kind of media are undefined, because the service refuses them; JSON leaves
 * out undefined fields, and options that are not set.
 */
function jobBody(request: JobRequest, workspace: string): Readonly<Record<string, unknown>> {
  const images = request.kind === 'image';
  return {
    type: images ? 'simple-image-processing-v1' : 'simple-video-processing-v1',
    jobInput: {
      type: 'staging-batch-input-v1',
      batchId: request.batchId,
      partName: request.partName,
    },
    computeConfiguration: {
      type: 'compute-configuration-v2',
      machineType: request.machineType,
      workersPerMachine: request.workersPerMachine,
    },
    processingTimeoutSeconds: request.processingTimeoutSeconds,
    maxParallelTasks: request.maxParallelTasks,
    maxImageFailureRate: images ? request.maxImageFailureRate : undefined,
    processingSpecification: {
      type: 'workflows-processing-specification-v1',
      workspace,
      workflowId: request.workflowId,
      workflowParameters: request.workflowParameters,
      imageInputName: request.imageInputName,
      persistImagesOutputs: request.persistImagesOutputs,
      aggregationFormat: request.aggregationFormat,
      maxVideoFPS: images ? undefined : request.maxVideoFps,
    },
    notificationsURL: request.notificationsUrl,
  };
}

/**
 * Changes a running job. These operations are extras: false when the service does not offer them. A job that the service does not know is
 * an error.
 */
async function control(
  caller: Caller,
  jobStatus: ServiceClient['jobStatus'],
  jobId: string,
  action: 'abort' | 'restart',
  signal: AbortSignal,
): Promise<Result<boolean>> {
  const place = processingPlace([jobId, action]);
  const change = { operation: `${action}Job`, requestClass: 'change', place } as const;
  const done = await caller.demand(change, signal);
  if (done.ok) return ok(true);
  if (!isNotOffered(done.error)) return done;
  if (done.error.code !== 'service.notFound') return ok(false);
  const known = await jobStatus(jobId, signal);
  return known.ok && known.value === null ? done : ok(false);
}

export function createJobs(caller: Caller) {
  const { read } = caller;
  const jobStatus: ServiceClient['jobStatus'] = async (jobId, signal) => {
    const status = await read('jobStatus', processingPlace([jobId]), jobAnswer, signal);
    return orWhenAbsent<JobStatus | null>(status, null);
  };
  return {
    jobBody,
    jobStatus,
    startJob: async (jobId, name, body, signal) => {
      const place = processingPlace([jobId], { name });
      const operation = 'startJob';
      const change = { operation, requestClass: operation, place, json: body } as const;
      const done = await caller.change(change, acceptedAnswer, signal);
      return done.ok ? ok(undefined) : done;
    },
    jobStages: (jobId, signal) =>
      read('jobStages', processingPlace([jobId, 'stages']), stagesAnswer, signal),
    stageTasks: (jobId, stageId, signal) =>
      allPages(
        (nextPageToken) => {
          const place = processingPlace([jobId, 'stages', stageId, 'tasks'], { nextPageToken });
          return read('stageTasks', place, tasksAnswer, signal);
        },
        ({ taskId }) => taskId,
      ),
    async listJobs(signal) {
      const list = await allPages(
        (nextPageToken) => {
          const place = processingPlace([], { pageSize: JOBS_PAGE, nextPageToken });
          return read('listJobs', place, jobsAnswer, signal);
        },
        (job) => job.jobId,
      );
      return orWhenNotOffered(list);
    },
    abortJob: (jobId, signal) => control(caller, jobStatus, jobId, 'abort', signal),
    restartJob: (jobId, signal) => control(caller, jobStatus, jobId, 'restart', signal),
    async jobLogs(jobId, signal) {
      const lines = await allPages(
        (nextPageToken) =>
          read('jobLogs', processingPlace([jobId, 'logs'], { nextPageToken }), logsAnswer, signal),
        (entry) => JSON.stringify(entry),
      );
      return orWhenNotOffered(lines);
    },
  } satisfies Partial<ServiceClient>;
}
