/** `sluice job …`: starting, reading, following and steering processing jobs. */
import { readFileSync } from 'node:fs';
import type { Result } from '../../../preload/contract/errors.ts';
import { openBeside } from '../../engine/queries/besideLedger.ts';
import { type Connection, connectionRow, type ServiceClient } from '../../engine/runner/connect.ts';
import { errorOf, fail, ok } from '../../engine/core/errors.ts';
import { jobIdFrom } from '../../engine/jobs/typedIds.ts';
import {
  type JobView,
  jobsOf,
  noteAbort,
  noteRestart,
  readJob,
  saveJob,
  stageFraction,
  startSavedJob,
} from '../../engine/jobs/jobs.ts';
import { createPipeline } from '../../engine/runner/createPipeline.ts';
import { openReader } from '../../engine/queries/reading.ts';
import {
  createTroubleReporter,
  describeJob,
  exitOfJob,
  follow,
  jobToJson,
} from '../run/jobFollow.ts';
import { readJobRequest } from '../run/jobRequest.ts';
import {
  type Action,
  type Actions,
  type CommandContext,
  openClient,
  resolveWorkspace,
} from '../session/context.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { formatInstant, formatPercent, formatTable } from '../terminal/format.ts';

/** The definition in a file: an object that replaces the body that options would make. */
function readDefinition(path: string): Result<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return ok({ ...value });
  } catch {
    // Refused below.
  }
  return usage('the definition file holds no JSON object');
}

const start: Action = async (context, [id]) => {
  const { args, output } = context;
  if (id === undefined) return usage('job start needs an ID (or auto)');
  const jobId = id === 'auto' ? null : jobIdFrom(id);
  if (id !== 'auto' && jobId === null) return usage('the job id needs a letter or a digit');
  if (jobId !== null && jobId !== id) output.say(`The job id is made legal: ${jobId}`);
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const workspace = await resolveWorkspace(context, connected.value.client);
  if (!workspace.ok) return workspace;
  const { client, connection } = connected.value;
  const request = readJobRequest(context);
  const file = args.text('definition');
  if (!request.ok && file === null) return request;
  const body =
    file === null
      ? request.ok
        ? ok(client.jobBody(request.value, workspace.value))
        : request
      : readDefinition(file);
  if (!body.ok) return body;
  const store = openBeside(context.dataDirectory);
  try {
    const connectionId = connectionRow(store, connection, workspace.value);
    const { signal } = context;
    const ports = await context.ports();
    const pipeline = createPipeline({ ports, store, client, connectionId, signal });
    const order = {
      jobId,
      name: args.text('name'),
      batchId: args.text('batch') ?? batchOf(body.value),
      body: body.value,
      downloadTo: null,
    };
    const saved = saveJob(pipeline, order);
    if (!saved.ok) return saved;
    const started = await startSavedJob(pipeline, saved.value, createTroubleReporter(context));
    if (!started.ok) return started;
    output.result({ job: started.value.jobId, batch: order.batchId }, [started.value.jobId]);
    return ok(EXIT.done);
  } catch (thrown) {
    return { ok: false, error: errorOf(thrown) };
  } finally {
    store.close();
  }
};

/** The input batch that a definition names; '' when it names none. */
function batchOf(body: Readonly<Record<string, unknown>>): string {
  const input = body['jobInput'];
  if (typeof input !== 'object' || input === null || !('batchId' in input)) return '';
  return typeof input.batchId === 'string' ? input.batchId : '';
}

const list: Action = async (context) => {
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const listed = await connected.value.client.listJobs(context.signal);
  if (!listed.ok) return listed;
  if (listed.value === null) return listFromLedger(context);
  const rows = listed.value.map((job) => [
    job.jobId,
    job.name,
    job.state,
    job.currentStage ?? '',
    formatInstant(job.updatedAt),
  ]);
  const jobs = listed.value.map((job) => ({
    ...job,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
  }));
  const heading = ['job', 'name', 'state', 'stage', 'last news'];
  context.output.result({ source: 'service', jobs }, formatTable([heading, ...rows]));
  return ok(EXIT.done);
};

/** A service that lists no jobs: those that this ledger started. */
async function listFromLedger(context: CommandContext): Promise<Result<number>> {
  const reader = openReader(context.dataDirectory);
  if (!reader.ok) return reader;
  const store = reader.value;
  const rows = store?.all('SELECT id FROM connections ORDER BY id') ?? [];
  const jobs = rows.flatMap((row) => (store === null ? [] : jobsOf(store, Number(row['id']))));
  store?.close();
  const shown = jobs.map(({ jobId, batchId, state }) => ({ jobId, batchId, state }));
  const table = shown.map((job) => [job.jobId, job.batchId, job.state]);
  const lines = formatTable([['job', 'batch', 'state'], ...table]);
  context.output.result({ source: 'ledger', jobs: shown }, lines);
  return ok(EXIT.done);
}

/** Reads a job for `status`, `stages` and `tasks`. */
async function read(context: CommandContext, id: string | undefined): Promise<Result<JobView>> {
  if (id === undefined) return usage('name the ID of a job');
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const view = await readJob(connected.value.client, id, context.signal);
  if (!view.ok) return view;
  return view.value === null ? fail('service.notFound', { job: id }) : ok(view.value);
}

const status: Action = async (context, [id]) => {
  const view = await read(context, id);
  if (!view.ok) return view;
  context.output.result(jobToJson(view.value), [describeJob(view.value, context.clock.now())]);
  return ok(EXIT.done);
};

const stages: Action = async (context, [id]) => {
  const view = await read(context, id);
  if (!view.ok) return view;
  const rows = view.value.stages.map(({ stage, tasks }) => [
    stage.stageId,
    stage.name,
    stage.status,
    formatPercent(stageFraction(stage, tasks)),
    String(stage.tasksNumber),
    stage.message,
  ]);
  const heading = ['stage', 'name', 'state', 'done', 'tasks', 'last message'];
  const data = { job: id, stages: jobToJson(view.value)['stages'] };
  context.output.result(data, formatTable([heading, ...rows]));
  return ok(EXIT.done);
};

const tasks: Action = async (context, [id, stageId]) => {
  if (id === undefined || stageId === undefined) return usage('job tasks needs ID and STAGE');
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const { client } = connected.value;
  // A stage is named by its id, or by its name as people know it.
  const known = await client.jobStages(id, context.signal);
  if (!known.ok) return known;
  const stage = known.value.find((one) => one.stageId === stageId || one.name === stageId);
  const listed = await client.stageTasks(id, stage?.stageId ?? stageId, context.signal);
  if (!listed.ok) return listed;
  const rows = listed.value.map((task) => [
    task.taskId,
    task.status,
    task.progressFraction === null ? 'waiting' : formatPercent(task.progressFraction),
    task.message,
  ]);
  const data = listed.value.map((task) => ({
    ...task,
    eventAt: new Date(task.eventAt).toISOString(),
  }));
  const heading = ['task', 'state', 'done', 'last message'];
  context.output.result({ job: id, stage: stageId, tasks: data }, formatTable([heading, ...rows]));
  return ok(EXIT.done);
};

const followOne: Action = async (context, [id]) => {
  if (id === undefined) return usage('name the ID of a job');
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const ended = await follow(context, connected.value.client, id);
  if (!ended.ok) return context.signal.aborted ? ok(EXIT.interrupted) : ended;
  context.output.result(jobToJson(ended.value), [describeJob(ended.value, context.clock.now())]);
  return exitOfJob(ended.value);
};

/** Notes in the ledger, if there is one, that a job was aborted or restarted. */
async function noteInLedger(
  context: CommandContext,
  { client, connection }: { client: ServiceClient; connection: Connection },
  jobId: string,
  what: 'abort' | 'restart',
  done: Result<boolean>,
): Promise<void> {
  const reader = openReader(context.dataDirectory);
  if (!reader.ok || reader.value === null) return;
  reader.value.close();
  const workspace = await resolveWorkspace(context, client);
  if (!workspace.ok) return;
  const store = openBeside(context.dataDirectory);
  try {
    const row = connectionRow(store, connection, workspace.value);
    const note = what === 'abort' ? noteAbort : noteRestart;
    note(store, row, jobId, { done, at: context.clock.now() });
  } finally {
    store.close();
  }
}

/** `abort` and `restart`: extras that a service may not offer. */
function steer(what: 'abort' | 'restart'): Action {
  return async (context, [id]) => {
    if (id === undefined) return usage('name the ID of a job');
    const connected = await openClient(context);
    if (!connected.ok) return connected;
    const { client } = connected.value;
    const done =
      what === 'abort'
        ? await client.abortJob(id, context.signal)
        : await client.restartJob(id, null, context.signal);
    await noteInLedger(context, connected.value, id, what, done);
    if (!done.ok) return done;
    if (!done.value) return fail('service.notFound', { said: `this service offers no ${what}` });
    context.output.result({ job: id, done: what }, [`Asked the service to ${what} job ${id}.`]);
    return ok(EXIT.done);
  };
}

/** The processing jobs. */
export const job: Actions = {
  start,
  list,
  status,
  stages,
  tasks,
  follow: followOne,
  abort: steer('abort'),
  restart: steer('restart'),
};
