import { describe, expect, test } from 'vitest';
import type { Folder, LabelerInsights } from '../../../../../preload/contract/serviceRecords.ts';
import type { ProjectRow } from '../../../../../preload/contract/records.ts';
import { matchingPeople, peopleFor } from '../../../../../renderer/views/projects/people.ts';
import {
  barsOf,
  figureText,
  lastDays,
  periodProblem,
  trendLine,
} from '../../../../../renderer/views/projects/insightsFigures.ts';
import {
  annotationJobProblems,
  annotationProgress,
  sortImageBatches,
} from '../../../../../renderer/views/projects/projectImageBatches.ts';
import {
  countedJob,
  peopleWords,
  progressWords,
  statusWord,
} from '../../../../../renderer/views/projects/annotationWords.ts';
import {
  moveTargets,
  roughCount,
  treeRows,
} from '../../../../../renderer/views/projects/projectTree.ts';

function folder(folderId: string, parentId: string | null, ...projects: string[]): Folder {
  const named = projects.map((projectId) => ({ projectId, name: projectId }));
  return { folderId, name: folderId, parentId, projects: named };
}
function project(projectId: string, folderId: string | null = null): ProjectRow {
  return { projectId, name: projectId, type: null, images: 1, folderId, added: false };
}
function shape(rows: ReturnType<typeof treeRows>): readonly string[] {
  return rows.map(
    ({ kind, id, depth }) => `${'  '.repeat(depth)}${kind === 'folder' ? '+' : ''}${id}`,
  );
}

describe('the tree of projects', () => {
  const folders = [folder('b', null, 'p2'), folder('a', 'b'), folder('lost', 'nowhere')];

  test('folders before projects, each project once, the loose ones last', () => {
    expect(shape(treeRows(folders, [project('p1'), project('p2')], new Set()))).toEqual([
      '+b',
      '  +a',
      '  p2',
      '+lost',
      'p1',
    ]);
  });

  test('a closed folder hides what is in it and still counts it', () => {
    const rows = treeRows(folders, [project('p1')], new Set(['b']));
    expect(shape(rows)).toEqual(['+b', '+lost', 'p1']);
    expect(rows[0]).toMatchObject({ projects: 1, open: false });
  });

  test('a circle of folders and a folder that is not there hide nothing', () => {
    const circle = [folder('x', 'y', 'p3'), folder('y', 'x')];
    const ids = treeRows(circle, [project('p4', 'gone')], new Set()).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(['p3', 'p4', 'x', 'y']);
  });

  test('a search opens what holds a hit', () => {
    expect(shape(treeRows(folders, [project('p1')], new Set(['b']), 'P2'))).toEqual(['+b', '  p2']);
  });

  test('a project can move anywhere but where it is; circles end', () => {
    expect(moveTargets(folders, 'lost').map(({ path }) => path)).toEqual(['b', 'b / a']);
    expect(moveTargets([folder('x', 'y'), folder('y', 'x')], null)).toHaveLength(2);
  });
});

test('a count in the tree is exact while it is short', () => {
  expect([0, 99_999, 989_875, 1_179_931].map(roughCount)).toEqual([
    '0',
    '99,999',
    '989.9K',
    '1.2M',
  ]);
});

describe('image batches and annotation jobs', () => {
  const batch = (name: string, images: number, createdAt: number | null) => ({
    imageBatchId: `id-${name}`,
    name,
    images,
    jobs: null,
    createdAt,
  });
  const rows = [batch('b10', 5, null), batch('b9', 9, 20), batch('a', 1, 30)];

  test('sorted by a column, unknown values last either way', () => {
    const ids = (descending: boolean) =>
      sortImageBatches(rows, '', 'createdAt', descending).map(({ name }) => name);
    expect(ids(true)).toEqual(['a', 'b9', 'b10']);
    expect(ids(false)).toEqual(['b9', 'a', 'b10']);
    expect(sortImageBatches(rows, 'B', 'name', false).map(({ name }) => name)).toEqual([
      'b9',
      'b10',
    ]);
  });

  test('the parts of a job never add up to more than its images', () => {
    expect(annotationProgress({ images: 10, annotated: 7, approved: 3, rejected: 1 })).toEqual({
      approved: 3,
      rejected: 1,
      waiting: 3,
    });
    expect(annotationProgress({ images: 4, annotated: -1, approved: 9, rejected: 9 })).toEqual({
      approved: 4,
      rejected: 0,
      waiting: 0,
    });
  });

  test('of a job, only what the service states is shown', () => {
    const job = {
      annotationJobId: 'j',
      name: 'Cups',
      status: 'assigned',
      createdAt: null,
      ...{
        labeler: null,
        reviewer: null,
        images: 10,
        annotated: 4,
        approved: null,
        rejected: null,
      },
    };
    expect(countedJob({ ...job, annotated: null })).toBeNull();
    expect(countedJob({ ...job, images: null })).toBeNull();
    const counted = countedJob(job);
    expect(counted && progressWords(counted)).toEqual({
      done: '4 of 10 annotated',
      rejected: null,
      approved: null,
    });
  });

  test('a new job is looked over before it is sent', () => {
    const form = {
      name: ' Cups ',
      imageBatchId: 'id-b9',
      images: 9,
      labelerEmail: 'ana@example.com',
      reviewerEmail: 'ben@example.com',
    };
    expect(annotationJobProblems(form, rows)).toEqual({});
    const bad = {
      name: '',
      imageBatchId: 'x',
      images: 1.5,
      labelerEmail: 'ana',
      reviewerEmail: '',
    };
    expect(Object.keys(annotationJobProblems(bad, rows)).toSorted()).toEqual(
      ['name', 'imageBatchId', 'images', 'labelerEmail', 'reviewerEmail'].toSorted(),
    );
    expect(annotationJobProblems({ ...form, images: 10 }, rows)).toEqual({
      images: 'The image batch holds 9 images; that is the most.',
    });
  });
});

describe('insights', () => {
  const labeler = (
    labelerId: string,
    imagesLabeled: number,
    approvalPercent: number | null,
  ): LabelerInsights => ({
    labelerId,
    displayName: labelerId === 'x' ? ' ' : labelerId,
    email: null,
    imagesLabeled,
    boxesDrawn: 0,
    markedNull: 0,
    modelAssisted: 0,
    approved: 0,
    rejected: 0,
    approvalPercent,
  });

  test('the standard period is the last thirty days', () => {
    const period = lastDays(30, Date.parse('2026-03-01T10:00:00Z'));
    expect(period).toEqual({ from: '2026-01-31', until: '2026-03-01' });
    expect(periodProblem(period)).toBeNull();
    expect(periodProblem({ from: '2026-02-30', until: '2026-03-01' })).not.toBeNull();
    expect(periodProblem({ from: '2026-03-02', until: '2026-03-01' })).toContain('before');
  });

  test('bars are sorted, the longest is full, percents are of a hundred', () => {
    const labelers = [labeler('cam 10', 5, 50), labeler('x', 10, null), labeler('cam 9', 5, 80)];
    expect(barsOf(labelers, 'imagesLabeled').map(({ name, fraction }) => [name, fraction])).toEqual(
      [
        ['x', 1],
        ['cam 9', 0.5],
        ['cam 10', 0.5],
      ],
    );
    expect(barsOf(labelers, 'approvalPercent').map(({ fraction }) => fraction)).toEqual([
      0.8, 0.5, 0,
    ]);
    expect(barsOf([labeler('a', 0, null)], 'imagesLabeled')[0]?.fraction).toBe(0);
  });

  test('the trend keeps gaps between days and leaves out unknown values', () => {
    const trend = [
      { day: '2026-01-01', imagesLabeled: 10, approvalPercent: null },
      { day: '2026-01-02', imagesLabeled: 40, approvalPercent: 100 },
      { day: '2026-01-05', imagesLabeled: 30, approvalPercent: 50 },
    ];
    const line = trendLine(trend, 'imagesLabeled');
    expect(line.top).toBe(50);
    expect(line.points.map(({ x, y }) => [x, y])).toEqual([
      [0, 80],
      [25, 20],
      [100, 40],
    ]);
    expect(trendLine(trend, 'approvalPercent').points).toHaveLength(2);
    expect(trendLine([], 'imagesLabeled').points).toEqual([]);
  });

  test('figures are exact and a missing one is a dash', () => {
    expect(figureText('imagesLabeled', 17342)).toBe('17,342');
    expect(figureText('approvalPercent', 98.25)).toBe('98.3 %');
    expect(figureText('approvalPercent', null)).toBe('–');
  });
});

describe('an annotation job in one line', () => {
  const people = (labeler: string | null, reviewer: string | null) =>
    peopleWords({ labeler, reviewer });
  test('names two of one domain briefly, and any other in full', () => {
    expect(people('ana@example.com', 'ben@Example.com')).toBe('ana → ben');
    expect(people('ana@example.com', 'ben@other.org')).toBe('ana@example.com → ben@other.org');
    expect(people('ana', 'ben@example.com')).toBe('ana → ben@example.com');
    expect(people(null, null)).toBe('no labeler → no reviewer');
  });

  test('begins with the service’s word for its state', () => {
    expect(['in_review', 'assigned', ' '].map(statusWord)).toEqual([
      'In review',
      'Assigned',
      'No state',
    ]);
  });
});

describe('people who are suggested', () => {
  const jobs = [
    { labeler: 'Ana@example.com', reviewer: 'ben@example.com' },
    { labeler: 'cleo@example.com', reviewer: 'ana@example.com' },
    { labeler: 'cleo@example.com', reviewer: null },
  ];
  const labelers = [
    { email: 'ana@example.com', displayName: 'Ana', imagesLabeled: 3 },
    { email: 'dora@example.com', displayName: 'Dora', imagesLabeled: 1200 },
    { email: null, displayName: 'Nobody', imagesLabeled: 9 },
  ];
  test('are those of this role first, each once, then who labeled', () => {
    expect(peopleFor('labeler', jobs, labelers)).toEqual([
      { email: 'cleo@example.com', about: 'labeler of 2 jobs' },
      { email: 'ana@example.com', about: 'Ana, labeler of 1 job' },
      { email: 'dora@example.com', about: 'Dora, 1,200 images labeled' },
    ]);
  });
  test('are narrowed by what is typed, by name too; a whole address needs no help', () => {
    const people = peopleFor('labeler', jobs, labelers);
    expect(matchingPeople(people, 'DOR').map(({ email }) => email)).toEqual(['dora@example.com']);
    expect(matchingPeople(people, 'dora@example.com')).toEqual([]);
    expect(matchingPeople(people, '')).toHaveLength(3);
  });
});
