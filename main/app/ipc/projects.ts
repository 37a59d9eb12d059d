/** Requests about folders, projects and annotation. */
import type { Result } from '../../../preload/contract/errors.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { isCalendarDay, type Period } from '../../../preload/contract/calendarDay.ts';
import {
  createAnnotationJobOnce,
  createFolderOnce,
  type CreationDeps,
} from '../../engine/projects/createOnce.ts';
import {
  addProject,
  forgetProject,
  projectInsights,
  projectInsightsCsv,
  projectTree,
} from '../../engine/projects/projectPages.ts';
import type { WorkingConnection } from '../../engine/host/workingConnection.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';
import { saveAs } from './saveAs.ts';
import { withConnection } from './withConnection.ts';

function readPeriod(period: Period): Result<Period> {
  const real = isCalendarDay(period.from) && isCalendarDay(period.until);
  if (!real || period.from > period.until) {
    return fail('usage.invalid', { said: 'the period ends before it starts' });
  }
  return ok(period);
}

/** What is needed to create something on the service. */
function creationDeps({
  client,
  ports,
  signal,
}: WorkingConnection['runner']['pipeline']): CreationDeps {
  return { client, clock: ports.clock, signal };
}

export function projectHandlers(context: AppContext) {
  const { host } = context;
  return {
    'project.list': async () => withConnection(host, projectTree),
    'project.add': async ({ projectId }) =>
      withConnection(host, (connection) => addProject(connection, projectId)),
    'project.forget': async ({ projectId }) =>
      withConnection(host, (connection) => {
        forgetProject(connection, projectId);
        return ok(null);
      }),
    'folder.create': async (folder) =>
      withConnection(host, async ({ runner: { pipeline } }) => {
        const done = await createFolderOnce(creationDeps(pipeline), folder);
        return done.ok
          ? ok({ folderId: done.value.made.folderId, created: done.value.created })
          : done;
      }),
    'project.move': async ({ projectIds, folderId }) =>
      withConnection(host, async ({ runner: { pipeline } }) => {
        const moved = await pipeline.client.moveProjects(folderId, projectIds, pipeline.signal);
        return moved.ok ? ok(null) : moved;
      }),
    'project.imageBatches': async ({ projectId }) =>
      withConnection(host, ({ runner: { pipeline } }) =>
        pipeline.client.imageBatches(projectId, pipeline.signal),
      ),
    'project.annotationJobs': async ({ projectId }) =>
      withConnection(host, ({ runner: { pipeline } }) =>
        pipeline.client.annotationJobs(projectId, pipeline.signal),
      ),
    'annotationJob.create': async ({ projectId, ...request }) =>
      withConnection(host, async ({ runner: { pipeline } }) => {
        const batches = await pipeline.client.imageBatches(projectId, pipeline.signal);
        if (!batches.ok) return batches;
        const done = await createAnnotationJobOnce(
          creationDeps(pipeline),
          projectId,
          request,
          batches.value,
        );
        return done.ok ? ok({ job: done.value.made, created: done.value.created }) : done;
      }),
    'project.insights': async ({ projectId, from, until }) =>
      withConnection(host, async (connection) => {
        const period = readPeriod({ from, until });
        return period.ok ? projectInsights(connection, projectId, period.value) : period;
      }),
    'project.insightsCsv': async ({ projectId, from, until }) =>
      withConnection(host, async (connection) => {
        const period = readPeriod({ from, until });
        if (!period.ok) return period;
        const csv = await projectInsightsCsv(connection, projectId, period.value);
        return csv.ok ? saveAs(context, `${projectId}-insights.csv`, csv.value) : csv;
      }),
  } satisfies Partial<Handlers>;
}
