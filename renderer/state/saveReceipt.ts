import { perform, request, showError } from './bridge.ts';
import { addToast } from './toasts.svelte.ts';

export async function saveReceipt(batchId: string, format: 'csv' | 'json'): Promise<void> {
  const answer = await request('batch.receipt', { batchId, format });
  if (!answer.ok) return showError(answer.error);
  if (answer.value === null) return;
  const { path } = answer.value;
  addToast({
    tone: 'done',
    text: 'Receipt saved',
    hint: path,
    action: { label: 'Show in folder', run: () => void perform('folder.open', { path }) },
  });
}
