/** Made-up folders, projects, image batches, annotation jobs and insights for the gallery. */
import type {
  Folder,
  ImageBatch,
  LabelerInsights,
} from '../../../preload/contract/serviceRecords.ts';
import type {
  AnnotationJobRow,
  InsightsView,
  ProjectRow,
} from '../../../preload/contract/records.ts';
import { answer, DAY, LONG_NAME, NOW, type Handlers, type Scenario } from './scenario.ts';

const FOLDERS: readonly Folder[] = [
  {
    folderId: 'f1',
    name: 'Line 3',
    parentId: null,
    projects: [{ projectId: 'cups-on-belt', name: 'Cups on belt' }],
  },
  {
    folderId: 'f2',
    name: 'Night shift',
    parentId: 'f1',
    projects: [{ projectId: 'scratches', name: 'Scratches under lamp' }],
  },
  { folderId: 'f3', name: 'Gate', parentId: null, projects: [] },
];

function project(
  projectId: string,
  name: string,
  type: string,
  images: number | null,
  folderId: string | null,
): ProjectRow {
  return { projectId, name, type, images, folderId, added: false };
}

const PROJECTS: readonly ProjectRow[] = [
  project('cups-on-belt', 'Cups on belt', 'object-detection', 17_342, 'f1'),
  project('scratches', 'Scratches under lamp', 'instance-segmentation', 2840, 'f2'),
  project('plates', 'Number plates, north gate', 'object-detection', 980, 'f3'),
  project('forklifts', 'Forklifts', 'classification', 0, null),
  {
    ...project('long', 'A project whose name goes on and on, as names do', 'keypoint', null, null),
    added: true,
  },
];

/** A workspace that has grown: 200 projects in 24 folders, four levels deep, with names as people choose them. */
const MANY_FOLDERS: readonly Folder[] = Array.from({ length: 24 }, (_, index) => ({
  folderId: `m${String(index)}`,
  name: index === 3 ? LONG_NAME : `Hall ${String(index + 1)}`,
  parentId: index % 6 === 0 ? null : `m${String(index - (index % 6 > 3 ? 3 : 1))}`,
  projects: [],
}));
const MANY_PROJECTS: readonly ProjectRow[] = Array.from({ length: 200 }, (_, index) => {
  const folderId = index % 9 === 0 ? null : `m${String(index % 24)}`;
  const id = index === 0 ? 'cups-on-belt' : `project-${String(index)}`;
  const name = index % 5 === 0 ? `${LONG_NAME} ${String(index)}` : `Inspection ${String(index)}`;
  return project(id, name, 'object-detection', index === 7 ? null : index * 7919, folderId);
});

const IMAGE_BATCHES: readonly ImageBatch[] = Array.from({ length: 64 }, (_, index) => ({
  imageBatchId: `ib-${String(index)}`,
  name:
    index === 0
      ? 'Uploaded on 2026-11-20, line 3, morning'
      : `Upload ${String(64 - index)} via API`,
  images: (index * 7919) % 1800,
  jobs: index % 5 === 0 ? null : index % 3,
  createdAt: index === 7 ? null : NOW - index * 1.7 * DAY - 3_600_000,
}));

function annotationJob(
  id: string,
  name: string,
  images: number,
  counts: readonly [annotated: number, approved: number, rejected: number],
): AnnotationJobRow {
  const [annotated, approved, rejected] = counts;
  return {
    annotationJobId: id,
    name,
    status: annotated === images ? 'review' : 'assigned',
    labeler: 'ana@example.com',
    reviewer: 'ben@example.com',
    images,
    annotated,
    approved,
    rejected,
    createdAt: NOW - images * 40_000,
  };
}

const ANNOTATION_JOBS: readonly AnnotationJobRow[] = [
  annotationJob('aj-1', 'Cups, morning of the 20th', 420, [310, 240, 18]),
  annotationJob('aj-2', 'Cups with lids', 1200, [1200, 1164, 36]),
  annotationJob('aj-3', 'Only the blurred ones', 88, [0, 0, 0]),
];

function labeler(name: string, images: number, approvalPercent: number | null): LabelerInsights {
  return {
    labelerId: name,
    displayName: name,
    email: `${name.toLowerCase()}@example.com`,
    imagesLabeled: images,
    boxesDrawn: Math.round(images * 3.7),
    markedNull: Math.round(images / 19),
    modelAssisted: Math.round(images / 4),
    approved: Math.round(images * 0.9),
    rejected: Math.round(images / 23),
    approvalPercent,
  };
}

/** Insights of thirty days with a kept trend. */
const INSIGHTS: InsightsView = {
  labelers: [
    labeler('Ana', 1830, 97.4),
    labeler('Ben', 940, 92.1),
    labeler('Chiara', 1312, 99),
    labeler('Dmitri', 77, 84.2),
    labeler('Constantin-Alexandru', 12, null),
  ],
  totals: {
    imagesLabeled: 4171,
    boxesDrawn: 15_433,
    markedNull: 219,
    modelAssisted: 1043,
    approvalPercent: 96.2,
  },
  trend: Array.from({ length: 45 }, (_, index) => ({
    day: new Date(NOW - (44 - index) * DAY).toISOString().slice(0, 10),
    imagesLabeled: Math.round(2200 + index * 44 + 260 * Math.sin(index / 3)),
    approvalPercent: 94 + 2 * Math.sin(index / 5),
  })).filter((_, index) => index % 7 !== 5),
};

export function handlers(scenario: Scenario): Handlers {
  const many = scenario === 'long';
  const folders = many ? MANY_FOLDERS : FOLDERS;
  const projects = many ? MANY_PROJECTS : PROJECTS;
  return {
    'project.list': () => answer({ folders, projects, listed: scenario !== 'failing' }),
    'project.imageBatches': () => answer(IMAGE_BATCHES),
    'project.annotationJobs': () => answer(ANNOTATION_JOBS),
    'project.insights': () => answer(INSIGHTS),
  };
}
