/** Runs jobs: stages follow each other, their tasks advance on the clock, a finished stage leaves its output batch. */
import { outputBatchId, writeExport, writeProcessing } from './outputs.ts';
import type { Service } from './service.ts';
import type { Job, JobLog, JobStage, StoredObject } from './state.ts';
import { announceJob } from './webhooks.ts';

/** Jobs with a workflow of this name fail at the end of their first stage. */
const FAILING_WORKFLOW = 'always-fails';

/** Begins a paid run of the job. */
export function runJob(service: Service, job: Job): void {
  const { clock, settings } = service.state;
  job.runs += 1;
  job.isTerminal = false;
  job.error = false;
  job.currentStage = null;
  job.stages = [];
  note(service, job, null, 'info', 'Job queued.');
  const run = job.runs;
  clock.after(settings.queueMs, () => beginStage(service, job, run, 'processing'));
}

/** Aborts a run. */
export function abortJob(service: Service, job: Job): void {
  const at = service.state.clock.now();
  for (const stage of job.stages) {
    if (stage.statusType !== 'info') continue;
    for (const task of stage.tasks.filter((candidate) => candidate.statusType === 'info')) {
      task.statusType = 'error';
      task.notification = 'Aborted.';
      task.eventAt = at;
    }
    endStage(service, stage, 'error', 'Aborted.');
  }
  endJob(service, job, { error: true, type: 'job-aborted', message: 'The job was aborted.' });
}

/** False when the run was aborted or restarted meanwhile: its scheduled steps no longer apply. */
function isCurrent(job: Job, run: number): boolean {
  return job.runs === run && !job.isTerminal;
}

function beginStage(service: Service, job: Job, run: number, name: JobStage['name']): void {
  if (!isCurrent(job, run)) return;
  const { state } = service;
  const { clock, settings } = state;
  const at = clock.now();
  const inputs = inputsOf(service, job).length;
  const wanted = name === 'processing' ? settings.tasksPerStage : 1;
  const tasksNumber = Math.max(1, Math.min(wanted, inputs));
  const stage: JobStage = {
    stageId: state.newId('st-'),
    name,
    tasks: Array.from({ length: tasksNumber }, (_, index) => ({
      taskId: `t-${index}`,
      notification: 'Waiting for a machine.',
      statusType: 'info',
      progress: null,
      eventAt: at,
    })),
    outputBatches: [outputBatchId(job, name)],
    startedAt: at,
    notification: 'Stage started.',
    statusType: 'info',
    eventAt: at,
  };
  job.stages.push(stage);
  job.currentStage = name;
  job.updatedAt = at;
  note(service, job, stage, 'info', `Stage ${name} started.`);
  const tick = (number: number): void => {
    clock.after(settings.stageMs / settings.stageTicks, async () => {
      if (!isCurrent(job, run)) return;
      const fraction = number / settings.stageTicks;
      const fails = job.workflowId === FAILING_WORKFLOW && fraction >= 1;
      if (fails) return failStage(service, job, stage);
      advance(service, job, stage, fraction);
      if (fraction < 1) return tick(number + 1);
      await completeStage(service, job, run, stage);
    });
  };
  tick(1);
}

/** Tasks run one after the other: the stage's fraction spread over them. */
function advance(service: Service, job: Job, stage: JobStage, fraction: number): void {
  const at = service.state.clock.now();
  for (const [index, task] of stage.tasks.entries()) {
    const own = Math.max(0, Math.min(1, fraction * stage.tasks.length - index));
    if (own === 0 || task.statusType !== 'info') continue;
    task.progress = own;
    task.statusType = own >= 1 ? 'success' : 'info';
    task.notification = own >= 1 ? 'Done.' : 'Working.';
    task.eventAt = at;
  }
  stage.eventAt = at;
  job.updatedAt = at;
}

async function completeStage(
  service: Service,
  job: Job,
  run: number,
  stage: JobStage,
): Promise<void> {
  const inputs = inputsOf(service, job);
  if (stage.name === 'processing') await writeProcessing(service, job, inputs);
  else await writeExport(service, job, inputs);
  if (!isCurrent(job, run)) return;
  endStage(service, stage, 'success', 'Stage finished.');
  note(service, job, stage, 'info', `Stage ${stage.name} finished.`);
  if (stage.name === 'processing') return beginStage(service, job, run, 'export');
  endJob(service, job, {
    error: false,
    type: 'job-finished',
    message: 'Results are ready.',
    resultsBatches: [outputBatchId(job, 'export')],
  });
}

function failStage(service: Service, job: Job, stage: JobStage): void {
  for (const task of stage.tasks) {
    task.statusType = 'error';
    task.notification = 'The workflow failed.';
    task.eventAt = service.state.clock.now();
  }
  endStage(service, stage, 'error', 'Too many tasks failed.');
  note(service, job, stage, 'error', 'The workflow failed on every image.');
  endJob(service, job, { error: true, type: 'job-failed', message: 'The workflow failed.' });
}

function endStage(
  service: Service,
  stage: JobStage,
  statusType: 'success' | 'error',
  notification: string,
): void {
  stage.statusType = statusType;
  stage.notification = notification;
  stage.eventAt = service.state.clock.now();
}

function endJob(
  service: Service,
  job: Job,
  ending: { readonly error: boolean } & Readonly<Record<string, unknown>>,
): void {
  const { error, ...notification } = ending;
  job.error = error;
  job.isTerminal = true;
  job.lastNotification = notification;
  job.updatedAt = service.state.clock.now();
  announceJob(service, job);
}

/** What the job works on, in an order that does not depend on the upload. */
function inputsOf(service: Service, job: Job): readonly StoredObject[] {
  return service.state
    .objects(job.inputBatchId)
    .filter((object) => job.inputPart === null || object.partName === job.inputPart)
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.sha256, b.sha256));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function note(
  service: Service,
  job: Job,
  stage: JobStage | null,
  severity: JobLog['severity'],
  text: string,
): void {
  const createdAt = service.state.clock.now();
  job.logs.push({ createdAt, stageId: stage?.stageId ?? null, taskId: null, severity, text });
}
