/** The project side of the seeded workspace: projects, folders, image batches, annotation jobs, people and their work. */

export interface SeedProject {
  readonly slug: string;
  readonly name: string;
  readonly type: string;
  readonly images: number;
  readonly createdAt: number;
}

export interface SeedFolder {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  projects: string[];
}

export interface SeedImageBatch {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly images: number;
  readonly uploadedAt: number;
}

export interface SeedAnnotationJob {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly batchId: string;
  readonly labeler: string;
  readonly reviewer: string;
  readonly numImages: number;
  readonly annotated: number;
  readonly approved: number;
  readonly rejected: number;
  readonly createdAt: number;
}

interface SeedUser {
  readonly id: string;
  readonly displayName: string;
  readonly email: string;
}

/** What one person did on one project on one day. */
export interface SeedWork {
  readonly project: string;
  readonly labelerId: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly imagesLabeled: number;
  readonly boxesDrawn: number;
  readonly markedNull: number;
  readonly modelAssisted: number;
  readonly approved: number;
  readonly rejected: number;
}

export interface ProjectsState {
  readonly projects: SeedProject[];
  readonly folders: SeedFolder[];
  readonly imageBatches: SeedImageBatch[];
  readonly annotationJobs: SeedAnnotationJob[];
  readonly users: SeedUser[];
  readonly work: SeedWork[];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The seed of every service: 3 projects, 2 folders, 4 image batches, an annotation job, 3 labelers with 14 days of work up to `now`. */
export function seedProjects(now: number): ProjectsState {
  const project = (slug: string, name: string, type: string, images: number): SeedProject => ({
    slug,
    name,
    type,
    images,
    createdAt: now - 90 * DAY_MS,
  });
  const imageBatch = (
    id: string,
    slug: string,
    name: string,
    images: number,
    days: number,
  ): SeedImageBatch => ({ id, project: slug, name, images, uploadedAt: now - days * DAY_MS });
  return {
    projects: [
      project('bottle-caps', 'Bottle caps', 'object-detection', 240),
      project('street-signs', 'Street signs', 'object-detection', 1320),
      project('leaf-damage', 'Leaf damage', 'instance-segmentation', 96),
    ],
    folders: [
      { id: 'folder-quality', name: 'Quality', parentId: null, projects: ['bottle-caps'] },
      { id: 'folder-line-2', name: 'Line 2', parentId: 'folder-quality', projects: [] },
    ],
    imageBatches: [
      imageBatch('ib-caps-1', 'bottle-caps', 'Night shift', 115, 12),
      imageBatch('ib-caps-2', 'bottle-caps', 'Day shift', 40, 5),
      imageBatch('ib-signs-1', 'street-signs', 'Drive north', 320, 20),
      imageBatch('ib-leaf-1', 'leaf-damage', 'Greenhouse 4', 96, 3),
    ],
    annotationJobs: [
      {
        id: 'aj-caps-1',
        project: 'bottle-caps',
        name: 'Night shift, first half',
        batchId: 'ib-caps-1',
        labeler: 'labeler@example.com',
        reviewer: 'reviewer@example.com',
        numImages: 26,
        annotated: 3,
        approved: 1,
        rejected: 1,
        createdAt: now - 11 * DAY_MS,
      },
    ],
    users: [
      { id: 'user-1', displayName: 'Ana Labeler', email: 'labeler@example.com' },
      { id: 'user-2', displayName: 'Ben Reviewer', email: 'reviewer@example.com' },
      { id: 'user-3', displayName: 'Cleo Both', email: 'both@example.com' },
    ],
    work: seedWork(now),
  };
}

function seedWork(now: number): SeedWork[] {
  const work: SeedWork[] = [];
  for (let day = 0; day < 14; day += 1) {
    for (const [person, labelerId] of ['user-1', 'user-2', 'user-3'].entries()) {
      for (const [place, project] of ['bottle-caps', 'street-signs'].entries()) {
        const imagesLabeled = 4 + ((day * 3 + person * 5 + place * 2) % 9);
        const rejected = (day + person) % 3 === 0 ? 1 : 0;
        work.push({
          project,
          labelerId,
          day: new Date(now - day * DAY_MS).toISOString().slice(0, 10),
          imagesLabeled,
          boxesDrawn: imagesLabeled * (2 + place),
          markedNull: day % 2,
          modelAssisted: person,
          approved: imagesLabeled - rejected,
          rejected,
        });
      }
    }
  }
  return work;
}
