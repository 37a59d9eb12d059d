/** Batch processing beyond the specification: list, abort, restart, logs. */
import type { FastifyInstance } from 'fastify';
import { instant, mount, page, type Answer, type Call } from './api.ts';
import { parseRestart } from './jobDefinition.ts';
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
    query: [...paged, 'search'],
    run: list,
  });
  mount(app, service, { ...extra, method: 'POST', path: `${JOB_PATH}/abort`, run: abort });
  mount(app, service, { ...extra, method: 'POST', path: `${JOB_PATH}/restart`, run: restart });
  mount(app, service, {
    ...extra,
    method: 'GET',
    path: `${JOB_PATH}/logs`,
    query: [...paged, 'severity'],
    run: logs,
  });
}

function list(call: Call): Answer {
  const wanted = call.query.get('search') ?? '';
  if (wanted.length > 160) throw new Refusal(400, 'search has at most 160 characters.');
  const found = [...call.service.state.jobs.values()]
    .toReversed()
    .filter((job) => job.jobId.includes(wanted) || job.name.includes(wanted));
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
  if (call.body !== undefined && call.body !== null) {
    const parsed = parseRestart(call.body);
    if ('wrong' in parsed) throw new Refusal(400, `Restart: ${parsed.wrong}`);
    job.restarts.push(parsed.value);
  }
  job.updatedAt = call.service.state.clock.now();
  job.lastNotification = null;
  runJob(call.service, job);
  return { body: { status: 'ok', jobId: job.jobId } };
}

function logs(call: Call): Answer {
  const severity = call.query.get('severity');
  if (severity !== null && !['info', 'warning', 'error'].includes(severity))
    throw new Refusal(400, 'severity is info, warning or error.');
  const found = existingJob(call).logs.filter(
    (line) => severity === null || line.severity === severity,
  );
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
