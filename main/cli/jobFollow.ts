/** Following a job on the command line: stages with their progress, tasks that say something, and the end. */
import type { Result } from '../../preload/errorCodes.ts';
import { explain } from '../../preload/errorText.ts';
import { ok } from '../engine/errors.ts';
import { followJob, type JobView, stageFraction } from '../engine/jobs.ts';
import type { ServiceClient } from '../engine/connect.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exitCode.ts';
import { formatPercent } from './format.ts';

/** One line that tells where a job is. Pure. */
export function describeJob(view: JobView): string {
  const { status, stages } = view;
  if (status.state === 'succeeded') return `Job ${status.jobId} is done.`;
  if (status.state === 'failed') {
    return `Job ${status.jobId} ended with an error: ${status.lastMessage ?? 'the service says nothing more'}`;
  }
  const parts = stages.map(({ stage, tasks }) => {
    const done = tasks.filter((task) => task.status !== 'running').length;
    return `${stage.name} ${formatPercent(stageFraction(stage, tasks))} (${done} of ${stage.tasksNumber} tasks)`;
  });
  const where = parts.length === 0 ? 'waiting for a machine' : parts.join(', ');
  return `Job ${status.jobId}: ${where}`;
}

/** A view as JSON; instants as ISO text. */
export function jobToJson(view: JobView): Readonly<Record<string, unknown>> {
  const iso = (at: number): string => new Date(at).toISOString();
  return {
    ...view.status,
    createdAt: iso(view.status.createdAt),
    updatedAt: iso(view.status.updatedAt),
    stages: view.stages.map(({ stage, tasks }) => ({
      ...stage,
      startedAt: iso(stage.startedAt),
      eventAt: iso(stage.eventAt),
      progress: stageFraction(stage, tasks),
      tasks: tasks.map((task) => ({ ...task, eventAt: iso(task.eventAt) })),
    })),
  };
}

/** Follows a job to its end and tells of it. Answers the last view. */
export async function follow(
  context: CommandContext,
  client: ServiceClient,
  jobId: string,
): Promise<Result<JobView>> {
  const { output } = context;
  const { clock } = context.ports();
  const news = followJob(client, clock, jobId, context.signal);
  for (;;) {
    const next = await news.next();
    if (next.done === true) {
      output.progress('');
      return next.value;
    }
    if (next.value.kind === 'trouble') {
      output.say(explain(next.value.error).message);
      continue;
    }
    const { view } = next.value;
    const line = describeJob(view);
    if (output.live) output.progress(line);
    else output.event({ event: 'job', ...jobToJson(view) }, line);
  }
}

/** The exit code of a job that ended. */
export function exitOfJob(view: JobView): Result<number> {
  return ok(view.status.state === 'succeeded' ? EXIT.done : EXIT.attention);
}
