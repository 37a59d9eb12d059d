/** `sluice job …`: starting, reading, following and controlling processing jobs. */
import type { Result } from '../../../preload/contract/errors.ts';
import type { ServiceClient } from '../../engine/runner/connect.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { errnoOf } from '../../engine/core/errno.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { jobIdFrom } from '../../engine/jobs/typedIds.ts';
import {
  commandJob,
  inputBatchOf,
  type JobCommand,
  type JobView,
  jobsOf,
  readJob,
  saveJob,
  stageFraction,
  startSavedJob,
  type StoredJob,
} from '../../engine/jobs/jobs.ts';
import { createPipeline } from '../../engine/runner/createPipeline.ts';
import {
  createTroubleReporter,
  describeJob,
  describeProgress,
  follow,
  jobToJson,
} from '../run/jobFollow.ts';
import { readJobRequest } from '../options/jobRequest.ts';
import { type ClientAccess, readOwn, withClient, withClientAndLedger } from '../session/client.ts';
import {
  type Action,
  type Actions,
  asking,
  type CommandContext,
  openClient,
  readFileAsync,
  whyUnreadable,
} from '../session/context.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { formatInstant, formatPercent, formatTable, withIsoTimes } from '../terminal/format.ts';

/** The definition in a file: an object that replaces the body the options would make. */
async function readDefinition(path: string): Promise<Result<Readonly<Record<string, unknown>>>> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(await readFileAsync(path)));
  } catch (error) {
    if (errnoOf(error) !== null)
      return usage(`the definition file cannot be read: ${whyUnreadable(error)}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return ok({ ...value });
  return usage('the definition file is not a JSON object');
}

type MakeBody = (client: ServiceClient, workspace: string) => Readonly<Record<string, unknown>>;

/** The body of the job: the definition in a file, or one made from the options. */
async function readBody(context: CommandContext): Promise<Result<MakeBody>> {
  const file = context.args.text('definition');
  if (file !== null) {
    const definition = await readDefinition(file);
    return definition.ok ? ok(() => definition.value) : definition;
  }
  const request = readJobRequest(context);
  if (!request.ok) return request;
  return ok((client, workspace) => client.jobBody(request.value, workspace));
}

const start: Action = async (context, [id = '']) => {
  const { args, output } = context;
  const jobId = id === 'auto' ? null : jobIdFrom(id);
  if (id !== 'auto' && jobId === null) return usage('the job id needs a letter or a digit');
  if (jobId !== null && jobId !== id) output.say(`The job id was changed to a valid one: ${jobId}`);
  const makeBody = await readBody(context);
  if (!makeBody.ok) return makeBody;
  return withClientAndLedger(context, async ({ store, connectionId, client, workspace }) => {
    const { signal } = context;
    const ports = await context.ports();
    const pipeline = createPipeline({ ports, store, client, connectionId, signal });
    const body = makeBody.value(client, workspace);
    const order = {
      jobId,
      name: args.text('name'),
      batchId: args.text('batch') ?? inputBatchOf(body) ?? '',
      body,
      downloadTo: null,
    };
    const saved = saveJob(pipeline, order);
    if (!saved.ok) return saved;
    const report = createTroubleReporter(context);
    const started = await startSavedJob(pipeline, saved.value, report, false);
    if (!started.ok) {
      if (started.error.code === 'service.notFound')
        output.say(
          `Job ${saved.value.jobId} is kept: a watch or the window starts it as soon as the service accepts it. To give it up: sluice job abort ${saved.value.jobId}`,
        );
      return started;
    }
    return output.result({ job: started.value.jobId, batch: order.batchId }, [started.value.jobId]);
  });
};

const list: Action = async (context) => {
  const connected = await openClient(context);
  if (!connected.ok) return connected;
  const listed = await connected.value.client.listJobs(context.signal);
  if (!listed.ok) return listed;
  if (listed.value === null)
    return readOwn(context, connected.value, (ledger) => listFromLedger(context, ledger));
  const known = new Set(listed.value.map(({ jobId }) => jobId));
  let unstarted: readonly StoredJob[] = [];
  const own = await readOwn(context, connected.value, (ledger) => {
    unstarted = (ledger === null ? [] : jobsOf(ledger.store, ledger.connectionId)).filter(
      ({ jobId, state }) => UNSTARTED.includes(state) && !known.has(jobId),
    );
    return ok(EXIT.done);
  });
  // The service's jobs are shown also without the ledger.
  if (!own.ok)
    context.output.say(`Jobs that have not started are not shown. ${explain(own.error).message}`);
  const kept = unstarted.map(({ jobId, name }) => {
    return { jobId, name, state: 'not started', currentStage: null, updatedAt: null };
  });
  const lines = formatTable([...kept, ...listed.value], NO_JOBS, [
    ['job', (job) => job.jobId],
    ['name', (job) => job.name],
    ['state', (job) => job.state],
    ['stage', (job) => job.currentStage],
    ['last news', (job) => formatInstant(job.updatedAt)],
  ]);
  const data = {
    source: 'service',
    jobs: listed.value.map(withIsoTimes),
    unstarted: unstarted.map(({ jobId, batchId, state }) => ({ jobId, batchId, state })),
  };
  return context.output.result(data, lines);
};

/** States of a job that the service has not accepted yet. */
const UNSTARTED: readonly StoredJob['state'][] = ['planned', 'starting', 'parked'];

const NO_JOBS = 'No jobs yet. Start one with: sluice job start auto --batch ID --workflow ID';

/** When the service lists no jobs: those that this ledger started. */
function listFromLedger(context: CommandContext, ledger: ClientAccess['ledger']): Result<number> {
  const jobs = ledger === null ? [] : jobsOf(ledger.store, ledger.connectionId);
  const shown = jobs.map(({ jobId, batchId, state }) => ({ jobId, batchId, state }));
  const lines = formatTable(shown, NO_JOBS, [
    ['job', (job) => job.jobId],
    ['batch', (job) => job.batchId],
    ['state', (job) => job.state],
  ]);
  return context.output.result({ source: 'ledger', jobs: shown }, lines);
}

function onJobView(work: (context: CommandContext, view: JobView) => Result<number>): Action {
  return asking(async (context, client, id) => {
    const view = await readJob(client, id, context.signal);
    if (!view.ok) return view;
    return view.value === null
      ? fail('service.notFound', { said: `job ${id}` })
      : work(context, view.value);
  });
}

const status = onJobView((context, view) => {
  return context.output.result(jobToJson(view), [describeJob(view, context.clock.now())]);
});

const stages = onJobView((context, view) => {
  if (view.unread !== null) return { ok: false, error: view.unread };
  const lines = formatTable(view.stages, null, [
    ['stage', (stage) => stage.stageId],
    ['name', (stage) => stage.name],
    ['state', (stage) => stage.status],
    ['done', (stage) => formatPercent(stageFraction(stage))],
    ['tasks', (stage) => stage.tasksNumber || null],
    ['last message', (stage) => stage.message],
  ]);
  const data = { job: view.status.jobId, stages: jobToJson(view)['stages'] };
  return context.output.result(data, lines);
});

const tasks = asking(async (context, client, id, stageId) => {
  // A stage can be given by its id or by its display name.
  const known = await client.jobStages(id, context.signal);
  const stage = known.ok
    ? known.value.find((one) => one.stageId === stageId || one.name === stageId)
    : undefined;
  const listed = await client.stageTasks(id, stage?.stageId ?? stageId, context.signal);
  // The tasks were asked for by a display name that may have been no id.
  if (!listed.ok) return known.ok ? listed : known;
  const lines = formatTable(listed.value, null, [
    ['task', (task) => task.taskId],
    ['state', (task) => task.status],
    ['done', describeProgress],
    ['last message', (task) => task.message],
  ]);
  const data = { job: id, stage: stageId, tasks: listed.value.map(withIsoTimes) };
  return context.output.result(data, lines);
});

const followOne = asking(async (context, client, id) => {
  const ended = await follow(context, client, id);
  if (!ended.ok && context.signal.aborted) {
    context.output.say(
      'Interrupted. The job continues at the service; the same command follows it again.',
    );
    return ok(EXIT.interrupted);
  }
  if (!ended.ok) return ended;
  context.output.result(jobToJson(ended.value), [describeJob(ended.value, context.clock.now())]);
  return ok(ended.value.status.state === 'succeeded' ? EXIT.done : EXIT.attention);
});

/** Extra commands that a service may not offer. */
function commanding(command: JobCommand): Action {
  return (context, [id = '']) =>
    withClient(context, 'if-exists', async ({ client, ledger }) => {
      const { clock, signal } = context;
      const done = await commandJob({ client, clock, signal, ledger }, id, command);
      if (!done.ok) return done;
      if (!done.value)
        return fail('service.notFound', { said: `this service does not offer ${command}` });
      const said =
        done.value === 'given up'
          ? `Job ${id} was never accepted by the service, and is not tried any more.`
          : `Asked the service to ${command} job ${id}.`;
      return context.output.result({ job: id, done: command }, [said]);
    });
}

export const job: Actions = {
  start,
  list,
  status,
  stages,
  tasks,
  follow: followOne,
  abort: commanding('abort'),
  restart: commanding('restart'),
};
