import type { WatchView } from '../../../preload/contract/snapshot.ts';
import { perform } from '../../state/bridge.ts';
import type { MenuEntries } from '../../state/contextMenu.svelte.ts';
import { copyText } from '../../state/copyText.ts';
import { go } from '../../state/router.svelte.ts';

export interface WatchDialogs {
  readonly onedit: () => void;
  readonly onseal: () => void;
  readonly onremove: () => void;
  readonly onleftout: () => void;
}

/** `shown`: the batch that its files go to, which may belong to another folder. */
export function watchEntries(
  { id, state, batchId, rule, counts }: WatchView,
  shown: string | null,
  { onedit, onseal, onremove, onleftout }: WatchDialogs,
): MenuEntries {
  const paused = state === 'paused';
  return [
    { label: 'Edit rule…', run: onedit },
    {
      label: paused ? 'Resume' : 'Pause',
      run: () => void perform('watch.pause', { id, paused: !paused }),
    },
    { label: 'Scan now', run: () => void perform('watch.scan', { id }) },
    {
      label: 'Close batch…',
      disabled: batchId === null,
      run: onseal,
    },
    null,
    {
      label: 'Show batch',
      disabled: shown === null,
      run: () => go('batches', shown),
    },
    { label: 'What was skipped…', disabled: counts.skipped === 0, run: onleftout },
    { label: 'Show in folder', run: () => void perform('folder.open', { path: rule.directory }) },
    { label: 'Copy path', run: () => void copyText(rule.directory, 'Path') },
    null,
    { label: 'Stop watching…', danger: true, run: onremove },
  ];
}
