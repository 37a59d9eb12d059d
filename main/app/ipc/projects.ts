/** Requests about folders, projects and annotation. */
import type { Result } from '../../../preload/contract/errors.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { isCalendarDay, type Period } from '../../engine/projects/insightSnapshots.ts';
import { makeAnnotationJob, makeFolder, type Making } from '../../engine/projects/createOnce.ts';
import {
  addProject,
  forgetProject,
  projectInsights,
  projectInsightsCsv,
  projectTree,
} from '../../engine/projects/projectPages.ts';
import type { WorkingLine } from '../../engine/host/host.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './requestTypes.ts';
import { saveAs } from './saveAs.ts';

type Family = Pick<
  Handlers,
  | 'project.list'
  | 'project.add'
  | 'project.forget'
  | 'folder.create'
  | 'project.move'
  | 'project.imageBatches'
  | 'project.annotationJobs'
  | 'annotationJob.create'
  | 'project.insights'
  | 'project.insightsCsv'
>;

function readPeriod(period: Period): Result<Period> {
  const real = isCalendarDay(period.from) && isCalendarDay(period.until);
  if (!real || period.from > period.until) {
    return fail('usage.invalid', { said: 'the period ends before it begins' });
  }
  return ok(period);
}

/** What making something at the service needs of a line. */
function makingOn({ client, ports, signal }: WorkingLine['running']['line']): Making {
  return { client, clock: ports.clock, signal };
}

/** Handlers of projects. */
export function projectHandlers(context: AppContext): Family {
  const { station } = context;
  const withLine = async <T>(
    work: (line: WorkingLine) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const line = station.working();
    return line.ok ? work(line.value) : line;
  };
  return {
    'project.list': async () => withLine(projectTree),
    'project.add': async ({ projectId }) => withLine((line) => addProject(line, projectId)),
    'project.forget': async ({ projectId }) =>
      withLine(async (line) => {
        forgetProject(line, projectId);
        return ok(null);
      }),
    'folder.create': async (folder) =>
      withLine(async ({ running: { line } }) => {
        const done = await makeFolder(makingOn(line), folder);
        return done.ok
          ? ok({ folderId: done.value.made.folderId, created: done.value.created })
          : done;
      }),
    'project.move': async ({ projectIds, folderId }) =>
      withLine(async ({ running: { line } }) => {
        const moved = await line.client.moveProjects(folderId, projectIds, line.signal);
        return moved.ok ? ok(null) : moved;
      }),
    'project.imageBatches': async ({ projectId }) =>
      withLine(({ running: { line } }) => line.client.imageBatches(projectId, line.signal)),
    'project.annotationJobs': async ({ projectId }) =>
      withLine(({ running: { line } }) => line.client.annotationJobs(projectId, line.signal)),
    'annotationJob.create': async ({ projectId, ...request }) =>
      withLine(async ({ running: { line } }) => {
        const batches = await line.client.imageBatches(projectId, line.signal);
        if (!batches.ok) return batches;
        const done = await makeAnnotationJob(makingOn(line), projectId, request, batches.value);
        return done.ok ? ok({ job: done.value.made, created: done.value.created }) : done;
      }),
    'project.insights': async ({ projectId, from, until }) =>
      withLine(async (line) => {
        const period = readPeriod({ from, until });
        return period.ok ? projectInsights(line, projectId, period.value) : period;
      }),
    'project.insightsCsv': async ({ projectId, from, until }) =>
      withLine(async (line) => {
        const period = readPeriod({ from, until });
        if (!period.ok) return period;
        const csv = await projectInsightsCsv(line, projectId, period.value);
        return csv.ok ? saveAs(context, `${projectId}-insights.csv`, csv.value) : csv;
      }),
  };
}
