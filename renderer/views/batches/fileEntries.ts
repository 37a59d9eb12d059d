import Copy from '@lucide/svelte/icons/copy';
import Eye from '@lucide/svelte/icons/eye';
import FileX from '@lucide/svelte/icons/file-x';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import Layers from '@lucide/svelte/icons/layers';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import SquareArrowOutUpRight from '@lucide/svelte/icons/square-arrow-out-up-right';
import Upload from '@lucide/svelte/icons/upload';
import type { InputOf } from '../../../preload/contract/requests.ts';
import type { ItemRow } from '../../../preload/contract/records.ts';
import { countOf } from '../../../preload/contract/figures.ts';
import { perform, request, showError } from '../../state/bridge.ts';
import { type MenuEntries, showMenuOf } from '../../state/contextMenu.svelte.ts';
import { lookAt } from '../../state/quickLook.svelte.ts';
import { offerPaths } from '../../state/offered.svelte.ts';
import { go } from '../../state/router.svelte.ts';
import { addToast } from '../../state/toasts.svelte.ts';
import { ignoreProblems } from '../problems/retryProblems.ts';

/** The facts about a file that decide which entries it gets. */
type MenuFile = Pick<ItemRow, 'id' | 'state'> & Partial<Pick<ItemRow, 'reason'>>;

export async function copy(
  ids: readonly number[],
  what: InputOf<'item.copy'>['what'],
): Promise<void> {
  const answer = await request('item.copy', { ids: [...ids], what });
  if (!answer.ok) return showError(answer.error);
  const { count } = answer.value;
  const noun = { path: 'path', name: 'name', hash: 'hash' }[what];
  const many = what === 'hash' ? 'hashes' : `${noun}s`;
  if (count === 0) addToast({ tone: 'error', text: 'There is no hash yet: nothing was read.' });
  else addToast({ tone: 'done', text: `${countOf(count, noun, many)} copied` });
}

/** Queues files again. */
async function retry(ids: readonly number[]): Promise<void> {
  const answer = await request('problem.retry', { ids: [...ids], code: null });
  if (!answer.ok) return showError(answer.error);
  addToast({ tone: 'done', text: `${countOf(answer.value.count, 'file')} queued` });
}

/** The most files that one decision may cover: each is checked first. */
const MOST_AGAIN = 1000;

/** Offers files that are already confirmed: for another batch, or because the service deleted its copy. */
async function uploadAgain(ids: readonly number[]): Promise<void> {
  const answer = await request('item.again', { ids: [...ids] });
  if (!answer.ok) return showError(answer.error);
  if (answer.value.paths.length > 0) return offerPaths(answer.value.paths, answer.value);
  addToast({
    tone: 'error',
    text:
      ids.length === 1 ? 'The file is not there any more.' : 'The files are not there any more.',
    hint: 'Put them back where they were, then upload them again.',
  });
}

/** The entries that open one file; `batchId`: the batch to show, if it is not shown already. */
export function openEntries(id: number, batchId: string | null, look: () => void): MenuEntries {
  return [
    { label: 'Quick look', icon: Eye, key: 'Space', run: look },
    { label: 'Open', icon: SquareArrowOutUpRight, run: () => void perform('item.open', { id }) },
    {
      label: 'Show in folder',
      icon: FolderOpen,
      key: 'Enter',
      run: () => void perform('item.show', { id }),
    },
    ...(batchId === null
      ? []
      : [{ label: 'Show batch', icon: Layers, run: () => go('batches', batchId) }]),
    null,
  ];
}

/** `batchId`: the batch they went to, if it is not shown already. */
export function fileEntries(
  files: readonly MenuFile[],
  batchId: string | null = null,
): MenuEntries {
  const ids = files.map(({ id }) => id);
  const [first] = files;
  if (first === undefined) return [];
  const back = files.filter(({ state, reason }) => state === 'parked' || reason === 'item.ignored');
  const again = files.filter(
    ({ state, reason }) => state === 'confirmed' || reason === 'item.gone',
  );
  const out = files.filter(({ state }) => state === 'parked' || state === 'queued');
  const named = (label: string, count: number): string =>
    count < 2 ? label : `${label} (${String(count)})`;
  return [
    ...(files.length === 1
      ? openEntries(first.id, batchId, () => lookAt({ id: first.id, move: null }))
      : []),
    { label: named('Copy path', ids.length), icon: Copy, run: () => void copy(ids, 'path') },
    { label: named('Copy name', ids.length), run: () => void copy(ids, 'name') },
    { label: named('Copy hash', ids.length), run: () => void copy(ids, 'hash') },
    null,
    {
      label: named(
        back.every(({ state }) => state !== 'parked') && back.length > 0
          ? 'Upload after all'
          : 'Try again',
        back.length,
      ),
      icon: RotateCw,
      disabled: back.length === 0,
      run: () => void retry(back.map(({ id }) => id)),
    },
    {
      label: again.length > 1 ? `Upload again… (${String(again.length)})` : 'Upload again…',
      icon: Upload,
      disabled: again.length === 0 || again.length > MOST_AGAIN,
      run: () => void uploadAgain(again.map(({ id }) => id)),
    },
    {
      label: named('Ignore', out.length),
      icon: FileX,
      disabled: out.length === 0,
      run: () => void ignoreProblems({ ids: out.map(({ id }) => id) }, () => undefined),
    },
  ];
}

/** The menu of a file that is being sent. */
export function showSendingMenu(
  event: (MouseEvent | KeyboardEvent) & { readonly currentTarget: Element },
  { id, name }: { readonly id: number; readonly name: string },
  batchId: string | null = null,
): void {
  showMenuOf(event, event.currentTarget, name, fileEntries([{ id, state: 'sending' }], batchId));
}
