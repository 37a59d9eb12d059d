/** Carries out what a person decides about files that need one. */
import type { ErrorCode } from '../../../preload/contract/errors.ts';
import type { ProblemGroup } from '../../../preload/contract/records.ts';
import { request } from '../../state/bridge.ts';
import { addToast } from '../../state/toasts.svelte.ts';
import { wordsFor } from '../../text/errorWords.ts';
import { countOf } from '../../../preload/contract/figures.ts';

/** Some files, or all of a cause. */
export type Which = { readonly ids: readonly number[] } | { readonly code: ErrorCode };

async function ask(
  which: Which,
  name: 'problem.retry' | 'problem.ignore' = 'problem.retry',
): Promise<number | null> {
  const input =
    'ids' in which ? { ids: [...which.ids], code: null } : { ids: null, code: which.code };
  const answer = await request(name, input);
  if (answer.ok) return answer.value.count;
  const { message, hint } = wordsFor(answer.error);
  addToast({ tone: 'error', text: message, hint });
  return null;
}

function tell(count: number): void {
  addToast({
    tone: 'done',
    text:
      count === 0 ? 'Nothing was left to try again.' : `Trying ${countOf(count, 'file')} again.`,
  });
}

/** Tries some files again, or all of a cause. */
export async function retryProblems(which: Which): Promise<void> {
  const count = await ask(which);
  if (count !== null) tell(count);
}

/** Tries everything again but what may be at the service already: that is asked about, file by file. */
export async function retryAllProblems(groups: readonly ProblemGroup[]): Promise<void> {
  const codes = new Set(
    groups.map(({ code }) => code).filter((code) => code !== 'upload.unproven'),
  );
  let sum = 0;
  for (const code of codes) {
    const count = await ask({ code });
    if (count === null) return;
    sum += count;
  }
  tell(sum);
}

/** Leaves files out until their content changes or they are tried again. */
export async function ignoreProblems(which: Which): Promise<void> {
  const count = await ask(which, 'problem.ignore');
  if (count === null) return;
  const text = `${countOf(count, 'file')} ignored. What was left out lists ${count === 1 ? 'it' : 'them'}.`;
  addToast({ tone: 'done', text });
}

/** Keeps files as delivered because a person has seen them at the service. */
export async function treatAsDelivered(ids: readonly number[]): Promise<void> {
  const answer = await request('problem.delivered', { ids: [...ids] });
  if (answer.ok) {
    const text = `${countOf(answer.value.count, 'file')} marked as delivered.`;
    addToast({ tone: 'done', text });
    return;
  }
  const { message, hint } = wordsFor(answer.error);
  addToast({ tone: 'error', text: message, hint });
}
