/** Project management: folders, image batches and annotation jobs, in either dialect. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { mount, type Answer, type Call } from './api.ts';
import type {
  ProjectsState,
  SeedAnnotationJob,
  SeedFolder,
  SeedImageBatch,
  SeedProject,
} from './projectsState.ts';
import { Refusal } from './refusal.ts';
import { violate, type Service } from './service.ts';

/** Mounts the seven operations of the specification on projects, their live spellings, and the extras. */
export function mountProjects(app: FastifyInstance, service: Service): void {
  const query = ['groupId'];
  const spec = { dialect: 'spec' } as const;
  const live = { dialect: 'live', isExtra: true } as const;
  const read = { method: 'GET', query, run: listFolders } as const;
  const create = { method: 'POST', run: createFolder } as const;
  mount(app, service, { ...spec, ...read, path: '/:workspace/folders' });
  mount(app, service, { ...live, ...read, path: '/:workspace/groups' });
  mount(app, service, { ...spec, ...create, path: '/:workspace/folders' });
  mount(app, service, { ...live, ...create, path: '/:workspace/groups' });
  const into = { run: moveProjects } as const;
  const specPath = '/:workspace/folders/:folderId/projects';
  const livePath = '/:workspace/groups/:folderId/projects';
  mount(app, service, { ...spec, ...into, method: 'POST', path: specPath });
  mount(app, service, { ...live, ...into, method: 'PATCH', path: livePath });
  const onProject = '/:workspace/:projectId';
  mount(app, service, { method: 'GET', path: `${onProject}/batches`, run: listImageBatches });
  mount(app, service, { method: 'GET', path: `${onProject}/jobs`, run: listAnnotationJobs });
  mount(app, service, { method: 'POST', path: `${onProject}/jobs`, run: createAnnotationJob });
  const extra = { method: 'GET', isExtra: true } as const;
  mount(app, service, { ...extra, path: '/:workspace', run: workspaceRecord });
}

/** Records a call that does not carry the key where the specification requires it. */
function projectsOf(call: Call): ProjectsState {
  if (!call.query.has('api_key'))
    violate(call.service, call.exchange, 'project-call-without-api_key', call.exchange.path);
  return call.service.state.projects;
}

/** The project that the path names. */
export function existingProject(call: Call): SeedProject {
  const slug = call.param('projectId');
  const found = projectsOf(call).projects.find((project) => project.slug === slug);
  if (found === undefined) throw new Refusal(404, 'Project not found');
  return found;
}

/** The folder that the path names. */
function existingFolder(call: Call): SeedFolder {
  const id = call.param('folderId');
  const found = projectsOf(call).folders.find((folder) => folder.id === id);
  if (found === undefined) throw new Refusal(404, 'Folder not found');
  return found;
}

function folderRecord(state: ProjectsState, folder: SeedFolder): Readonly<Record<string, unknown>> {
  return {
    id: folder.id,
    name: folder.name,
    parent_id: folder.parentId,
    projects: folder.projects.map((slug) => ({
      id: slug,
      name: state.projects.find((project) => project.slug === slug)?.name ?? slug,
    })),
  };
}

function listFolders(call: Call): Answer {
  const state = projectsOf(call);
  const wanted = call.query.get('groupId');
  const found = state.folders.filter((folder) => wanted === null || folder.id === wanted);
  const isLiveEmpty = call.service.dialect === 'live' && found.length === 0;
  if (isLiveEmpty || (wanted !== null && found.length === 0))
    throw new Refusal(404, 'No folders found');
  return { body: { data: found.map((folder) => folderRecord(state, folder)) } };
}

/** Parses a JSON body, ignoring the `api_key` field that any project call may carry. */
function parseBody<T>(call: Call, schema: z.ZodType<T>): T {
  const { body } = call;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'The body must be a JSON object');
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'api_key'));
  const parsed = schema.safeParse(rest);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw new Refusal(400, `${first?.path.join('.') ?? ''}: ${first?.message ?? 'not valid'}`);
}

const folderRequest = z.strictObject({
  name: z.string().min(1),
  projects: z.array(z.string()).optional(),
  parent_id: z.string().optional(),
  external_id: z.string().optional(),
  auth_groups: z
    .object({ read: z.array(z.string()).optional(), write: z.array(z.string()).optional() })
    .optional(),
});

function createFolder(call: Call): Answer {
  const state = projectsOf(call);
  const wanted = parseBody(call, folderRequest);
  const parentId = wanted.parent_id ?? null;
  if (parentId !== null && !state.folders.some((folder) => folder.id === parentId))
    throw new Refusal(400, 'Parent folder not found');
  const projects = wanted.projects ?? [];
  checkProjects(state, projects);
  const id = call.service.state.newId('folder-');
  takeOut(state, projects);
  state.folders.push({ id, name: wanted.name, parentId, projects: [...projects] });
  return { body: { id } };
}

function checkProjects(state: ProjectsState, slugs: readonly string[]): void {
  const unknown = slugs.find((slug) => !state.projects.some((project) => project.slug === slug));
  if (unknown !== undefined) throw new Refusal(404, `Project not found: ${unknown}`);
}

/** A project is in one folder at most. */
function takeOut(state: ProjectsState, slugs: readonly string[]): void {
  for (const folder of state.folders)
    folder.projects = folder.projects.filter((slug) => !slugs.includes(slug));
}

/** Body of moves in and out of a folder. */
const projectsRequest = z.strictObject({ projects: z.array(z.string()).min(1) });

function moveProjects(call: Call): Answer {
  const folder = existingFolder(call);
  const state = projectsOf(call);
  const { projects } = parseBody(call, projectsRequest);
  checkProjects(state, projects);
  takeOut(state, projects);
  folder.projects.push(...projects);
  return { status: 204, body: null };
}

/** A timestamp in the format of the project operations. */
function pair(at: number): Readonly<Record<string, number>> {
  return { _seconds: Math.floor(at / 1000), _nanoseconds: (at % 1000) * 1_000_000 };
}

function imageBatchRecord(
  state: ProjectsState,
  batch: SeedImageBatch,
): Readonly<Record<string, unknown>> {
  return {
    id: batch.id,
    name: batch.name,
    images: batch.images,
    numJobs: state.annotationJobs.filter((job) => job.batchId === batch.id).length,
    uploaded: pair(batch.uploadedAt),
  };
}

function listImageBatches(call: Call): Answer {
  const { slug } = existingProject(call);
  const { projects } = call.service.state;
  const found = projects.imageBatches.filter((batch) => batch.project === slug);
  return { body: { batches: found.map((batch) => imageBatchRecord(projects, batch)) } };
}

function annotationJobRecord(job: SeedAnnotationJob): Readonly<Record<string, unknown>> {
  return {
    id: job.id,
    name: job.name,
    status: 'assigned',
    project: `doc-${job.project}`,
    sourceBatch: `doc-${job.project}/${job.batchId}`,
    owner: 'doc-demo',
    createdBy: 'API',
    labeler: job.labeler,
    reviewer: job.reviewer,
    instructionsText: 'No instructions provided',
    numImages: job.numImages,
    annotated: job.annotated,
    unannotated: job.numImages - job.annotated,
    approved: job.approved,
    rejected: job.rejected,
    created: pair(job.createdAt),
  };
}

function listAnnotationJobs(call: Call): Answer {
  const { slug } = existingProject(call);
  const found = call.service.state.projects.annotationJobs.filter((job) => job.project === slug);
  return { body: { jobs: found.map(annotationJobRecord) } };
}

const annotationJobRequest = z.strictObject({
  name: z.string().min(1),
  batch: z.string().min(1),
  num_images: z.number().int().positive(),
  labelerEmail: z.string().min(1),
  reviewerEmail: z.string().min(1),
});

function createAnnotationJob(call: Call): Answer {
  const { slug } = existingProject(call);
  const { state } = call.service;
  const { projects } = state;
  const wanted = parseBody(call, annotationJobRequest);
  const batch = projects.imageBatches.find(
    (one) => one.project === slug && one.id === wanted.batch,
  );
  if (batch === undefined) throw new Refusal(404, 'Batch not found');
  const given = projects.annotationJobs
    .filter((job) => job.batchId === batch.id)
    .reduce((sum, job) => sum + job.numImages, 0);
  if (wanted.num_images > batch.images - given)
    throw new Refusal(400, `Only ${batch.images - given} images of the batch are free`);
  for (const email of [wanted.labelerEmail, wanted.reviewerEmail])
    if (!projects.users.some((user) => user.email === email))
      throw new Refusal(400, `${email} is no user of the workspace`);
  const job: SeedAnnotationJob = {
    id: state.newId('aj-'),
    project: slug,
    name: wanted.name,
    batchId: batch.id,
    labeler: wanted.labelerEmail,
    reviewer: wanted.reviewerEmail,
    numImages: wanted.num_images,
    annotated: 0,
    approved: 0,
    rejected: 0,
    createdAt: state.clock.now(),
  };
  projects.annotationJobs.push(job);
  return { body: annotationJobRecord(job) };
}

function workspaceRecord(call: Call): Answer {
  const { state } = call.service;
  return {
    body: {
      workspace: {
        name: state.workspace,
        url: state.workspace,
        members: state.projects.users.length,
        projects: state.projects.projects.map((project) => ({
          id: `${state.workspace}/${project.slug}`,
          name: project.name,
          type: project.type,
          created: project.createdAt / 1000,
          updated: project.createdAt / 1000,
          images: project.images,
        })),
      },
    },
  };
}
