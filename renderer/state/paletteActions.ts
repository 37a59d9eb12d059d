/** The palette's commands about everything, about a watched folder, or about what is being viewed. */
import Bell from '@lucide/svelte/icons/bell';
import BookOpen from '@lucide/svelte/icons/book-open';
import ChartColumn from '@lucide/svelte/icons/chart-column';
import CircleHelp from '@lucide/svelte/icons/circle-question-mark';
import Copy from '@lucide/svelte/icons/copy';
import Download from '@lucide/svelte/icons/download';
import FileJson from '@lucide/svelte/icons/file-json';
import FileSpreadsheet from '@lucide/svelte/icons/file-spreadsheet';
import FileX from '@lucide/svelte/icons/file-x';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import FolderPlus from '@lucide/svelte/icons/folder-plus';
import FolderTree from '@lucide/svelte/icons/folder-tree';
import FolderUp from '@lucide/svelte/icons/folder-up';
import Gauge from '@lucide/svelte/icons/gauge';
import HardDrive from '@lucide/svelte/icons/hard-drive';
import Keyboard from '@lucide/svelte/icons/keyboard';
import LifeBuoy from '@lucide/svelte/icons/life-buoy';
import Monitor from '@lucide/svelte/icons/monitor';
import Moon from '@lucide/svelte/icons/moon';
import Pause from '@lucide/svelte/icons/pause';
import Play from '@lucide/svelte/icons/play';
import Plug from '@lucide/svelte/icons/plug';
import RefreshCw from '@lucide/svelte/icons/refresh-cw';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import Sun from '@lucide/svelte/icons/sun';
import UserRoundPlus from '@lucide/svelte/icons/user-round-plus';
import Webhook from '@lucide/svelte/icons/webhook';
import type { Component } from 'svelte';
import type { AppSnapshot, WatchView } from '../../preload/contract/snapshot.ts';
import { canTryNow } from '../../preload/contract/waitMessages.ts';
import type { PaletteEntry } from '../text/paletteSearch.ts';
import { perform } from './bridge.ts';
import { copyText } from './copyText.ts';
import { uploadFolderOnce, watchFolder } from './chooseFolder.ts';
import { showShortcuts } from './palette.svelte.ts';
import type { Route } from './route.ts';
import { go } from './router.svelte.ts';
import { saveReceipt } from './saveReceipt.ts';

export type PaletteIcon = Component<{ size?: number }>;

export interface PaletteCommand extends PaletteEntry {
  readonly icon: PaletteIcon;
  readonly run: () => void;
}

/** A command in the group of actions; `also` are other words that people may type for it. */
export function action(
  icon: PaletteIcon,
  label: string,
  also: string,
  run: () => void,
): PaletteCommand {
  return { id: `action:${label}`, icon, label, detail: '', group: 'Actions', also, run };
}

const THEMES = [
  { theme: 'light', label: 'Use the light theme', icon: Sun },
  { theme: 'dark', label: 'Use the dark theme', icon: Moon },
  { theme: 'system', label: 'Use the theme of the system', icon: Monitor },
] as const;

function themes({ settings }: AppSnapshot): readonly PaletteCommand[] {
  return THEMES.filter(({ theme }) => theme !== settings.theme).map(({ theme, label, icon }) =>
    action(icon, label, 'appearance colour', () => {
      void perform('settings.save', { ...settings, theme });
    }),
  );
}

function remedies(
  { problems, waits }: AppSnapshot,
  retryAll: () => void,
): readonly PaletteCommand[] {
  const tried = waits.filter(canTryNow);
  const tryAll = (): void => {
    for (const { kind, name } of tried) void perform('wait.tryNow', { kind, name });
  };
  return [
    ...(problems.count > 0
      ? [action(RotateCw, 'Try all problems again', 'retry failed', retryAll)]
      : []),
    ...(tried.length > 0
      ? [action(RotateCw, 'Try everything that waits now', 'retry probe network', tryAll)]
      : []),
  ];
}

export function generalActions(
  snapshot: AppSnapshot,
  retryAll: () => void,
): readonly PaletteCommand[] {
  const { paused } = snapshot.pipeline;
  const scan = (): void => {
    for (const { id } of snapshot.watches) void perform('watch.scan', { id });
  };
  const open = (to: 'documentation' | 'data-folder' | 'log') => (): void => {
    void perform('link.open', { to });
  };
  return [
    action(
      paused ? Play : Pause,
      paused ? 'Resume uploads' : 'Pause uploads',
      'stop start halt',
      () => void perform('uploads.pause', { paused: !paused }),
    ),
    {
      ...action(FolderPlus, 'Watch a folder…', 'add directory new', () => void watchFolder()),
      keys: ['mod', 'N'],
    },
    {
      ...action(FolderUp, 'Upload a folder once…', 'send files now', () => void uploadFolderOnce()),
      keys: ['mod', 'O'],
    },
    action(Play, 'Start job…', 'process workflow run', () => go('jobs', null, { start: '' })),
    action(FileX, 'What was skipped…', 'left out ignored duplicates', () =>
      go('uploads', null, { show: 'skipped' }),
    ),
    action(CircleHelp, 'Why is a file not uploaded?', 'explain missing', () =>
      go('uploads', null, { show: 'why' }),
    ),
    action(FolderTree, 'New folder…', 'project create', () =>
      go('projects', null, { new: 'folder' }),
    ),
    ...(snapshot.watches.length > 0
      ? [
          {
            ...action(RefreshCw, 'Scan for new files', 'look for refresh watches', scan),
            keys: ['F5'],
          },
        ]
      : []),
    ...remedies(snapshot, retryAll),
    action(Plug, 'Add workspace…', 'workspace key account', () =>
      go('settings', 'connections', { add: '1' }),
    ),
    action(Gauge, 'Change the bandwidth cap…', 'speed limit timetable', () =>
      go('settings', 'uploading'),
    ),
    ...themes(snapshot),
    { ...action(Keyboard, 'Keyboard shortcuts', 'help keys', showShortcuts), keys: ['?'] },
    action(HardDrive, 'Open the data folder', 'ledger', open('data-folder')),
    action(ScrollText, 'Show the log', 'debug', open('log')),
    action(LifeBuoy, 'Support bundle and about', 'licences version help', () =>
      go('settings', 'about'),
    ),
    action(BookOpen, 'Documentation', 'help manual', open('documentation')),
  ];
}

export const SECTIONS: readonly (readonly [string, string, string, PaletteIcon])[] = [
  ['connections', 'Workspaces and keys', 'connections account', Plug],
  ['general', 'Notifications, theme and start at login', 'tray awake look', Bell],
  ['webhook', 'Webhook receiver', 'hook callback port', Webhook],
];

/** Immediate actions for a watched folder; those that ask first are in the menu of its row. */
export function watchActions({
  id,
  state,
  rule: { name, directory },
}: WatchView): readonly PaletteCommand[] {
  const paused = state === 'paused';
  const own: readonly PaletteCommand[] = [
    action(
      paused ? Play : Pause,
      `${name}: ${paused ? 'Resume' : 'Pause'}`,
      'watch stop',
      () => void perform('watch.pause', { id, paused: !paused }),
    ),
    action(RefreshCw, `${name}: Scan now`, 'watch look', () => void perform('watch.scan', { id })),
    action(FolderOpen, `${name}: Show in folder`, 'watch directory', () => {
      void perform('folder.open', { path: directory });
    }),
  ];
  // Two watched folders may have the same name.
  return own.map((entry) => ({
    ...entry,
    id: `${entry.id}:${String(id)}`,
    group: 'Watched folders',
    detail: directory,
  }));
}

function ofBatch(id: string, hasReceipt: boolean): readonly PaletteCommand[] {
  const receipts = [
    action(FileSpreadsheet, `Save the receipt of ${id} as CSV…`, 'proof export', () => {
      void saveReceipt(id, 'csv');
    }),
    action(FileJson, `Save the receipt of ${id} as JSON…`, 'proof export', () => {
      void saveReceipt(id, 'json');
    }),
  ];
  return [
    ...(hasReceipt ? receipts : []),
    action(Play, `Start a job over ${id}…`, 'process workflow', () =>
      go('batches', id, { start: '' }),
    ),
  ];
}

function ofJob(jobId: string): readonly PaletteCommand[] {
  return [
    action(Download, `Download the results of ${jobId}`, 'fetch outputs', () => {
      void perform('result.download', { jobId, to: null });
      go('jobs', jobId, { tab: 'results' });
    }),
    action(ScrollText, `Show the logs of ${jobId}`, 'lines', () =>
      go('jobs', jobId, { tab: 'logs' }),
    ),
  ];
}

function ofProject(id: string): readonly PaletteCommand[] {
  return [
    action(UserRoundPlus, `New annotation job in ${id}…`, 'labeler reviewer', () =>
      go('projects', id, { tab: 'jobs', batch: '' }),
    ),
    action(ChartColumn, `Show the insights of ${id}`, 'labelers figures', () =>
      go('projects', id, { tab: 'insights' }),
    ),
  ];
}

/** `hasReceipt`: the batch that is viewed was sent from here. */
export function actionsOf({ view, id }: Route, hasReceipt: boolean): readonly PaletteCommand[] {
  if (id === null || view === 'settings' || view === 'uploads' || view === 'problems') return [];
  const copy = action(Copy, `Copy the ID ${id}`, 'clipboard', () => {
    void copyText(id, 'ID');
  });
  if (view === 'batches') return [copy, ...ofBatch(id, hasReceipt)];
  return view === 'jobs' ? [copy, ...ofJob(id)] : [copy, ...ofProject(id)];
}
