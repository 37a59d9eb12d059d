/** Follows a job on the command line: stages with their progress, and the end. */
import type { Result, SluiceError } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import type { ServiceClient } from '../../engine/runner/connect.ts';
import type { Task } from '../../engine/core/model.ts';
import {
  followJob,
  type FollowOptions,
  jobTimesOf,
  type JobView,
  silences,
  silenceText,
  stageFraction,
} from '../../engine/jobs/jobs.ts';
import type { CommandContext } from '../session/context.ts';
import { count, formatCount, formatPercent, withIsoTimes } from '../terminal/format.ts';
import type { Output } from '../terminal/output.ts';

/** What has been silent for too long: the job, otherwise its stages or tasks. */
function describeSilence(view: JobView, now: number): string {
  const silent = silences(jobTimesOf(view), now);
  const [first] = silent;
  if (first === undefined) return '';
  if (first.what === 'job') return ` — ${silenceText(first.silentMs)}`;
  const stages = silent.filter(({ what }) => what === 'stage');
  const shown = stages.length > 0 ? stages : silent;
  const more = shown.length > 1 ? ` and ${shown.length - 1} more` : '';
  return ` — ${first.what} ${first.name}${more}: ${silenceText(first.silentMs)}`;
}

/** `isOver`: an earlier command has seen the end of the job. */
export function reportStarted(
  output: Output,
  { jobId, batchId: batch }: { readonly jobId: string; readonly batchId: string },
  isOver = false,
): void {
  const line = isOver
    ? `Job ${jobId} has processed batch ${batch} already.`
    : `Job ${jobId} works on batch ${batch}.`;
  output.event({ event: 'started', job: jobId, batch }, line);
}

/** The progress of a job in one line, including whether it is silent. Pure; `now` is epoch ms. */
export function describeJob(view: JobView, now: number): string {
  const { status, stages } = view;
  if (status.state === 'succeeded') return `Job ${status.jobId} is done.`;
  if (status.state === 'failed') {
    return `Job ${status.jobId} ended with an error: ${status.lastMessage ?? 'the service says nothing more'}`;
  }
  const parts = stages.map((stage) => {
    const done = stage.tasks.filter((task) => task.status !== 'running').length;
    const tasks = `(${formatCount(done)} of ${count(stage.tasksNumber, 'task')})`;
    const about = `${stage.name} ${formatPercent(stageFraction(stage))}`;
    return stage.tasksNumber === 0 ? about : `${about} ${tasks}`;
  });
  const unknown =
    view.unread === null
      ? 'waiting for a machine'
      : `${status.currentStage ?? status.state}; its stages cannot be read at the moment`;
  // The service's own word, where no stage is known to run.
  const word = status.state === 'queued' ? status.currentStage : null;
  if (word !== null) parts.unshift(word);
  const where = parts.length === 0 ? unknown : parts.join(', ');
  return `Job ${status.jobId}: ${where}${describeSilence(view, now)}`;
}

/** How far a task is. One that has ended may not say so in its progress. */
export function describeProgress({
  status,
  progressFraction: done,
}: Pick<Task, 'status' | 'progressFraction'>): string | null {
  if (status === 'succeeded') return formatPercent(1);
  if (done !== null) return formatPercent(done);
  return status === 'running' ? 'waiting' : null;
}

export function jobToJson(view: JobView): Readonly<Record<string, unknown>> {
  return {
    ...withIsoTimes(view.status),
    stages: view.stages.map(({ tasks, ...stage }) => ({
      ...withIsoTimes(stage),
      progress: stageFraction({ ...stage, tasks }),
      tasks: tasks.map(withIsoTimes),
    })),
  };
}

/** Reports each error once, even when it repeats. */
export function createTroubleReporter({ output }: CommandContext): (error: SluiceError) => void {
  let said: string | null = null;
  return (error) => {
    const { message } = explain(error);
    const next = error.next === 'unknown' ? 'Sluice asks the service.' : 'Sluice tries again.';
    if (message !== said) output.say(`${message} ${next}`);
    said = message;
  };
}

/**
 * Follows a job to its end and reports its progress; see followJob for the options. Returns the last view; the caller prints its
 * line.
 */
export async function follow(
  context: CommandContext,
  client: ServiceClient,
  jobId: string,
  options: FollowOptions = {},
): Promise<Result<JobView>> {
  const { output, clock } = context;
  const news = followJob(client, clock, jobId, context.signal, options);
  let report = createTroubleReporter(context);
  let said = '';
  for (;;) {
    const next = await news.next();
    if (next.done === true) {
      output.progress('');
      return next.value;
    }
    if (next.value.kind === 'trouble') {
      // A request that was stopped on request is no trouble.
      if (!context.signal.aborted) report(next.value.error);
      continue;
    }
    report = createTroubleReporter(context);
    const { view } = next.value;
    const { state } = view.status;
    const line = describeJob(view, clock.now());
    if (output.live) output.progress(line);
    else {
      const isNews = line !== said && state !== 'succeeded' && state !== 'failed';
      output.event({ event: 'job', ...jobToJson(view) }, isNews ? line : null);
      said = line;
    }
  }
}
