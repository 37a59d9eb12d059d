/** Starting, following and ending jobs: what one answer proves, and what needs more. */
import { describe, expect, it } from 'vitest';
import type { ErrorCode, Result } from '../../../../../preload/contract/errors.ts';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import {
  commandJob,
  type JobCommand,
  type JobCommandEnd,
  saveJob,
} from '../../../../../main/engine/jobs/jobs.ts';
import type { JobStatus, Stage, Task } from '../../../../../main/engine/core/model.ts';
import {
  followJob,
  type JobView,
  readJob,
  stageFraction,
} from '../../../../../main/engine/pipeline/process/follow.ts';
import {
  noteJobStatus,
  startAgain,
  startJob,
} from '../../../../../main/engine/pipeline/process/process.ts';
import type { Clock } from '../../../../../main/engine/core/ports.ts';
import { jobByRow, moveJob, type StoredJob } from '../../../../../main/engine/store/tables/jobs.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, type PipelineParts } from '../../../../helpers/testPipeline.ts';

function status(state: JobStatus['state'], lastMessage: string | null = null): JobStatus {
  const none = { currentStage: null, plannedStages: [], resultsBatches: [], definition: {} };
  return { jobId: 'j1', name: 'j1', state, lastMessage, createdAt: 0, updatedAt: 0, ...none };
}

/** A clock on which every sleep ends at once, with its time passed. */
function hastyClock(): Clock {
  let now = 1_000_000;
  return {
    now: () => now,
    monotonicMs: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
}

type Answer = Result<JobStatus | null>;

/** Follows a job whose status is answered as given; the last answer repeats. */
async function follow(...answers: readonly Answer[]) {
  const clock = hastyClock();
  let asked = 0;
  const pipeline = createTestPipeline(createTestLedger(), {
    client: {
      jobStatus: () => {
        asked += 1;
        return Promise.resolve(
          answers[Math.min(asked, answers.length) - 1] ?? fail('bug.unexpected'),
        );
      },
      jobStages: () => Promise.resolve(fail('service.notFound')),
    },
  });
  const began = clock.now();
  const following = followJob(pipeline.client, clock, 'j1', pipeline.signal);
  for (let troubles = 0; ; troubles += 1) {
    const next = await following.next();
    if (next.done === true) {
      return { end: next.value, asked, troubles, tookMs: clock.now() - began };
    }
  }
}

describe('following a job', () => {
  it('believes only the second answer that there is none', async () => {
    const gone = await follow(ok(null));
    expect(gone.end).toMatchObject({
      ok: false,
      error: { code: 'service.notFound', context: { said: 'job j1' } },
    });
    expect(gone.asked).toBe(2);
    const back = await follow(ok(null), ok(status('running')), ok(null), ok(status('succeeded')));
    expect(back.end).toMatchObject({ ok: true });
  });

  it('believes of a job that it knew only what is said for half a minute', async () => {
    const outage: Answer[] = Array.from({ length: 5 }, () => ok(null));
    const back = await follow(ok(status('running')), ...outage, ok(status('succeeded')));
    expect(back.end).toMatchObject({ ok: true });
    const gone = await follow(ok(status('running')), ok(null));
    expect(gone.end).toMatchObject({ ok: false, error: { code: 'service.notFound' } });
    expect(gone.tookMs).toBeGreaterThanOrEqual(30_000);
  });

  it('asks less often for a job that only moves on within its stage', async () => {
    const moving: Answer[] = Array.from({ length: 100 }, (_, at) => ok(status('running', `${at}`)));
    const { asked, tookMs } = await follow(...moving, ok(status('succeeded')));
    expect(asked).toBe(101);
    expect(tookMs / asked).toBeGreaterThan(2500);
    expect(tookMs / asked).toBeLessThan(5000);
  });

  it('ends with its status even where its stages cannot be read', async () => {
    expect((await follow(ok(status('succeeded')))).end).toMatchObject({
      value: { stages: [] },
    });
  });

  it.each(['service.refused', 'network.intercepted', 'service.quota'] as const)(
    'goes on after %s, and gives up after ten minutes of it',
    async (code) => {
      const short: Answer[] = Array.from({ length: 20 }, () => fail(code));
      expect((await follow(...short, ok(status('succeeded')))).end).toMatchObject({ ok: true });
      const { end, tookMs } = await follow(fail(code));
      expect(end).toMatchObject({ ok: false, error: { code } });
      expect(tookMs).toBeGreaterThanOrEqual(10 * 60_000);
    },
  );

  it('believes at once that a key is refused that never worked', async () => {
    const { end, asked } = await follow(fail('auth.rejected'));
    expect(end).toMatchObject({ error: { code: 'auth.rejected' } });
    expect(asked).toBe(1);
  });

  it('believes after half a minute that a key is refused that worked', async () => {
    const { end, asked, tookMs } = await follow(ok(status('running')), fail('auth.rejected'));
    expect(end).toMatchObject({ error: { code: 'auth.rejected' } });
    expect(tookMs).toBeGreaterThanOrEqual(30_000);
    expect(tookMs).toBeLessThan(60_000);
    expect(asked).toBeGreaterThan(3);
  });
});

describe('the stages and tasks of a job', () => {
  const stage: Stage = {
    stageId: 's1',
    name: 'processing',
    tasksNumber: 2,
    outputBatches: ['left'],
    startedAt: 1,
    status: 'running',
    message: '',
    eventAt: 1,
  };
  const task: Task = {
    taskId: 't1',
    status: 'running',
    message: '',
    progressFraction: 0.5,
    eventAt: 1,
  };
  const over: Task = { ...task, taskId: 't2', status: 'succeeded' };
  const before: JobView = {
    status: status('running'),
    stages: [{ ...stage, tasks: [task, over] }],
    unread: null,
  };
  const read = (
    state: JobStatus['state'],
    client: PipelineParts['client'],
    last: JobView | null = before,
  ): Promise<Result<JobView | null>> => {
    const answers = { jobStatus: () => Promise.resolve(ok(status(state))), ...client };
    const pipeline = createTestPipeline(createTestLedger(), { client: answers });
    return readJob(pipeline.client, 'j1', pipeline.signal, last);
  };
  const noStages = { jobStages: () => Promise.resolve(fail('service.busy')) };
  const noTasks = {
    jobStages: () => Promise.resolve(ok([stage])),
    stageTasks: () => Promise.resolve(fail('service.busy')),
  };

  it('are as many as the service lists, when it states fewer', async () => {
    const listed = {
      jobStages: () => Promise.resolve(ok([{ ...stage, tasksNumber: 1 }])),
      stageTasks: () => Promise.resolve(ok([task, over])),
    };
    const view = await read('running', listed, null);
    expect(view).toMatchObject({ value: { stages: [{ tasksNumber: 2 }] } });
  });

  it.each([
    ['stages', noStages],
    ['tasks', noTasks],
  ])('stay as they were while the %s cannot be read', async (_, client) => {
    expect(await read('running', client)).toMatchObject({
      value: { stages: before.stages, unread: { code: 'service.busy' } },
    });
    expect(await read('running', client, null)).toMatchObject({ ok: true });
  });

  it.each([
    ['stages', noStages],
    ['tasks', noTasks],
  ])('do not contradict the end of the job when the %s cannot be read', async (_, client) => {
    const ended = { ...stage, status: 'succeeded' };
    expect(await read('succeeded', client)).toMatchObject({
      value: { status: { state: 'succeeded' }, stages: [{ ...ended, tasks: [over] }] },
    });
    expect(await read('queued', noStages)).toMatchObject({ value: { stages: [] } });
  });

  it('do not keep a job that has ended from ending', async () => {
    const pipeline = createTestPipeline(createTestLedger(), {
      client: { jobStatus: () => Promise.resolve(ok(status('succeeded'))), ...noStages },
    });
    const next = await followJob(pipeline.client, hastyClock(), 'j1', pipeline.signal).next();
    expect(next.value).toMatchObject({ view: { status: { state: 'succeeded' } } });
  });

  it('count as complete in a stage that succeeded, whatever is known of them', () => {
    expect(stageFraction({ ...stage, status: 'succeeded', tasks: [] })).toBe(1);
    expect(stageFraction({ ...stage, tasks: [task, over] })).toBe(0.75);
  });
});

/** A saved job, and a pipeline whose service answers as given. */
function scene(client: PipelineParts['client'] = {}) {
  const ledger = createTestLedger();
  const pipeline = createTestPipeline(ledger, { client });
  const saved = saveJob(pipeline, {
    jobId: null,
    name: null,
    batchId: 'cups',
    body: { a: 1 },
    downloadTo: null,
  });
  if (!saved.ok) throw new Error(saved.error.code);
  const now = (): StoredJob => {
    const job = jobByRow(pipeline.store, saved.value.id);
    if (job === null) throw new Error('the job is there');
    return job;
  };
  return {
    line: pipeline,
    now,
    to: (state: StoredJob['state']) => moveJob(pipeline.store, now().id, state, 0),
  };
}

describe('a job that may have been started', () => {
  it('says in the next run, too, why the last one could not start it', async () => {
    const { line: pipeline, now } = scene({ jobStatus: () => Promise.resolve(ok(null)) });
    moveJob(pipeline.store, now().id, 'starting', 0, 'service.notFound');
    const error = { code: 'service.notFound', next: 'unknown' };
    expect(await startJob(pipeline, now().id)).toMatchObject({ ok: false, error });
    expect(now().lastCode).toBe('service.notFound');
  });

  it.each(['service.refused', 'service.unexpectedAnswer', 'network.intercepted'] as const)(
    'is kept when asking for it answers %s',
    async (code: ErrorCode) => {
      const { line: pipeline, now, to } = scene({ jobStatus: () => Promise.resolve(fail(code)) });
      to('starting');
      expect(await startJob(pipeline, now().id)).toMatchObject({ ok: false, error: { code } });
      expect(now()).toMatchObject({ state: 'starting', lastCode: code });
      expect(now().retryAt).toBeGreaterThan(0);
    },
  );

  it('and is not known any more is started again, with the same id and body', async () => {
    const starts: unknown[] = [];
    const {
      line: pipeline,
      now,
      to,
    } = scene({
      jobStatus: () => Promise.resolve(ok(null)),
      startJob: (...[jobId, , body]) => {
        starts.push([jobId, body]);
        return Promise.resolve(ok(undefined));
      },
    });
    to('starting');
    to('running');
    startAgain(pipeline, now());
    expect(now()).toMatchObject({ state: 'starting', retryAt: 0 });
    expect(await startJob(pipeline, now().id)).toMatchObject({ ok: true });
    expect(starts).toEqual([[now().jobId, { a: 1 }]]);
    to('succeeded');
    startAgain(pipeline, now());
    expect(now().state).toBe('succeeded');
  });
});

describe('a job that failed', () => {
  const command = (
    { line: pipeline, now }: ReturnType<typeof scene>,
    what: JobCommand,
    done: Result<boolean>,
  ): Promise<Result<JobCommandEnd>> => {
    const answer = (): Promise<Result<boolean>> => Promise.resolve(done);
    const { signal, ports, client: unused } = pipeline;
    const client = { ...unused, abortJob: answer, restartJob: answer };
    return commandJob({ client, signal, clock: ports.clock, ledger: pipeline }, now().jobId, what);
  };
  const ended = async (asked: Result<boolean> | null, message: string): Promise<StoredJob> => {
    const made = scene();
    const { line: pipeline, now, to } = made;
    to('starting');
    to('running');
    if (asked !== null) await command(made, 'abort', asked);
    noteJobStatus(pipeline, now(), status('failed', message));
    return now();
  };

  it.each([
    ['was aborted when we asked for that', ok(true), 'Worker stopped.', 'aborted', 'job.aborted'],
    ['was aborted when we may have', fail('network.timeout'), '', 'aborted', 'job.aborted'],
    ['failed when we did not ask', null, 'Aborted: out of memory', 'failed', 'job.failed'],
    ['failed when that is not offered', ok(false), 'Aborted', 'failed', 'job.failed'],
    ['failed when the service refused', fail('service.refused'), 'Aborted', 'failed', 'job.failed'],
  ] as const)('%s', async (_, asked, message, state, lastCode) => {
    expect(await ended(asked, message)).toMatchObject({ state, lastCode });
  });

  it.each([
    ['runs again when the service restarts it', ok(true), 'running', null],
    ['stays failed when that is not offered', ok(false), 'failed', 'job.failed'],
    ['stays failed when the service refuses', fail('service.refused'), 'failed', 'job.failed'],
  ] as const)('%s', async (_, done, state, lastCode) => {
    const made = scene();
    const { line: pipeline, now, to } = made;
    to('starting');
    to('running');
    noteJobStatus(pipeline, now(), status('failed', 'out of memory'));
    expect(await command(made, 'restart', done)).toBe(done);
    expect(now()).toMatchObject({ state, lastCode });
    // A running job is left as it is.
    to(state === 'running' ? 'succeeded' : 'running');
    await command(made, 'restart', ok(true));
    expect(now().state).toBe(state === 'running' ? 'succeeded' : 'running');
  });
});

describe('a job that did not start', () => {
  const abort = async (startAnswer: Result<void>, jobStatus: Answer) => {
    const made = scene({
      startJob: () => Promise.resolve(startAnswer),
      jobStatus: () => Promise.resolve(jobStatus),
      abortJob: () => Promise.resolve(fail('service.notFound')),
    });
    const { line: pipeline, now } = made;
    await startJob(pipeline, now().id);
    const { client, signal, ports } = pipeline;
    const { jobId } = now();
    const done = await commandJob(
      { client, signal, clock: ports.clock, ledger: pipeline },
      jobId,
      'abort',
    );
    return { ...made, done };
  };

  it('because the service does not know its batch is given up, and its id is free', async () => {
    const { done, line: pipeline, now } = await abort(fail('service.notFound'), ok(null));
    expect(done).toEqual(ok('given up'));
    expect(now()).toMatchObject({ state: 'aborted', lastCode: 'job.aborted' });
    const other = { jobId: now().jobId, name: null, batchId: 'right', body: {}, downloadTo: null };
    expect(saveJob(pipeline, other)).toMatchObject({
      ok: true,
      value: { state: 'planned', batchId: 'right' },
    });
  });

  it.each([
    ['may have started', fail('service.noAnswer'), ok(null)],
    ['runs after all', fail('service.notFound'), ok(status('running'))],
    ['cannot be asked about', fail('service.notFound'), fail('network.lost')],
  ] as const)('but %s is kept', async (_, startAnswer, jobStatus) => {
    const { done, now } = await abort(startAnswer, jobStatus);
    expect(done.ok).toBe(false);
    expect(now().state).not.toBe('aborted');
  });

  it('and is given up while it is started ends as it was given up', async () => {
    const {
      line: pipeline,
      now,
      to,
    } = scene({
      startJob: () => {
        to('aborted');
        return Promise.resolve(fail('service.refused'));
      },
    });
    expect(await startJob(pipeline, now().id)).toMatchObject({ ok: false });
    expect(now()).toMatchObject({ state: 'aborted', attempts: 0 });
  });

  it.each([ok(null), fail('network.lost')])(
    'and is given up while the service is asked about it is not started any more',
    async (answer) => {
      let starts = 0;
      const made = scene({
        startJob: () => {
          starts += 1;
          return Promise.resolve(fail('service.busy'));
        },
        jobStatus: () => {
          made.to('aborted');
          return Promise.resolve(answer);
        },
      });
      await startJob(made.line, made.now().id);
      expect(await startJob(made.line, made.now().id)).toEqual(fail('job.aborted'));
      expect([starts, made.now()]).toMatchObject([1, { state: 'aborted', lastCode: null }]);
    },
  );
});
