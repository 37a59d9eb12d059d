/** Made-up batches, items and outputs for the gallery: bounded, repeatable, with 100,000 items to stress a list. */
import type { ShardDetails } from '../../../preload/contract/serviceRecords.ts';
import type {
  BatchDetail,
  BatchRow,
  Counts,
  OutputRow,
  ItemRow,
  LeftOutRow,
  PageOf,
} from '../../../preload/contract/records.ts';
import type { DownloadView } from '../../../preload/contract/snapshot.ts';
import type { WaitView } from '../../../preload/contract/waits.ts';
import { counts, DAY, HOUR, LONG_NAME, NOW } from './scenario.ts';

function batch(batchId: string, change: Partial<BatchRow>): BatchRow {
  return {
    batchId,
    displayName: null,
    kind: 'image',
    mode: 'bulk',
    state: 'open',
    counts: counts({}),
    unplaced: 0,
    createdAt: NOW - 6 * HOUR,
    expiresAt: NOW + 6 * DAY + 18 * HOUR,
    jobId: null,
    jobState: null,
    ...change,
  };
}

/** Batches in every state. */
export const BATCHES: readonly BatchRow[] = [
  batch('line-3-2026-11-21', {
    displayName: 'Line 3, today',
    counts: counts({
      found: 100_000,
      queued: 21_400,
      sending: 1500,
      confirmed: 76_980,
      skipped: 117,
      attention: 3,
    }),
    unplaced: 2,
  }),
  batch('gate-north-2026-11-21', {
    kind: 'video',
    mode: 'single',
    counts: counts({ found: 38, sending: 4, confirmed: 34 }),
    createdAt: NOW - 2 * HOUR,
  }),
  batch('line-3-2026-11-20', {
    displayName: 'Line 3, yesterday',
    state: 'processed',
    counts: counts({ found: 17_342, confirmed: 17_342 }),
    createdAt: NOW - 30 * HOUR,
    expiresAt: NOW + 5 * DAY + 18 * HOUR,
    jobId: 'sluice-7f3k2m9qx0ab',
    jobState: 'succeeded',
  }),
  batch('line-3-2026-11-16', {
    state: 'processed',
    counts: counts({ found: 16_008, confirmed: 15_990, skipped: 18 }),
    createdAt: NOW - 5 * DAY,
    expiresAt: NOW + 2 * DAY - 3 * HOUR,
    jobId: 'nightly-16',
    jobState: 'succeeded',
  }),
  batch('orchard-drone-2026-11-14', {
    state: 'processed',
    jobId: 'orchard-1',
    jobState: 'failed',
    counts: counts({ found: 4210, confirmed: 4209, attention: 1 }),
    createdAt: NOW - 7 * DAY + 9 * HOUR,
    expiresAt: NOW + 9 * HOUR,
  }),
  batch('from-another-computer', {
    mode: null,
    state: 'remote',
    createdAt: NOW - 3 * DAY,
    expiresAt: NOW + 4 * DAY,
  }),
  batch('orchard-drone-2026-11-10', {
    state: 'expired',
    counts: counts({ found: 900, confirmed: 900 }),
    createdAt: NOW - 11 * DAY,
    expiresAt: NOW - 4 * DAY,
  }),
];

const FOLDERS = ['left', 'right', 'overview'];

function itemAt(batchId: string, index: number, total: Counts): ItemRow {
  const start = index % 7 === 3 ? `${LONG_NAME}_` : '';
  const path = `/data/cameras/${batchId}/${FOLDERS[index % 3] ?? 'left'}/${start}frame_${String(index).padStart(6, '0')}.jpg`;
  const base = {
    id: index + 1,
    path,
    name:
      index % 7 === 0
        ? `${FOLDERS[index % 3] ?? 'left'}__frame_${String(index).padStart(6, '0')}.jpg`
        : null,
    sizeBytes: 180_000 + ((index * 7919) % 900_000),
    kind: 'image',
    sha256: index.toString(16).padStart(64, '0'),
    stateAt: NOW - index * 211,
    reason: null,
    detail: null,
  } as const;
  if (index < total.attention) {
    return {
      ...base,
      state: 'parked',
      reason: 'item.truncated',
      detail: 'ends after 512 of 340,112 bytes',
    };
  }
  if (index < total.attention + total.skipped)
    return { ...base, state: 'skipped', reason: 'item.duplicate' };
  const rest = index - total.attention - total.skipped;
  if (rest < total.sending) {
    const states = ['sending', 'sent', 'unknown', 'planned'] as const;
    return { ...base, state: states[rest % 4] ?? 'sending' };
  }
  return { ...base, state: rest < total.sending + total.confirmed ? 'confirmed' : 'queued' };
}

const SENDING = ['planned', 'sending', 'sent', 'unknown'];

function fits(item: ItemRow, state: string, search: string): boolean {
  const stateFits =
    state === 'all' || (state === 'sending' ? SENDING.includes(item.state) : item.state === state);
  return stateFits && item.path.toLowerCase().includes(search.toLowerCase());
}

/** Files that were left out, each for one of three reasons. */
export function leftOutRows(reason: string | null, search: string): readonly LeftOutRow[] {
  return Array.from({ length: 117 }, (_, index): LeftOutRow => {
    const base = { id: index + 1, sizeBytes: 180_000 + index * 911, duplicateOf: null };
    if (index % 9 === 4) {
      const path = `/data/cameras/line-3/notes-${index}.txt`;
      return { ...base, path, kind: null, reason: 'item.unsupported' };
    }
    const path = `/data/cameras/line-3/left/frame_${String(index).padStart(6, '0')}.jpg`;
    if (index % 13 === 2) return { ...base, path, kind: null, sizeBytes: 0, reason: 'item.empty' };
    const duplicateOf = {
      path: `/data/cameras/line-3/left/frame_${String(index + 500).padStart(6, '0')}.jpg`,
      state: 'confirmed',
      batchId: 'line-3-2026-11-20',
    } as const;
    return { ...base, path, kind: 'image', reason: 'item.duplicate', duplicateOf };
  }).filter((row) => (reason === null || row.reason === reason) && row.path.includes(search));
}

/** A request for the items of a batch. */
export interface ItemsAsked {
  readonly batchId: string;
  readonly offset: number;
  readonly limit: number;
  readonly search: string;
  readonly state: string;
  readonly descending: boolean;
}

/** A page of items; a request without filters is answered without generating all of them. */
export function itemsPage(batches: readonly BatchRow[], asked: ItemsAsked): PageOf<ItemRow> {
  const total = batches.find(({ batchId }) => batchId === asked.batchId)?.counts ?? counts({});
  const all = Array.from({ length: total.found }, (_, index) => index);
  const found =
    asked.search === '' && asked.state === 'all'
      ? all
      : all.filter((index) => fits(itemAt(asked.batchId, index, total), asked.state, asked.search));
  const ordered = asked.descending ? found.toReversed() : found;
  const rows = ordered
    .slice(asked.offset, asked.offset + asked.limit)
    .map((index) => itemAt(asked.batchId, index, total));
  return { total: found.length, rows };
}

function shardsOf(row: BatchRow, refused: boolean): readonly ShardDetails[] {
  if (row.mode !== 'bulk') return [];
  const full = Math.min(154, Math.floor(row.counts.confirmed / 500));
  const shard = (
    index: number,
    status: Exclude<ShardDetails['status'], 'unknown'>,
    details: string | null,
  ): ShardDetails => ({
    shardId: `shard-${String(index).padStart(4, '0')}`,
    status,
    statusName: { running: 'registering', succeeded: 'ingested', failed: 'rejected' }[status],
    objectsCount: 500,
    eventAt: NOW - index * 41_000,
    details,
  });
  const done = Array.from({ length: full }, (_, index) => shard(index + 3, 'succeeded', null));
  if (row.state !== 'open') return done;
  const said = 'frame_031442.jpg: cannot identify image file; the other 499 were taken in';
  return [
    shard(0, 'running', null),
    shard(1, 'running', null),
    ...(refused ? [shard(2, 'failed', said)] : []),
    ...done,
  ];
}

/** What another computer or a job left in a batch: some of it is here. */
export const OUTPUTS: readonly OutputRow[] = Array.from({ length: 30 }, (_, index) => ({
  part: index % 3 === 0 ? null : 'aggregated-results-of-the-first-acceptance-run',
  fileName: `${LONG_NAME}-${String(index)}.csv`,
  contentType: index % 2 === 0 ? 'text/csv' : 'application/x-tar+gzip',
  path: index % 4 === 0 ? `/home/ann/Sluice/${LONG_NAME}-${String(index)}.csv` : null,
}));

function heldBatch({ batchId }: BatchRow): WaitView {
  const none = { count: 0, bytes: 0, attention: false };
  const times = { since: Date.now() - 12 * 60_000, nextAt: Date.now() + 48 * 60_000 };
  const why = { code: 'service.refused', detail: 'not one of your batches' } as const;
  return { workspace: 'demo', kind: 'held', name: batchId, ...why, ...none, ...times };
}

/** The detail of a batch; `failing` has a refused shard and a service that returned no count. */
export function batchDetail(row: BatchRow, failing: boolean): BatchDetail {
  const { jobId, jobState: state, createdAt } = row;
  const known = jobId !== null && state !== null;
  return {
    batch: row,
    jobs: known ? [{ jobId, name: 'Count cups', state, createdAt }] : [],
    leftOut: row.counts.skipped,
    waits: failing ? [heldBatch(row)] : [],
    countAtService: failing ? null : row.counts.confirmed,
    shards: shardsOf(row, failing),
    parts: [],
    error: failing ? { code: 'service.failed', next: 'retry', context: { status: 503 } } : null,
  };
}

/** Thousands of batches with names of every length and script. */
export function manyBatches(): readonly BatchRow[] {
  const names = [
    'Übersicht der nördlichen Förderbänder mit sehr langem Namen, der nirgends hineinpasst',
    '検査ライン三号機・夜間撮影・再検査待ち',
    'Ana kapı',
    'line\u202e3\u0000odd',
  ];
  const more = Array.from({ length: 2400 }, (_, index) =>
    batch(`cam-${String(index).padStart(4, '0')}-with-a-rather-long-identifier-2026-11`, {
      displayName: names[index % 5] ?? null,
      state: index % 3 === 0 ? 'sealed' : 'processed',
      counts: counts({ found: 1000 + index, confirmed: 1000 + index }),
      createdAt: NOW - index * HOUR,
      expiresAt: NOW + 7 * DAY - (index % 170) * HOUR,
    }),
  );
  return [...BATCHES, ...more];
}

/** A small picture without a file: grey bands whose shade distinguishes items. */
export function thumbnailOf(id: number): string {
  const shade = (id * 37) % 120;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><rect width="64" height="48" fill="rgb(${shade},${shade + 60},${shade + 70})"/><circle cx="${10 + (id % 40)}" cy="24" r="11" fill="rgb(${200 - shade},190,170)"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Downloads of the snapshot: one done, one in progress, and one that the service did not answer. */
export const DOWNLOADS: readonly DownloadView[] = [
  {
    batchId: 'line-3-2026-11-20',
    jobId: null,
    to: '/home/ann/Sluice/results/line-3-2026-11-20',
    state: 'done',
    done: 16,
    files: 16,
    bytes: 412_300_000,
    error: null,
  },
  {
    batchId: 'line-3-2026-11-16',
    jobId: null,
    to: '/home/ann/Sluice/results/line-3-2026-11-16',
    state: 'running',
    done: 7,
    files: 16,
    bytes: 198_700_000,
    error: null,
  },
  {
    batchId: 'from-another-computer',
    jobId: null,
    to: '/home/ann/Sluice/results/from-another-computer',
    state: 'failed',
    done: 3,
    files: 16,
    bytes: 81_200_000,
    error: { code: 'service.busy', next: 'retry', context: {} },
  },
];
