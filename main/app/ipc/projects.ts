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
  const connected = withConnection(context.host);
  return {
    'project.list': connected(projectTree),
    'project.add': connected((connection, { projectId }) => addProject(connection, projectId)),
    'project.forget': connected((connection, { projectId }) => {
      forgetProject(connection, projectId);
      return ok(null);
    }),
    'folder.create': connected(async ({ runner: { pipeline } }, folder) => {
      const done = await createFolderOnce(creationDeps(pipeline), folder);
      return done.ok
        ? ok({ folderId: done.value.made.folderId, created: done.value.created })
        : done;
    }),
    'project.move': connected(async ({ runner: { pipeline } }, { projectIds, folderId }) => {
      const moved = await pipeline.client.moveProjects(folderId, projectIds, pipeline.signal);
      return moved.ok ? ok(null) : moved;
    }),
    'project.imageBatches': connected(({ runner: { pipeline } }, { projectId }) =>
      pipeline.client.imageBatches(projectId, pipeline.signal),
    ),
    'project.annotationJobs': connected(({ runner: { pipeline } }, { projectId }) =>
      pipeline.client.annotationJobs(projectId, pipeline.signal),
    ),
    'annotationJob.create': connected(
      async ({ runner: { pipeline } }, { projectId, ...request }) => {
        const batches = await pipeline.client.imageBatches(projectId, pipeline.signal);
        if (!batches.ok) return batches;
        const deps = creationDeps(pipeline);
        const done = await createAnnotationJobOnce(deps, projectId, request, batches.value);
        return done.ok ? ok({ job: done.value.made, created: done.value.created }) : done;
      },
    ),
    'project.insights': connected(async (connection, { projectId, from, until }) => {
      const period = readPeriod({ from, until });
      return period.ok ? projectInsights(connection, projectId, period.value) : period;
    }),
    'project.insightsCsv': connected(async (connection, { projectId, from, until }) => {
      const period = readPeriod({ from, until });
      if (!period.ok) return period;
      const csv = await projectInsightsCsv(connection, projectId, period.value);
      return csv.ok ? saveAs(context, `${projectId}-insights.csv`, csv.value) : csv;
    }),
  } satisfies Partial<Handlers>;
}
