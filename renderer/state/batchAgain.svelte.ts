/** The question before the files of a batch that the service deleted are uploaded again. */
import type { BatchAgain } from '../../preload/contract/uploadAgain.ts';
import { nothingAgain } from '../views/uploads/againWords.ts';
import { perform, request, showError } from './bridge.ts';
import { go } from './router.svelte.ts';
import { addToast } from './toasts.svelte.ts';

interface Question {
  readonly batchId: string;
  /** The name of the batch, as the list shows it. */
  readonly name: string;
  readonly again: BatchAgain;
}

let current = $state.raw<Question | null>(null);

export function batchAgain(): Question | null {
  return current;
}

export function closeBatchAgain(): void {
  current = null;
}

/** Asks whether to send the files of a batch into a new one; reports the reason when none can be sent. */
export async function askBatchAgain(batchId: string, name: string): Promise<void> {
  const answer = await request('batch.again', { batchId });
  if (!answer.ok) {
    showError(answer.error);
  } else if (answer.value.files === 0) {
    addToast({ tone: 'error', ...nothingAgain(answer.value) });
  } else {
    current = { batchId, name, again: answer.value };
  }
}

export async function uploadBatchAgain({ batchId, name }: Question): Promise<void> {
  if (!(await perform('batch.uploadAgain', { batchId }))) return;
  addToast({
    tone: 'done',
    text: `The files of ${name} are queued again`,
    action: { label: 'Show uploads', run: () => go('uploads') },
  });
}
