/** Answers for Uploads. */
import type { FoundFile, HistoryDay } from '../../../preload/contract/records.ts';
import { answer, type Handlers, HOUR, NOW, type Scenario } from './scenario.ts';

const FOUND: FoundFile = {
  id: 123,
  path: '/home/camera/data/line-3/incoming/left/IMG_00123.jpg',
  name: 'IMG_00123.jpg',
  sizeBytes: 2_340_000,
  kind: 'image',
  state: 'confirmed',
  reason: null,
  detail: null,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  stateAt: NOW - 2 * HOUR,
  batchId: 'line-3-host-20261121',
  foundAt: NOW - 3 * HOUR,
};

/** A week and a bit: one day with a problem, one with a failed job, one without any file. */
function days(scenario: Scenario): readonly HistoryDay[] {
  const source = (
    destinationId: number,
    name: string,
    found: number,
    part: Partial<HistoryDay['sources'][number]> = {},
  ): HistoryDay['sources'][number] => ({
    destinationId,
    name,
    found,
    watchId: destinationId < 10 ? destinationId : null,
    bytes: found * 1_900_000,
    confirmed: found,
    skipped: 0,
    attention: 0,
    ...part,
  });
  const attention = scenario === 'failing' ? 7 : 0;
  const open = scenario === 'busy' ? 214 : 0;
  return [
    {
      day: '2026-11-21',
      sources: [
        source(1, 'line-3', 3207, { confirmed: 3207 - open }),
        source(41, 'drop-2026-11-21', 312, { confirmed: 306, skipped: 6 }),
        source(3, 'archive-2025', 48, { confirmed: 48 - attention, attention }),
      ],
      jobs: [{ jobId: 'j-1', name: 'Count cups', state: 'succeeded', endedAt: NOW - HOUR }],
      results: 66,
    },
    {
      day: '2026-11-20',
      sources: [
        source(1, 'line-3', 6214),
        source(2, 'dock-cam', 210, { confirmed: 196, skipped: 14 }),
      ],
      jobs: [{ jobId: 'j-2', name: 'Count cups', state: 'failed', endedAt: NOW - 26 * HOUR }],
      results: 0,
    },
    { day: '2026-11-18', sources: [source(1, 'line-3', 5980)], jobs: [], results: 0 },
  ];
}

export function handlers(scenario: Scenario): Handlers {
  return {
    'directory.choose': () => answer({ path: '/home/camera/data/line-4/incoming' }),
    'watch.preview': ({ rule }) =>
      answer({
        files: 12_480,
        bytes: 38_200_000_000,
        leftOut: 17,
        uploaded: 320,
        more: false,
        batches: [
          { batchId: `${rule.name.toLowerCase()}-host-20261120`, files: 6214, bytes: 19.1e9 },
          { batchId: `${rule.name.toLowerCase()}-host-20261121`, files: 6266, bytes: 19.1e9 },
        ],
        batchCount: 2,
        notes: ['Videos, if any come, go to a batch of their own: line-4-videos'],
        warnings: rule.batch.includes('{date}')
          ? []
          : ['A batch expires after 7 days; without a date the id will be used up.'],
      }),
    'upload.summarize': ({ paths }) =>
      answer({
        paths: paths.map((path) => ({ path, kind: 'directory' })),
        files: 1284,
        bytes: 3_910_000_000,
        leftOut: 6,
        more: false,
      }),
    'upload.batchId': ({ batch }) =>
      answer({
        batchId: batch
          .trim()
          .toLowerCase()
          .replaceAll(/[^a-z0-9_-]+/g, '-'),
      }),
    'history.days': () => answer(days(scenario)),
    'item.detail': ({ id }) => answer({ ...FOUND, id }),
    'file.search': ({ search }) => answer(search.length < 2 ? [] : [FOUND]),
  };
}
