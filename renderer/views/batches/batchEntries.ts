import FileSpreadsheet from '@lucide/svelte/icons/file-spreadsheet';
import Layers from '@lucide/svelte/icons/layers';
import Play from '@lucide/svelte/icons/play';
import Upload from '@lucide/svelte/icons/upload';
import Workflow from '@lucide/svelte/icons/workflow';
import type { BatchRow } from '../../../preload/contract/records.ts';
import { askBatchAgain } from '../../state/batchAgain.svelte.ts';
import type { MenuEntries } from '../../state/contextMenu.svelte.ts';
import { copyIds, copyText } from '../../state/copyText.ts';
import { go } from '../../state/router.svelte.ts';
import { saveReceipt } from '../../state/saveReceipt.ts';
import { batchTitle } from './batchTitle.ts';
import { whyNoJob } from './batchWords.ts';

export function batchEntries(batches: readonly BatchRow[]): MenuEntries {
  const [batch] = batches;
  if (batch === undefined) return [];
  const copy = copyIds(batches.map(({ batchId }) => batchId));
  if (batches.length > 1) return [copy];
  const { batchId, jobId, displayName, state } = batch;
  return [
    { label: 'Open', icon: Layers, key: 'Enter', run: () => go('batches', batchId) },
    {
      label: 'Start job…',
      icon: Play,
      disabled: whyNoJob(batch) !== null,
      run: () => go('batches', batchId, { start: '' }),
    },
    ...(jobId === null
      ? []
      : [{ label: 'Show its job', icon: Workflow, run: () => go('jobs', jobId) }]),
    ...(state === 'expired'
      ? [
          {
            label: 'Upload again…',
            icon: Upload,
            run: () => void askBatchAgain(batchId, batchTitle(batch)),
          },
        ]
      : []),
    null,
    copy,
    ...(displayName === null
      ? []
      : [{ label: 'Copy name', run: () => void copyText(displayName, 'Name') }]),
    null,
    {
      label: 'Save receipt as CSV…',
      icon: FileSpreadsheet,
      disabled: state === 'remote',
      run: () => void saveReceipt(batchId, 'csv'),
    },
  ];
}
