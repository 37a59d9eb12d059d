import type { AppSnapshot, PipelineStatus, WatchView } from '../../../preload/contract/snapshot.ts';
import { standardRule } from '../../../preload/contract/standardRule.ts';
import { DOWNLOADS } from './batchData.ts';
import { filesInNeed } from './problems.ts';
import { counts, HOUR, LONG_NAME, MINUTE, NOW, type Scenario } from './scenario.ts';

const NO_BYTES = { confirmed: 0, sent: 0, onWire: 0, total: 0 };
/** Eight of twelve gigabytes are sent. */
const UNDER_WAY = {
  confirmed: 5_200_000_000,
  sent: 1_100_000_000,
  onWire: 790_000_000,
  total: 12_000_000_000,
};

function watch(id: number, name: string, part: Partial<WatchView>): WatchView {
  return {
    id,
    rule: standardRule(`/home/camera/data/${name}/incoming`, name),
    state: 'watching',
    notice: null,
    destinationId: id,
    counts: counts({}),
    bytes: NO_BYTES,
    settling: 0,
    batchId: `${name}-host-20261121`,
    lastFileAt: NOW - 4 * MINUTE,
    ...part,
  };
}

function watches(scenario: Scenario): readonly WatchView[] {
  if (scenario === 'first') return [];
  const sealed = {
    ...standardRule('/home/camera/data/line-3/incoming', 'line-3'),
    kinds: 'images',
    seal: { quietMinutes: null, items: null, at: '18:00' },
    job: { workflowId: 'count-cups' },
    downloadTo: '/home/camera/results',
  } as const;
  const ends = scenario === 'long' ? { found: 17_566, skipped: 6, attention: 4 } : {};
  const onWay = { found: 17_556, queued: 190, sending: 12, sent: 12, confirmed: 17_342 };
  const busy = watch(1, 'line-3', {
    rule: sealed,
    counts: counts({ ...onWay, ...ends }),
    bytes: UNDER_WAY,
    settling: 3,
    lastFileAt: NOW - 2000,
  });
  const dock = watch(2, 'dock-cam', {
    counts: counts({ found: 2210, confirmed: 2196, skipped: 14 }),
    state: 'polling',
    notice: 'A network drive tells nothing of changes, so it is looked through every 30 s.',
    lastFileAt: NOW - 3 * HOUR,
  });
  const archive = watch(3, 'archive-2025', {
    rule: {
      ...standardRule('/media/usb-archive/2025', 'archive-2025'),
      kinds: 'videos',
      mode: 'single',
    },
    counts: counts({ found: 48, confirmed: 41, attention: scenario === 'failing' ? 7 : 0 }),
    state: scenario === 'failing' ? 'missing' : 'watching',
    notice:
      scenario === 'failing'
        ? 'The folder is not there, or its drive does not answer. Watching continues when it is back.'
        : null,
    lastFileAt: NOW - 30 * HOUR,
  });
  const long = watch(4, LONG_NAME, { counts: counts({ found: 1_234_567, confirmed: 1_200_000 }) });
  return scenario === 'long' ? [long, busy, dock, archive] : [busy, dock, archive];
}

function dropsOf(scenario: Scenario): AppSnapshot['drops'] {
  if (scenario !== 'busy' && scenario !== 'failing') return [];
  const confirmed = scenario === 'busy' ? 112 : 306;
  return [
    {
      destinationId: 41,
      batchId: 'drop-2026-11-21',
      counts: counts({ found: 312, queued: 306 - confirmed, confirmed, skipped: 6 }),
      bytes:
        scenario === 'busy'
          ? { ...NO_BYTES, confirmed: 410_000_000, total: 1_120_000_000 }
          : NO_BYTES,
      reading: false,
      lastFileAt: NOW - 25 * MINUTE,
    },
  ];
}

const WAITS: AppSnapshot['waits'] = [
  {
    workspace: 'cup-factory',
    kind: 'download',
    name: 'nightly-16-export',
    code: 'disk.full',
    detail: null,
    count: 0,
    bytes: 0,
    since: NOW - 20 * MINUTE,
    nextAt: NOW + MINUTE,
    attention: false,
  },
];

function throughput(): readonly number[] {
  return Array.from(
    { length: 120 },
    (_, second) =>
      38e6 + 7e6 * Math.sin(second / 9) + 3e6 * Math.sin(second / 2.3) - (second < 20 ? 30e6 : 0),
  ).map((value) => Math.max(0, value));
}

const QUIET: PipelineStatus = {
  paused: false,
  blockedBy: null,
  silentMs: 0,
  counts: counts({}),
  bytes: NO_BYTES,
  bytesPerSecond: 0,
  leftMs: null,
  throughput: [],
  capBytesPerSecond: null,
  transfers: [],
};

function lineOf(scenario: Scenario): PipelineStatus {
  if (scenario === 'first') return QUIET;
  const all = counts({
    found: 19_814,
    queued: 190,
    sending: 12,
    sent: 12,
    confirmed: 19_579,
    skipped: 14,
  });
  const name = scenario === 'long' ? `${LONG_NAME}.jpeg` : 'DSC_0412.jpg';
  const busy: PipelineStatus = {
    ...QUIET,
    counts: all,
    bytes: UNDER_WAY,
    bytesPerSecond: 41_200_000,
    leftMs: 118_000,
    throughput: throughput(),
    transfers: [
      move(1, 'shard', 'line-3-host-20261121', '420 images', 0.62, 812e6),
      move(2, 'image', 'line-3-host-20261121', name, 0.2, 8.4e6),
      move(3, 'video', 'archive-2025-host-20261121', 'shift-b-0931.mp4', 0.91, 2.31e9),
    ],
  };
  if (scenario === 'failing') {
    const part = { queued: 0, sending: 0, sent: 0, attention: 7 };
    return { ...QUIET, counts: { ...all, ...part }, throughput: [] };
  }
  return scenario === 'long' ? { ...busy, capBytesPerSecond: 50_000_000 } : busy;
}

function move(
  transferId: number,
  kind: 'image' | 'video' | 'shard',
  batchId: string,
  label: string,
  part: number,
  sizeBytes: number,
): PipelineStatus['transfers'][number] {
  const items = Array.from({ length: kind === 'shard' ? 6 : 1 }, (_, at) => ({
    id: transferId * 10 + at,
    name: kind === 'shard' ? `frame-${at}.jpg` : label,
    kind: kind === 'video' ? ('video' as const) : ('image' as const),
  }));
  const destinationId = kind === 'video' ? 3 : 1;
  const sentBytes = Math.round(sizeBytes * part);
  return { transferId, destinationId, batchId, label, sentBytes, sizeBytes, items };
}

export function snapshotOf(scenario: Scenario): AppSnapshot {
  const problems = filesInNeed(scenario);
  return {
    revision: 1,
    at: NOW,
    runtime: {
      version: '0.1.0',
      platform: 'linux',
      dataDirectory: '/home/ann/.local/share/sluice',
      development: false,
      secretsProtected: true,
      keysKept: scenario !== 'first',
      tray: true,
    },
    notices:
      scenario === 'failing'
        ? [
            {
              id: 'failed',
              text: 'Sluice crashed and restarted. Nothing is lost or sent twice; uploads continue. The log has the details.',
            },
            {
              id: 'basic_text',
              text: 'This computer has no keychain, so Sluice keeps the key in a file that only your user can read.',
            },
          ]
        : [],
    connections:
      scenario === 'first'
        ? []
        : [
            {
              id: 1,
              workspace: scenario === 'long' ? LONG_NAME : 'cup-factory',
              apiUrl: 'https://api.roboflow.com',
              projectsUrl: 'https://api.roboflow.com',
              state: scenario === 'failing' ? 'refused' : 'ready',
              selected: true,
              queued: 214,
              attention: 7,
            },
          ],
    pipeline: lineOf(scenario),
    watches: watches(scenario),
    drops: dropsOf(scenario),
    waits: scenario === 'failing' ? WAITS : [],
    problems: {
      count: problems,
      folders: 0,
      unread: Math.min(2, problems),
      jobs: scenario === 'failing' ? 1 : 0,
    },
    jobsRunning: scenario === 'busy' ? 2 : 0,
    downloads: scenario === 'busy' ? DOWNLOADS : [],
    settings: {
      theme: 'light',
      notifications: { confirmed: true, jobs: true, problems: true },
      startAtLogin: false,
      closeToTray: true,
      keepAwake: true,
      pauseOnBattery: false,
      lanesMost: 16,
      bandwidth: scenario === 'long' ? '08:00,50M 18:00,off' : '',
      order: 'oldest',
      settleMs: 5000,
      webhook: { enabled: false, bind: '127.0.0.1', port: 0, publicUrl: '' },
    },
  };
}
