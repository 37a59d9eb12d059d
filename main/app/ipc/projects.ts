import type { Result } from '../../../preload/contract/errors.ts';
import { ok, usage } from '../../engine/core/errors.ts';
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

/** Null when the period makes sense. Error: usage.invalid. */
function refusePeriod({ from, until }: Period): Result<never> | null {
  const isReal = isCalendarDay(from) && isCalendarDay(until) && from <= until;
  return isReal ? null : usage('the period ends before it starts');
}

/** What is needed to create something on the service. */
function creationDeps({ runner }: WorkingConnection): CreationDeps {
  const { client, ports, signal } = runner.pipeline;
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
    'folder.create': connected(async (connection, folder) => {
      const done = await createFolderOnce(creationDeps(connection), folder);
      if (!done.ok) return done;
      const { made, created } = done.value;
      return ok({ folderId: made.folderId, created });
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
    'annotationJob.create': connected(async (connection, { projectId, ...request }) => {
      const making = creationDeps(connection);
      const batches = await making.client.imageBatches(projectId, making.signal);
      if (!batches.ok) return batches;
      const done = await createAnnotationJobOnce(making, projectId, request, batches.value);
      return done.ok ? ok({ job: done.value.made, created: done.value.created }) : done;
    }),
    'project.insights': connected(
      (connection, { projectId, ...period }) =>
        refusePeriod(period) ?? projectInsights(connection, projectId, period),
    ),
    'project.insightsCsv': connected(async (connection, { projectId, ...period }) => {
      const csv = refusePeriod(period) ?? (await projectInsightsCsv(connection, projectId, period));
      return csv.ok ? saveAs(context, `${projectId}-insights.csv`, csv.value) : csv;
    }),
  } satisfies Partial<Handlers>;
}
