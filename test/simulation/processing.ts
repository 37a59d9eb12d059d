/** Jobs on the model service: how they start, what their status says, and what they leave behind. */
import { exportResults } from './jobResults.ts';
import { type Job, presentIn } from './serviceState.ts';
import {
  json,
  refusal,
  type Route,
  type RouteGround,
  type ServiceAnswer,
  serviceDate,
  type ServiceRequest,
} from './serviceWords.ts';

const JOB_ID = /^[a-z0-9_-]{1,20}$/;
const MOST_FORGOTTEN = 1;

/** The batch that a body names; null when it is not the body of a job. */
function batchIn(body: string): string | null {
  try {
    const value: unknown = JSON.parse(body);
    const input: unknown = Object.entries(value ?? {}).find(([name]) => name === 'jobInput')?.[1];
    const id: unknown = Object.entries(input ?? {}).find(([name]) => name === 'batchId')?.[1];
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

/** The routes of jobs. */
export function createProcessing({ state, character, dice }: RouteGround): Route {
  const { jobs: manner } = character;
  const at = (instant: number): string => serviceDate(character, instant);
  const isOver = (job: Job): boolean => job.endsAt <= state.now();
  const stageAt = (job: Job): number => Math.min(job.endsAt, job.startedAt + manner.queueMs);

  const isForgotten = (id: string): boolean => {
    const times = state.forgotten.get(`job ${id}`) ?? 0;
    if (times >= MOST_FORGOTTEN || !dice.chance(manner.forgets)) return false;
    state.forgotten.set(`job ${id}`, times + 1);
    return true;
  };

  const start = ({ body }: ServiceRequest, id: string): ServiceAnswer => {
    const text = body.toString('utf8');
    const known = state.jobs.get(id);
    if (known !== undefined && known.body === text) return json(200, { status: 'ok' });
    if (known !== undefined) {
      state.violations.push(`job ${id} was started again with another body`);
      return refusal(409, 'there is a job of this id');
    }
    const batchId = batchIn(text);
    if (batchId === null) return refusal(400, 'no batch');
    const batch = state.batches.get(batchId);
    if (batch === undefined) return refusal(404, 'no such batch');
    if (isForgotten(id)) return json(200, { status: 'ok' });
    const earlier = [...state.jobs.values()].find((job) => job.batch === batch);
    if (earlier !== undefined)
      state.violations.push(`batch ${batchId} is processed by ${earlier.id} and ${id}`);
    const now = state.now();
    const runMs = manner.queueMs + manner.runMs * (0.5 + 0.5 * dice.fraction());
    const job: Job = {
      id,
      batch,
      body: text,
      startedAt: now,
      endsAt: now + runMs,
      fails: dice.chance(manner.fails),
      inputs: presentIn(batch).filter(({ listedAt }) => listedAt <= now),
      results: [],
    };
    state.jobs.set(id, job);
    const results = dice.stream(`results ${id}`);
    if (!job.fails)
      state.later(runMs + manner.exportLateMs, () => exportResults(state, manner, job, results));
    return json(200, { status: 'ok' });
  };

  const status = (job: Job): ServiceAnswer => {
    const over = isOver(job);
    const resultsBatches = manner.namesResults && over && !job.fails ? [`${job.id}-export`] : [];
    const began = state.now() >= stageAt(job);
    return json(200, {
      status: 'ok',
      job: {
        jobId: job.id,
        name: job.id,
        jobDefinition: JSON.parse(job.body),
        currentStage: began && !over ? 'processing' : null,
        plannedStages: ['processing', 'export'],
        error: over && job.fails,
        isTerminal: over,
        lastNotification: { type: 'news', message: over ? 'ended' : 'at work', resultsBatches },
        createdAt: at(job.startedAt),
        lastUpdate: at(over ? job.endsAt : job.startedAt),
        restartParametersOverride: [],
      },
    });
  };

  const stages = (job: Job): ServiceAnswer => {
    const over = isOver(job);
    const stage = (name: string, outputs: readonly string[]): unknown => ({
      processingStageId: `${job.id}-${name}`,
      processingStageName: name,
      tasksNumber: 1,
      outputBatches: outputs,
      startTimestamp: at(stageAt(job)),
      notification: 'news',
      statusType: over ? (job.fails ? 'error' : 'success') : 'info',
      lastEventTimestamp: at(over ? job.endsAt : stageAt(job)),
    });
    const begun = state.now() >= stageAt(job) ? [stage('processing', [])] : [];
    const exported = over && !job.fails ? [stage('export', [`${job.id}-export`])] : [];
    return json(200, { status: 'ok', stages: [...exported, ...begun] });
  };

  const tasks = (job: Job): ServiceAnswer => {
    const over = isOver(job);
    const task = {
      taskId: 't-0',
      notification: 'news',
      statusType: over ? 'success' : 'info',
      progress: over ? 1 : null,
      eventTimestamp: at(over ? job.endsAt : stageAt(job)),
    };
    return json(200, { status: 'ok', nextPageToken: null, tasks: [task] });
  };

  return (request, [family, kind, id, what, , detail]) => {
    if (family !== 'batch-processing' || kind !== 'jobs' || id === undefined) return null;
    if (request.method === 'POST' && what === undefined)
      return JOB_ID.test(id) ? start(request, id) : refusal(400, 'no job id');
    if (request.method !== 'GET') return null;
    const job = state.jobs.get(id);
    if (job === undefined) return refusal(404, 'no such job');
    if (what === undefined) return status(job);
    if (what !== 'stages' || !manner.tellsStages) return refusal(404, 'not found');
    if (detail === undefined) return stages(job);
    return detail === 'tasks' ? tasks(job) : null;
  };
}
