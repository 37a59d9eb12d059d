import type { InputOf } from '../../preload/contract/requests.ts';
import { request, showError } from './bridge.ts';
import { offerPaths } from './offered.svelte.ts';
import { go } from './router.svelte.ts';

/** Asks for a folder, or for the file that is to be explained; null when none was chosen. */
export async function chooseFolder(
  purpose: InputOf<'directory.choose'>['purpose'],
): Promise<string | null> {
  const answer = await request('directory.choose', { purpose });
  if (!answer.ok) showError(answer.error);
  return answer.ok ? (answer.value?.path ?? null) : null;
}

/** Asks for a folder, then for its rule. */
export async function watchFolder(): Promise<void> {
  const path = await chooseFolder('watch');
  if (path !== null) go('uploads', null, { watch: path });
}

/** Asks for a folder, then for the batch to upload it to. */
export async function uploadFolderOnce(): Promise<void> {
  const path = await chooseFolder('watch');
  if (path !== null) offerPaths([path]);
}
