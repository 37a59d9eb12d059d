/** What the window says about files that were uploaded before and are to be uploaded again. Pure. */
import { countOf, formatBytes, formatCount } from '../../../preload/contract/figures.ts';
import type { BatchAgain, UploadAgain } from '../../../preload/contract/uploadAgain.ts';

/** The facts before a batch is chosen, as sentences. */
export function againWords({ paths, gone, batches, expired }: UploadAgain): string {
  const it = paths.length === 1 ? 'it' : 'them';
  const known =
    expired === null
      ? batches.length === 0
        ? ''
        : `Already in ${batches.length > 2 ? 'other batches' : (batches[0] ?? '')}. Choose another batch to upload ${it} a second time, as ${paths.length === 1 ? 'a copy' : 'copies'}.`
      : `The service deleted the batch ${expired} and what was in it. Uploading ${it} again starts a new one.`;
  return together([known, missingWords(gone)]);
}

function missingWords(gone: number): string {
  return gone === 0
    ? ''
    : `${countOf(gone, 'file')} ${gone === 1 ? 'is' : 'are'} no longer on this computer and cannot be uploaded.`;
}

function together(sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** What will happen when a batch that the service deleted is uploaded again, as sentences. */
export function batchAgainWords({ files, bytes, gone, done }: BatchAgain): string {
  const it = files === 1 ? 'it' : 'them';
  return together([
    `The service deleted this batch and what was in it. ${countOf(files, 'file')} (${formatBytes(bytes)}) ${files === 1 ? 'is' : 'are'} still on this computer: Sluice uploads ${it} into a new batch, with the same ${files === 1 ? 'name' : 'names'}.`,
    missingWords(gone),
    done === 0
      ? ''
      : `${countOf(done, 'file')} ${done === 1 ? 'was' : 'were'} uploaded again already and ${done === 1 ? 'is' : 'are'} not sent a third time.`,
    'Jobs and results of the old batch stay as they are.',
  ]);
}

export function nothingAgain({ gone, done }: BatchAgain): {
  readonly text: string;
  readonly hint: string;
} {
  return done > 0
    ? {
        text: 'These files were uploaded again already.',
        hint: together(['Look for them in a newer batch.', missingWords(gone)]),
      }
    : {
        text: 'The files of this batch are no longer on this computer.',
        hint: 'Put them back where they were, then upload them again.',
      };
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
