/** What the command palette can offer without asking the service. */
import Eye from '@lucide/svelte/icons/eye';
import Film from '@lucide/svelte/icons/film';
import Image from '@lucide/svelte/icons/image';
import Plug from '@lucide/svelte/icons/plug';
import { VIEW_ICONS } from '../components/display/viewIcons.ts';
import type { AppSnapshot } from '../../preload/contract/snapshot.ts';
import { batchState } from '../views/batches/batchWords.ts';
import { itemStateWords } from '../views/batches/itemStates.ts';
import { jobState } from '../views/jobs/jobWords.ts';
import { baseName } from '../text/pathParts.ts';
import { perform, request } from './bridge.ts';
import { lookAt } from './quickLook.svelte.ts';
import {
  action,
  actionsOf,
  generalActions,
  type PaletteCommand,
  SECTIONS,
  watchActions,
} from './paletteActions.ts';
import type { ViewName } from './route.ts';
import { go, route } from './router.svelte.ts';

const VIEW_LABELS: readonly (readonly [ViewName, string, string])[] = [
  ['uploads', 'Uploads', 'watches folders rate'],
  ['batches', 'Batches', 'items shards outputs expiry'],
  ['jobs', 'Jobs', 'processing stages workflow'],
  ['projects', 'Projects', 'folders insights annotation labelers'],
  ['problems', 'Problems', 'errors failed attention'],
  ['settings', 'Settings', 'preferences connections bandwidth webhook'],
];

/** Views, actions, watches and connections, in their current state. `hasReceipt`: the batch that is viewed was sent from here. */
export function ownCommands(
  snapshot: AppSnapshot,
  hasReceipt: boolean,
  retryAll: () => void,
): readonly PaletteCommand[] {
  const views = VIEW_LABELS.map(([view, label, also], index): PaletteCommand => ({
    icon: VIEW_ICONS[view],
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
    icon: Eye,
    label: rule.name,
    detail: rule.directory,
    group: 'Watched folders',
    also: 'watch folder',
    run: () => (batchId === null ? go('uploads') : go('batches', batchId)),
  }));
  const others = snapshot.connections
    .filter(({ selected }) => !selected)
    .map(({ id, workspace }) =>
      action(Plug, `Switch to the workspace ${workspace}`, '', () => {
        void perform('connection.select', { id });
      }),
    );
  const sections = SECTIONS.map(([id, label, also, icon]): PaletteCommand => ({
    icon,
    id: `section:${id}`,
    label,
    detail: '',
    group: 'Settings',
    also,
    run: () => go('settings', id),
  }));
  return [
    ...views,
    ...actionsOf(route(), hasReceipt),
    ...generalActions(snapshot, retryAll),
    ...others,
    ...sections,
    ...watches,
    ...snapshot.watches.flatMap(watchActions),
  ];
}

/** True when a batch is viewed that was sent from here: only for its files there is a receipt. */
export async function viewsOwnBatch(): Promise<boolean> {
  const { view, id } = route();
  if (view !== 'batches' || id === null) return false;
  const known = await request('batch.known', { batchId: id });
  return known.ok && known.value !== null && known.value.batch.state !== 'remote';
}

const MOST_FOUND = 8;
/** Most names of one camera begin alike. */
const MOST_FILES = 50;

/** Batches, jobs and files in the ledger that match the typed text. */
export async function foundCommands(search: string): Promise<readonly PaletteCommand[]> {
  const page = { offset: 0, limit: MOST_FOUND, search: search.slice(0, 200) };
  const [batches, jobs, files] = await Promise.all([
    request('batch.page', page),
    request('job.page', page),
    request('file.search', { search: page.search, limit: MOST_FILES }),
  ]);
  const found: PaletteCommand[] = [];
  for (const batch of batches.ok ? batches.value.rows : []) {
    const { batchId, displayName } = batch;
    found.push({
      id: `batch:${batchId}`,
      icon: VIEW_ICONS.batches,
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
      icon: VIEW_ICONS.jobs,
      label: name,
      detail: [name === jobId ? '' : jobId, jobState(state).word].join(' ').trim(),
      group: 'Jobs',
      also: 'job',
      run: () => go('jobs', jobId),
    });
  }
  for (const { id, path, kind, state, batchId } of files.ok ? files.value : []) {
    found.push({
      id: `file:${String(id)}`,
      icon: kind === 'video' ? Film : Image,
      label: baseName(path),
      detail: [itemStateWords(state).word, batchId ?? path].join(' · '),
      group: 'Files',
      also: path,
      run: () => lookAt({ id, move: null }),
    });
  }
  return found;
}

/** The projects of the workspace; empty when the service does not answer. */
export async function projectCommands(): Promise<readonly PaletteCommand[]> {
  const answer = await request('project.list', {});
  if (!answer.ok) return [];
  return answer.value.projects.map(({ projectId, name }) => ({
    id: `project:${projectId}`,
    icon: VIEW_ICONS.projects,
    label: name,
    detail: projectId,
    group: 'Projects',
    also: 'project',
    run: () => go('projects', projectId),
  }));
}
