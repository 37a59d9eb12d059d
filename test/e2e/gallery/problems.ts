/** Made-up problems for the gallery: unproved files, files that the service refused, missing files, a refused key. */
import type { ProblemGroup, ProblemJob, ProblemRow } from '../../../preload/contract/records.ts';
import { answer, LONG_NAME, MINUTE, NOW, type Handlers, type Scenario } from './scenario.ts';

const PLACE = '/media/camera/line-3/2026-11-21/morning';

function rows(
  code: ProblemGroup['code'],
  first: number,
  names: readonly string[],
  detail: string | null = null,
): readonly ProblemRow[] {
  return names.map((name, index) => ({
    id: first + index,
    ids: [first + index],
    relativePath: `2026-11-21/morning/${name}`,
    kind: 'image',
    watchId: 1,
    path: `${PLACE}/${name}`,
    batchId: 'line-3-2026-11-21',
    code,
    detail,
    since: NOW - (3 + index * 7) * MINUTE,
  }));
}

const UNPROVEN: ProblemGroup = {
  code: 'upload.unproven',
  detail: null,
  count: 3,
  rows: rows('upload.unproven', 10, ['cam-3-081512.jpg', 'cam-3-081514.jpg', 'cam-3-081517.jpg']),
};
const SAID = 'Image could not be decoded: unsupported JPEG process SOF11 (lossless)';
const REJECTED: ProblemGroup = {
  code: 'shard.rejected',
  detail: SAID,
  count: 214,
  rows: rows(
    'shard.rejected',
    100,
    Array.from({ length: 50 }, (_, index) => `cam-3-09${String(1000 + index)}.jpg`),
    SAID,
  ),
};
const LARGE: ProblemGroup = {
  code: 'item.tooLarge',
  detail: null,
  count: 1,
  rows: rows('item.tooLarge', 300, [
    'a panorama of the whole hall, stitched, with a very long name that somebody typed by hand on a rainy afternoon (final) (2).tiff',
  ]),
};
const FORBIDDEN: ProblemGroup = {
  code: 'service.forbidden',
  detail: 'status 403',
  count: 50,
  rows: rows(
    'service.forbidden',
    400,
    Array.from({ length: 50 }, (_, index) => `${LONG_NAME}-${String(index)}.png`),
    'status 403',
  ),
};
const KEY: ProblemGroup = { code: 'auth.rejected', detail: null, count: 190, rows: [] };

const FAILED: readonly ProblemJob[] = [
  {
    jobId: 'orchard-1',
    name: 'Orchard, ripeness',
    batchId: 'orchard-drone-2026-11-14',
    failedAt: NOW - 25 * 60 * MINUTE,
  },
];

/** Files that were ignored since the page was opened. */
const ignored = new Set<number>();

function without({ code, detail, count, rows: all }: ProblemGroup): readonly ProblemGroup[] {
  const left = all.filter(({ id }) => !ignored.has(id));
  const rest = count - (all.length - left.length);
  return rest === 0 ? [] : [{ code, detail, count: rest, rows: left }];
}

function groupsOf(scenario: Scenario): readonly ProblemGroup[] {
  if (scenario === 'first') return [];
  if (scenario === 'failing') return [UNPROVEN, REJECTED, LARGE, KEY].flatMap(without);
  if (scenario === 'long') return [FORBIDDEN, UNPROVEN, LARGE];
  return [UNPROVEN, LARGE];
}

/** How many files need a person, as shown in the sidebar and the tray. */
export function filesInNeed(scenario: Scenario): number {
  return groupsOf(scenario).reduce((sum, { count }) => sum + count, 0);
}

export function handlers(scenario: Scenario): Handlers {
  return {
    'problem.groups': () => answer(groupsOf(scenario)),
    'problem.ignore': ({ ids }) => {
      for (const id of ids ?? []) ignored.add(id);
      return answer({ count: ids?.length ?? 0, undo: 1 });
    },
    'problem.jobs': () => answer(scenario === 'failing' ? FAILED : []),
  };
}
