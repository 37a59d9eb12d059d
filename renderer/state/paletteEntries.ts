/** What the command palette can do without asking the service. */
import type { AppSnapshot } from '../../preload/contract/snapshot.ts';
import type { PaletteEntry } from '../text/paletteSearch.ts';
import { batchState } from '../views/batches/batchWords.ts';
import { itemStateWords } from '../views/batches/itemStates.ts';
import { jobState } from '../views/jobs/jobWords.ts';
import { baseName } from '../text/baseName.ts';
import { perform, request } from './bridge.ts';
import { uploadFolderOnce, watchFolder } from './chooseFolder.ts';
import { lookAt } from './quickLook.svelte.ts';
import { showShortcuts } from './palette.svelte.ts';
import type { ViewName } from './route.ts';
import { saveReceipt } from './saveReceipt.ts';
import { go, route } from './router.svelte.ts';

/** An entry with what it does. */
export interface PaletteCommand extends PaletteEntry {
  readonly run: () => void;
}

/** Sections of Settings that have no action of their own. */
const SECTIONS: readonly (readonly [string, string, string])[] = [
  ['connections', 'Connections and keys', 'workspace account'],
  ['general', 'Notifications, theme and start at login', 'tray awake look'],
  ['webhook', 'Webhook receiver', 'hook callback port'],
];

const VIEW_LABELS: readonly (readonly [ViewName, string, string])[] = [
  ['uploads', 'Uploads', 'watches folders rate'],
  ['batches', 'Batches', 'items shards outputs expiry'],
  ['jobs', 'Jobs', 'processing stages workflow'],
  ['projects', 'Projects', 'folders insights annotation labelers'],
  ['problems', 'Problems', 'errors failed attention'],
  ['settings', 'Settings', 'preferences connections bandwidth webhook'],
];

function action(id: string, label: string, also: string, run: () => void): PaletteCommand {
  return { id: `action:${id}`, label, detail: '', group: 'Actions', also, run };
}

/** What the key of the menu does, too. */
function lookNow({ watches }: AppSnapshot): PaletteCommand {
  const look = action('scan', 'Scan for new files', 'look for refresh watches', () => {
    for (const { id } of watches) void perform('watch.scan', { id });
  });
  return { ...look, keys: ['F5'] };
}

function actions(snapshot: AppSnapshot, retryAll: () => void): readonly PaletteCommand[] {
  const { paused } = snapshot.pipeline;
  const { theme } = snapshot.settings;
  const dark = theme === 'dark' ? 'light' : 'dark';
  return [
    action('pause', paused ? 'Resume uploads' : 'Pause uploads', 'stop start halt', () => {
      void perform('uploads.pause', { paused: !paused });
    }),
    {
      ...action('watch', 'Watch a folder…', 'add directory new', () => void watchFolder()),
      keys: ['mod', 'N'],
    },
    {
      ...action('once', 'Upload a folder once…', 'send files now', () => void uploadFolderOnce()),
      keys: ['mod', 'O'],
    },
    action('job', 'Start job…', 'process workflow run', () => go('jobs', null, { start: '' })),
    action('skipped', 'What was skipped…', 'left out ignored duplicates', () =>
      go('uploads', null, { show: 'skipped' }),
    ),
    action('why', 'Why is a file not uploaded?', 'explain missing', () =>
      go('uploads', null, { show: 'why' }),
    ),
    action('folder', 'New folder…', 'project create', () =>
      go('projects', null, { new: 'folder' }),
    ),
    ...(snapshot.watches.length > 0 ? [lookNow(snapshot)] : []),
    ...(snapshot.problems.count > 0
      ? [action('retry', 'Try all problems again', 'retry failed', retryAll)]
      : []),
    action('connect', 'Add workspace…', 'workspace key account', () =>
      go('settings', 'connections', { add: '1' }),
    ),
    action('bandwidth', 'Change the bandwidth cap…', 'speed limit timetable', () =>
      go('settings', 'uploading'),
    ),
    action('theme', `Use the ${dark} theme`, 'colour dark light', () => {
      void perform('settings.save', { ...snapshot.settings, theme: dark });
    }),
    { ...action('keys', 'Keyboard shortcuts', 'help keys', showShortcuts), keys: ['?'] },
    action('data', 'Open the data folder', 'ledger', () => {
      void perform('link.open', { to: 'data-folder' });
    }),
    action('log', 'Show the log', 'debug', () => void perform('link.open', { to: 'log' })),
    action('support', 'Support bundle and about', 'licences version help', () =>
      go('settings', 'about'),
    ),
    action('docs', 'Documentation', 'help manual', () => {
      void perform('link.open', { to: 'documentation' });
    }),
  ];
}

/** What can be done with the batch or job that is looked at. */
function ofTheRoute(): readonly PaletteCommand[] {
  const { view, id } = route();
  if (id === null || (view !== 'batches' && view !== 'jobs')) return [];
  const copy = action('copy-id', `Copy the ID ${id}`, 'clipboard', () => {
    void perform('text.copy', { text: id });
  });
  if (view === 'jobs') return [copy];
  return [
    copy,
    action('receipt-csv', `Save the receipt of ${id} as CSV…`, 'proof export', () => {
      void saveReceipt(id, 'csv');
    }),
    action('receipt-json', `Save the receipt of ${id} as JSON…`, 'proof export', () => {
      void saveReceipt(id, 'json');
    }),
    action('job-over', `Start a job over ${id}…`, 'process workflow', () =>
      go('jobs', null, { start: id }),
    ),
  ];
}

/** Views, actions, watches and connections, as they are now. */
export function ownCommands(
  snapshot: AppSnapshot,
  retryAll: () => void,
): readonly PaletteCommand[] {
  const views = VIEW_LABELS.map(([view, label, also], index): PaletteCommand => ({
    id: `view:${view}`,
    keys: ['mod', String(index + 1)],
    label,
    detail: '',
    group: 'Views',
    also,
    run: () => go(view),
  }));
  const watches = snapshot.watches.map(({ id, rule, batchId }): PaletteCommand => ({
    id: `watch:${String(id)}`,
    label: rule.name,
    detail: rule.directory,
    group: 'Watches',
    also: 'watch folder',
    run: () => (batchId === null ? go('uploads') : go('batches', batchId)),
  }));
  const others = snapshot.connections
    .filter(({ selected }) => !selected)
    .map(({ id, name, workspace }) =>
      action(`connection:${String(id)}`, `Use the connection ${name}`, workspace, () => {
        void perform('connection.select', { id });
      }),
    );
  const sections = SECTIONS.map(([id, label, also]): PaletteCommand => ({
    id: `section:${id}`,
    label,
    detail: '',
    group: 'Settings',
    also,
    run: () => go('settings', id),
  }));
  return [
    ...views,
    ...ofTheRoute(),
    ...actions(snapshot, retryAll),
    ...others,
    ...sections,
    ...watches,
  ];
}

const MOST_FOUND = 8;

/** Batches, jobs and files that the ledger finds for what was typed. */
export async function foundCommands(search: string): Promise<readonly PaletteCommand[]> {
  const page = { offset: 0, limit: MOST_FOUND, search: search.slice(0, 200) };
  const [batches, jobs, files] = await Promise.all([
    request('batch.page', page),
    request('job.page', page),
    request('file.search', { search: page.search, limit: MOST_FOUND }),
  ]);
  const found: PaletteCommand[] = [];
  for (const batch of batches.ok ? batches.value.rows : []) {
    const { batchId, displayName } = batch;
    found.push({
      id: `batch:${batchId}`,
      label: displayName ?? batchId,
      detail: [displayName === null ? '' : batchId, batchState(batch).word].join(' ').trim(),
      group: 'Batches',
      also: 'batch',
      run: () => go('batches', batchId),
    });
  }
  for (const { jobId, name, state } of jobs.ok ? jobs.value.rows : []) {
    found.push({
      id: `job:${jobId}`,
      label: name,
      detail: [name === jobId ? '' : jobId, jobState(state).word].join(' ').trim(),
      group: 'Jobs',
      also: 'job',
      run: () => go('jobs', jobId),
    });
  }
  for (const { id, path, state, batchId } of files.ok ? files.value : []) {
    found.push({
      id: `file:${String(id)}`,
      label: baseName(path),
      detail: [itemStateWords(state).word, batchId ?? path].join(' · '),
      group: 'Files',
      also: path,
      run: () => lookAt({ id, move: null }),
    });
  }
  return found;
}

/** The projects of the workspace; none when the service does not answer. */
export async function projectCommands(): Promise<readonly PaletteCommand[]> {
  const answer = await request('project.list', {});
  if (!answer.ok) return [];
  return answer.value.projects.map(({ projectId, name }) => ({
    id: `project:${projectId}`,
    label: name,
    detail: projectId,
    group: 'Projects',
    also: 'project',
    run: () => go('projects', projectId),
  }));
}
