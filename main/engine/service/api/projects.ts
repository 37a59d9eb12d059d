/** Project management on the service: folders, projects, insights, image batches, annotation jobs. */
import { fail, ok, type Result } from '../../core/errors.ts';
import type { Folder } from '../../core/model.ts';
import type { Clock } from '../../core/ports.ts';
import { type Place, projectsPlace } from './address.ts';
import { type Caller, isNotOffered } from './caller.ts';
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

/**
 * Reads in the known dialect; if none is known, in the specification's and then in the live one, and remembers which answer could be
 * parsed. null: the service offers neither.
 */
async function readInDialect<T>(
  memory: Learned<Dialect>,
  read: (dialect: Dialect) => Promise<Result<T>>,
): Promise<Result<T | null>> {
  const known = memory.read();
  const candidates: readonly Dialect[] = known === null ? ['spec', 'live'] : [known];
  for (const dialect of candidates) {
    const result = await read(dialect);
    if (result.ok) {
      if (known === null) memory.write(dialect);
      return result;
    }
    if (!isNotOffered(result.error)) return result;
  }
  return ok(null);
}

function foldersPlace(dialect: Dialect, rest: readonly string[] = []): Place {
  return projectsPlace([dialect === 'spec' ? 'folders' : 'groups', ...rest]);
}

/** Learns the dialect when reading folders did not show it: the paths of insights differ in the same way. Failed reads are ignored. */
async function learnFromInsights(
  projects: Pick<ServiceClient, 'listProjects' | 'insights'>,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const listed = await projects.listProjects(signal);
  const first = listed.ok ? listed.value?.[0] : undefined;
  if (first === undefined) return;
  const today = new Date(now).toISOString().slice(0, 10);
  await projects.insights(first.projectId, { from: today, until: today }, signal);
}

export function createFolders(
  caller: Caller,
  { dialectMemory: memory, clock }: { dialectMemory: Learned<Dialect>; clock: Clock },
  projects: Pick<ServiceClient, 'listProjects' | 'insights'>,
) {
  async function list(signal: AbortSignal): Promise<Result<readonly Folder[]>> {
    const found = await readInDialect(memory, (dialect) =>
      caller.read('listFolders', foldersPlace(dialect), foldersAnswer, signal),
    );
    return found.ok ? ok(found.value ?? []) : found;
  }
  /** Runs a write in the known dialect. The dialect is learned only from reads; if they show neither, the specification's is used. */
  async function write<T>(
    signal: AbortSignal,
    act: (dialect: Dialect) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    if (memory.read() === null) {
      const listed = await list(signal);
      if (!listed.ok) return listed;
    }
    if (memory.read() === null) await learnFromInsights(projects, clock.now(), signal);
    return act(memory.read() ?? 'spec');
  }
  return {
    listFolders: list,
    createFolder: ({ name, parentId }, signal) =>
      write(signal, (dialect) => {
        const operation = 'createFolder';
        const place = foldersPlace(dialect);
        const json = parentId === null ? { name } : { name, parent_id: parentId };
        const change = { operation, requestClass: 'create', place, json } as const;
        return caller.change(change, folderCreatedAnswer, signal);
      }),
    moveProjects: (folderId, projectIds, signal) =>
      write(signal, (dialect) => {
        const method = dialect === 'spec' ? 'POST' : 'PATCH';
        const place = foldersPlace(dialect, [folderId, 'projects']);
        const json = { projects: projectIds.map(projectSlug) };
        const change = { requestClass: 'change', method, place, json } as const;
        return caller.demand({ operation: 'moveProjects', ...change }, signal);
      }),
  } satisfies Partial<ServiceClient>;
}

function insightsPlace(
  project: string,
  period: { from: string; until: string },
  dialect: Dialect,
): Place {
  const dates = { startDate: period.from, endDate: period.until };
  return dialect === 'spec'
    ? projectsPlace([project, 'annotationInsights'], dates)
    : projectsPlace(['stats'], { ...dates, project });
}

export function createProjects(caller: Caller, memory: Learned<Dialect>) {
  const { read } = caller;
  const imageBatches: ServiceClient['imageBatches'] = (projectId, signal) => {
    const place = projectsPlace([projectSlug(projectId), 'batches']);
    return read('imageBatches', place, imageBatchesAnswer, signal);
  };
  return {
    listProjects: async (signal) =>
      orWhenNotOffered(await read('listProjects', projectsPlace([]), projectsAnswer, signal)),
    async insights(projectId, period, signal) {
      const project = projectSlug(projectId);
      const schema = insightsAnswer(project);
      const answer = await readInDialect(memory, (dialect) =>
        read('insights', insightsPlace(project, period, dialect), schema, signal),
      );
      if (!answer.ok) return answer;
      return answer.value === null
        ? fail('service.notFound', { operation: 'insights', project })
        : ok(answer.value);
    },
    imageBatches,
    async annotationJobs(projectId, signal) {
      const place = projectsPlace([projectSlug(projectId), 'jobs']);
      const jobs = await read('annotationJobs', place, annotationJobsAnswer, signal);
      if (jobs.ok || jobs.error.code !== 'service.notFound') return jobs;
      // Some services answer "not found" for an empty list. The image batches show whether the project exists.
      const batches = await imageBatches(projectId, signal);
      return batches.ok ? ok([]) : jobs;
    },
    createAnnotationJob: (projectId, { imageBatchId: batch, images, ...request }, signal) => {
      const operation = 'createAnnotationJob';
      const place = projectsPlace([projectSlug(projectId), 'jobs']);
      const { name, labelerEmail, reviewerEmail } = request;
      const json = { name, batch, num_images: images, labelerEmail, reviewerEmail };
      const change = { operation, requestClass: 'create', place, json } as const;
      return caller.change(change, annotationJobCreatedAnswer, signal);
    },
  } satisfies Partial<ServiceClient>;
}
