/** Project management on the service: folders, projects, insights, image batches, annotation jobs. */
import { fail, ok, type Result } from '../../core/errors.ts';
import type { Folder } from '../../core/model.ts';
import type { Place } from './address.ts';
import type { Caller } from './caller.ts';
import { dialectForWrite, readInDialect } from './dialect.ts';
import { insightsAnswer } from '../schemas/insights.ts';
import {
  annotationJobCreatedAnswer,
  annotationJobsAnswer,
  folderCreatedAnswer,
  foldersAnswer,
  imageBatchesAnswer,
  projectsAnswer,
  projectSlug,
} from '../schemas/projects.ts';
import type { Dialect, Learned, ServiceClient } from '../serviceClient.ts';
import { orWhenNotOffered } from './staging.ts';
import { createRead, inWorkspace, type Root } from './workspace.ts';

function projectsPlace(segments: readonly string[], query: Place['query'] = {}): Place {
  return { family: 'projects', segments, query };
}

function foldersPlace(workspace: string, dialect: Dialect, rest: readonly string[] = []): Place {
  return projectsPlace([workspace, dialect === 'spec' ? 'folders' : 'groups', ...rest]);
}

export function createFolders(
  caller: Caller,
  root: Root,
  memory: Learned<Dialect>,
  learn: (signal: AbortSignal) => Promise<void>,
) {
  async function list(workspace: string, signal: AbortSignal): Promise<Result<readonly Folder[]>> {
    const found = await readInDialect(memory, (dialect) =>
      caller.read('listFolders', foldersPlace(workspace, dialect), foldersAnswer, signal),
    );
    return found.ok ? ok(found.value ?? []) : found;
  }
  /** Runs a write in the right dialect, which reads find out first. */
  function write<T>(
    signal: AbortSignal,
    act: (workspace: string, dialect: Dialect) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    return inWorkspace(root, signal, async (workspace) => {
      const dialect = await dialectForWrite(memory, [
        () => list(workspace, signal),
        async () => {
          await learn(signal);
          return ok(null);
        },
      ]);
      return dialect.ok ? act(workspace, dialect.value) : dialect;
    });
  }
  return {
    listFolders: (signal) => inWorkspace(root, signal, (workspace) => list(workspace, signal)),
    createFolder: ({ name, parentId }, signal) =>
      write(signal, async (workspace, dialect) => {
        const operation = 'createFolder';
        const place = foldersPlace(workspace, dialect);
        const json = parentId === null ? { name } : { name, parent_id: parentId };
        const change = { operation, requestClass: 'create', method: 'POST', place, json } as const;
        return caller.change(change, folderCreatedAnswer, signal);
      }),
    moveProjects: (folderId, projectIds, signal) =>
      write(signal, async (workspace, dialect) => {
        const place = foldersPlace(workspace, dialect, [folderId, 'projects']);
        return caller.demand(
          {
            operation: 'moveProjects',
            requestClass: 'change',
            method: dialect === 'spec' ? 'POST' : 'PATCH',
            place,
            json: { projects: projectIds.map(projectSlug) },
          },
          signal,
        );
      }),
  } satisfies Partial<ServiceClient>;
}

function insightsPlace(
  workspace: string,
  project: string,
  period: { from: string; until: string },
  dialect: Dialect,
): Place {
  const dates = { startDate: period.from, endDate: period.until };
  return dialect === 'spec'
    ? projectsPlace([workspace, project, 'annotationInsights'], dates)
    : projectsPlace([workspace, 'stats'], { ...dates, project });
}

/** Learns the dialect when reading folders did not show it: the paths of insights differ in the same way. Failed reads are ignored. */
export async function learnFromInsights(
  client: Pick<ServiceClient, 'listProjects' | 'insights'>,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const listed = await client.listProjects(signal);
  const first = listed.ok ? listed.value?.[0] : undefined;
  if (first === undefined) return;
  const today = new Date(now).toISOString().slice(0, 10);
  await client.insights(first.projectId, { from: today, until: today }, signal);
}

export function createProjects(caller: Caller, root: Root, memory: Learned<Dialect>) {
  const read = createRead(caller, root, (workspace, rest) => projectsPlace([workspace, ...rest]));
  const imageBatches: ServiceClient['imageBatches'] = (projectId, signal) =>
    read('imageBatches', [projectSlug(projectId), 'batches'], {}, imageBatchesAnswer, signal);
  return {
    listProjects: async (signal) =>
      orWhenNotOffered(await read('listProjects', [], {}, projectsAnswer, signal)),
    insights: (projectId, period, signal) =>
      inWorkspace(root, signal, async (workspace) => {
        const project = projectSlug(projectId);
        const schema = insightsAnswer(project);
        const answer = await readInDialect(memory, (dialect) =>
          caller.read(
            'insights',
            insightsPlace(workspace, project, period, dialect),
            schema,
            signal,
          ),
        );
        if (!answer.ok) return answer;
        return answer.value === null
          ? fail('service.notFound', { operation: 'insights', project })
          : ok(answer.value);
      }),
    imageBatches,
    async annotationJobs(projectId, signal) {
      const rest = [projectSlug(projectId), 'jobs'];
      const jobs = await read('annotationJobs', rest, {}, annotationJobsAnswer, signal);
      if (jobs.ok || jobs.error.code !== 'service.notFound') return jobs;
      // Some services do not find an empty list. The image batches show whether the project exists.
      const batches = await imageBatches(projectId, signal);
      return batches.ok ? ok([]) : jobs;
    },
    createAnnotationJob: (projectId, request, signal) =>
      inWorkspace(root, signal, async (workspace) => {
        const operation = 'createAnnotationJob';
        const place = projectsPlace([workspace, projectSlug(projectId), 'jobs']);
        const json = {
          name: request.name,
          batch: request.imageBatchId,
          num_images: request.images,
          labelerEmail: request.labelerEmail,
          reviewerEmail: request.reviewerEmail,
        };
        const change = { operation, requestClass: 'create', method: 'POST', place, json } as const;
        return caller.change(change, annotationJobCreatedAnswer, signal);
      }),
  } satisfies Partial<ServiceClient>;
}
