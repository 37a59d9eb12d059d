/** What can be done with a watch. */
import type { WatchView } from '../../../preload/contract/snapshot.ts';
import { perform } from '../../state/bridge.ts';
import { go } from '../../state/router.svelte.ts';

interface Entry {
  readonly label: string;
  readonly run: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/** What opens the dialogs of a watch. */
export interface WatchDialogs {
  readonly onedit: () => void;
  readonly onremove: () => void;
  readonly onleftout: () => void;
}

/** The entries of a watch's menu; null draws a line. */
export function watchEntries(
  { id, state, batchId, rule, counts }: WatchView,
  { onedit, onremove, onleftout }: WatchDialogs,
): readonly (Entry | null)[] {
  const paused = state === 'paused';
  return [
    { label: 'Edit rule…', run: onedit },
    {
      label: paused ? 'Resume' : 'Pause',
      run: () => void perform('watch.pause', { id, paused: !paused }),
    },
    { label: 'Look through now', run: () => void perform('watch.scan', { id }) },
    {
      label: 'Close the batch now',
      disabled: batchId === null,
      run: () => void perform('watch.seal', { id }),
    },
    null,
    {
      label: 'Show the batch',
      disabled: batchId === null,
      run: () => go('batches', batchId),
    },
    { label: 'What was left out…', disabled: counts.skipped === 0, run: onleftout },
    { label: 'Open the folder', run: () => void perform('folder.open', { path: rule.directory }) },
    null,
    { label: 'Stop watching…', danger: true, run: onremove },
  ];
}
