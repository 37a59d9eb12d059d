import Layers from '@lucide/svelte/icons/layers';
import Workflow from '@lucide/svelte/icons/workflow';
import type { JobRow } from '../../../preload/contract/records.ts';
import type { MenuEntries } from '../../state/contextMenu.svelte.ts';
import { copyIds, copyText } from '../../state/copyText.ts';
import { go } from '../../state/router.svelte.ts';

export function jobEntries(jobs: readonly JobRow[]): MenuEntries {
  const [job] = jobs;
  if (job === undefined) return [];
  const copy = copyIds(jobs.map(({ jobId }) => jobId));
  if (jobs.length > 1) return [copy];
  const { jobId, name, batchId } = job;
  return [
    { label: 'Open', icon: Workflow, key: 'Enter', run: () => go('jobs', jobId) },
    ...(batchId === null
      ? []
      : [{ label: 'Show its batch', icon: Layers, run: () => go('batches', batchId) }]),
    null,
    copy,
    ...(name === jobId ? [] : [{ label: 'Copy name', run: () => void copyText(name, 'Name') }]),
  ];
}
