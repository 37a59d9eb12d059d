/** What the window says about files that were uploaded before and are asked for again. Pure. */
import { countOf, formatCount } from '../../../preload/contract/figures.ts';
import type { UploadAgain } from '../../../preload/contract/uploadAgain.ts';

/** What is so, before a batch is chosen: sentences. */
export function againWords({ paths, gone, batches, expired }: UploadAgain): string {
  const it = paths.length === 1 ? 'it' : 'them';
  const known =
    expired === null
      ? batches.length === 0
        ? ''
        : `Already in ${batches.length > 2 ? 'other batches' : (batches[0] ?? '')}. Choose another batch to upload ${it} a second time, as ${paths.length === 1 ? 'a copy' : 'copies'}.`
      : `The service deleted the batch ${expired} and what was in it. Uploading ${it} again starts a new one.`;
  const missing =
    gone === 0
      ? ''
      : `${countOf(gone, 'file')} ${gone === 1 ? 'is' : 'are'} no longer on this computer and cannot be uploaded.`;
  return [known, missing].filter((sentence) => sentence !== '').join(' ');
}

/** Why this batch cannot be chosen; null when it can. */
export function againFault(
  { paths, batches }: Pick<UploadAgain, 'paths' | 'batches'>,
  batchId: string,
): string | null {
  if (!batches.includes(batchId)) return null;
  return paths.length === 1
    ? 'The file is in this batch already. Choose another one.'
    : `Some of these ${formatCount(paths.length)} files are in this batch already. Choose another one.`;
}
