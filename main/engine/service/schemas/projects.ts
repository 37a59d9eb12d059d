/** The service's answers about folders, projects and annotation, read leniently and mapped to our own types. */
import { z } from 'zod';
import { once } from '../../core/contract.ts';
import type { AnnotationJob, Folder, ImageBatch, Project } from '../../core/model.ts';
import { id, inField, listOf, maybeCount, maybeInstant, readableOf, shownText } from './parts.ts';

/** The slug of a project, whose id may start with its workspace. */
export function projectSlug(projectId: string): string {
  return projectId.slice(projectId.lastIndexOf('/') + 1);
}

const slug = once(() => id().transform(projectSlug));

const folderProject = once(() =>
  z.union([
    slug().transform((projectId) => ({ projectId, name: projectId })),
    z
      .object({ id: slug(), name: shownText() })
      .transform(({ id: projectId, name }) => ({ projectId, name: name ?? projectId })),
  ]),
);

const folder = once(() =>
  z
    .object({
      id: id(),
      name: shownText(),
      parent_id: id().nullish().catch(null),
      parentId: id().nullish().catch(null),
      projects: readableOf(folderProject()).nullish(),
    })
    .transform((wire): Folder => ({
      folderId: wire.id,
      name: wire.name ?? wire.id,
      parentId: wire.parent_id ?? wire.parentId ?? null,
      projects: wire.projects ?? null,
    })),
);

/** The folders of a workspace, under any of the documented names. */
export const foldersAnswer = once(() => inField(listOf(folder()), 'data', 'groups', 'folders'));

const created = once(() => z.object({ id: id() }));

export const folderCreatedAnswer = once(() =>
  z
    .union([created(), inField(created(), 'data', 'group', 'folder')])
    .transform((answer) => answer.id),
);

const project = once(() =>
  z
    .object({
      id: slug(),
      name: shownText(),
      type: shownText(),
      images: maybeCount(),
    })
    .transform(({ id: projectId, name, ...rest }): Project => ({
      projectId,
      name: name ?? projectId,
      ...rest,
    })),
);

export const projectsAnswer = once(() =>
  z
    .object({ workspace: z.object({ projects: listOf(project()) }) })
    .transform((answer): readonly Project[] => answer.workspace.projects),
);

const imageBatch = once(() =>
  z
    .object({
      id: id(),
      name: shownText(),
      images: maybeCount(),
      numJobs: maybeCount(),
      uploaded: maybeInstant(),
    })
    .transform((wire): ImageBatch => ({
      imageBatchId: wire.id,
      name: wire.name ?? wire.id,
      images: wire.images,
      jobs: wire.numJobs,
      createdAt: wire.uploaded,
    })),
);

export const imageBatchesAnswer = once(() => inField(listOf(imageBatch()), 'batches', 'data'));

const annotationJob = once(() =>
  z
    .object({
      id: id(),
      name: shownText(),
      status: shownText(),
      labeler: shownText(),
      reviewer: shownText(),
      sourceBatch: shownText(),
      numImages: maybeCount(),
      annotated: maybeCount(),
      unannotated: maybeCount(),
      approved: maybeCount(),
      rejected: maybeCount(),
      created: maybeInstant(),
    })
    .transform(({ id: annotationJobId, numImages, created, ...wire }): AnnotationJob => ({
      annotationJobId,
      ...wire,
      name: wire.name ?? annotationJobId,
      status: wire.status ?? '',
      sourceBatch: wire.sourceBatch === null ? null : projectSlug(wire.sourceBatch),
      images: numImages,
      createdAt: created,
    })),
);

export const annotationJobsAnswer = once(() => inField(listOf(annotationJob()), 'jobs', 'data'));

export const annotationJobCreatedAnswer = once(() =>
  z.union([inField(annotationJob(), 'job', 'data'), annotationJob()]),
);
