import { request } from './bridge.ts';
import { offerPaths } from './offered.svelte.ts';
import { go } from './router.svelte.ts';

async function choose(use: (path: string) => void): Promise<void> {
  const answer = await request('directory.choose', { purpose: 'watch' });
  if (answer.ok && answer.value !== null) use(answer.value.path);
}

/** Asks for a folder, then for its rule. */
export async function watchFolder(): Promise<void> {
  await choose((path) => go('uploads', null, { watch: path }));
}

/** Asks for a folder, then for the batch to upload it to. */
export async function uploadFolderOnce(): Promise<void> {
  await choose((path) => offerPaths([path]));
}
