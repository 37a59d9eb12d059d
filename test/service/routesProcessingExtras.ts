/** Batch processing beyond the specification: list, abort, restart, logs. */
import type { FastifyInstance } from 'fastify';
import { instant, mount, page, type Answer, type Call } from './api.ts';
import { abortJob, runJob } from './processing.ts';
import { Refusal } from './refusal.ts';
import { existingJob, JOB_PATH, jobRecord } from './routesProcessing.ts';
import type { Service } from './service.ts';

/** Page size of the jobs list if the request names none: the one that the service's own client requests. */
const JOBS_PAGE = 10;

export function mountProcessingExtras(app: FastifyInstance, service: Service): void {
  const paged = ['pageSize', 'nextPageToken'];
  const extra = { isExtra: true } as const;
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: '/batch-processing/v1/external/:workspace/jobs',
    query: paged,
    run: list,
  });
  mount(app, service, { ...extra, method: 'POST', path: `${JOB_PATH}/abort`, run: abort });
  mount(app, service, { ...extra, method: 'POST', path: `${JOB_PATH}/restart`, run: restart });
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: `${JOB_PATH}/logs`,
    query: paged,
    run: logs,
  });
}

function list(call: Call): Answer {
  const found = [...call.service.state.jobs.values()].toReversed();
  const { items, nextPageToken } = page(call, found, JOBS_PAGE);
  return { body: { status: 'ok', nextPageToken, jobs: items.map(jobRecord) } };
}

function abort(call: Call): Answer {
  const job = existingJob(call);
  const wasAborted = job.lastNotification?.['type'] === 'job-aborted' && job.isTerminal;
  if (!wasAborted) {
    if (job.isTerminal || job.currentStage !== 'processing')
      throw new Refusal(409, 'Only a job in its processing stage can be aborted.');
    abortJob(call.service, job);
  }
  return { body: { status: 'ok', jobId: job.jobId } };
}

function restart(call: Call): Answer {
  const job = existingJob(call);
  if (!job.isTerminal || !job.error)
    throw new Refusal(409, 'Only a job that failed or was aborted can be restarted.');
  if (call.body !== undefined && call.body !== null)
    throw new Refusal(400, 'Restart: only as the job was.');
  job.updatedAt = call.service.state.clock.now();
  job.lastNotification = null;
  runJob(call.service, job);
  return { body: { status: 'ok', jobId: job.jobId } };
}

function logs(call: Call): Answer {
  const found = existingJob(call).logs;
  const { items, nextPageToken } = page(call, found, call.service.state.settings.pageSize);
  return {
    body: {
      status: 'ok',
      nextPageToken,
      logs: items.map((line) => ({
        createdAt: instant(line.createdAt),
        processingStageId: line.stageId,
        taskId: line.taskId,
        severity: line.severity,
        reportingModule: 'reference-service',
        logType: 'job-event',
        payload: { message: line.text },
      })),
    },
  };
}
