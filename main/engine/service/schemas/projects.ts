/** The service's answers about folders, projects and annotation, read leniently and mapped to our own types. */
import { z } from 'zod';
import { once } from '../../core/contract.ts';
import type { AnnotationJob, Folder, ImageBatch, Project } from '../../core/model.ts';
import { count, id, listOf, maybeCount, maybeInstant, readableOf, shownText } from './parts.ts';

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
      .transform((wire) => ({ projectId: wire.id, name: wire.name ?? wire.id })),
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

const folders = once(() => listOf(folder()));

/** The folders of a workspace, under any of the documented names. */
export const foldersAnswer = once(() =>
  z.union([
    z.object({ data: folders() }).transform((answer) => answer.data),
    z.object({ groups: folders() }).transform((answer) => answer.groups),
    z.object({ folders: folders() }).transform((answer) => answer.folders),
  ]),
);

export const folderCreatedAnswer = once(() =>
  z.union([
    z.object({ id: id() }).transform((answer) => answer.id),
    z.object({ group: z.object({ id: id() }) }).transform((answer) => answer.group.id),
    z.object({ folder: z.object({ id: id() }) }).transform((answer) => answer.folder.id),
    z.object({ data: z.object({ id: id() }) }).transform((answer) => answer.data.id),
  ]),
);

const project = once(() =>
  z
    .object({
      id: slug(),
      name: shownText(),
      type: shownText(),
      images: maybeCount(),
    })
    .transform((wire): Project => ({
      projectId: wire.id,
      name: wire.name ?? wire.id,
      type: wire.type,
      images: wire.images,
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

export const imageBatchesAnswer = once(() =>
  z
    .object({ batches: listOf(imageBatch()) })
    .transform((answer): readonly ImageBatch[] => answer.batches),
);

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
      annotated: count(),
      unannotated: count(),
      approved: count(),
      rejected: count(),
      created: maybeInstant(),
    })
    .transform((wire): AnnotationJob => ({
      annotationJobId: wire.id,
      name: wire.name ?? wire.id,
      status: wire.status ?? '',
      labeler: wire.labeler,
      reviewer: wire.reviewer,
      sourceBatch: wire.sourceBatch === null ? null : projectSlug(wire.sourceBatch),
      images: wire.numImages,
      annotated: wire.annotated,
      unannotated: wire.unannotated,
      approved: wire.approved,
      rejected: wire.rejected,
      createdAt: wire.created,
    })),
);

export const annotationJobsAnswer = once(() =>
  z
    .object({ jobs: listOf(annotationJob()) })
    .transform((answer): readonly AnnotationJob[] => answer.jobs),
);

/** A new annotation job: bare, or in `job`, with or without `success`. */
export const annotationJobCreatedAnswer = once(() =>
  z.union([z.object({ job: annotationJob() }).transform((answer) => answer.job), annotationJob()]),
);
