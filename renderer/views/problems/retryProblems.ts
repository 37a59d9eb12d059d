/** Carries out what a person decides about files that need one. */
import type { ErrorCode, SluiceError } from '../../../preload/contract/errors.ts';
import type { ProblemGroup, ProblemJob } from '../../../preload/contract/records.ts';
import type { InputOf } from '../../../preload/contract/requests.ts';
import { request } from '../../state/bridge.ts';
import { addToast } from '../../state/toasts.svelte.ts';
import { wordsFor } from '../../text/errorWords.ts';
import { countOf } from '../../../preload/contract/figures.ts';

/** Some files, or all of a cause. */
export type Which = { readonly ids: readonly number[] } | { readonly code: ErrorCode };

function inputOf(which: Which): InputOf<'problem.retry'> {
  return 'ids' in which ? { ids: [...which.ids], code: null } : { ids: null, code: which.code };
}

function say(error: SluiceError): void {
  const { message, hint } = wordsFor(error);
  addToast({ tone: 'error', text: message, hint });
}

async function askRetry(which: Which): Promise<number | null> {
  const answer = await request('problem.retry', inputOf(which));
  if (answer.ok) return answer.value.count;
  say(answer.error);
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
  const count = await askRetry(which);
  if (count !== null) tell(count);
}

/** Tries everything again but what may be at the service already: that is asked about, file by file. */
export async function retryAllProblems(groups: readonly ProblemGroup[]): Promise<void> {
  const codes = new Set(
    groups.map(({ code }) => code).filter((code) => code !== 'upload.unproven'),
  );
  let sum = 0;
  for (const code of codes) {
    const count = await askRetry({ code });
    if (count === null) return;
    sum += count;
  }
  tell(sum);
}

/** The most that one request names. */
const MOST_IDS = 10_000;

async function restore(ids: readonly number[], onchange: () => void): Promise<void> {
  const answer = await request('problem.restore', { ids: ids.slice(0, MOST_IDS) });
  if (!answer.ok) say(answer.error);
  onchange();
}

/** Leaves files out until their content changes or they are tried again; it can be undone. */
export async function ignoreProblems(which: Which, onchange: () => void): Promise<void> {
  const answer = await request('problem.ignore', inputOf(which));
  if (!answer.ok) return say(answer.error);
  const { ids } = answer.value;
  if (ids.length === 0) return;
  addToast({
    tone: 'done',
    text: `${countOf(ids.length, 'file')} ignored`,
    hint: 'They stay in the list of skipped files.',
    action: { label: 'Undo', run: () => void restore(ids, onchange) },
  });
}

/** Adds a pattern to what a watch leaves out; it can be undone. Gives why it could not be done, or null. */
export async function leaveOutLike(
  watchId: number,
  pattern: string,
  onchange: () => void,
): Promise<SluiceError | null> {
  const answer = await request('problem.leaveOut', { watchId, pattern });
  if (!answer.ok) return answer.error;
  const { ids } = answer.value;
  const undo = async (): Promise<void> => {
    const undone = await request('problem.undoLeaveOut', {
      watchId,
      pattern,
      ids: ids.slice(0, MOST_IDS),
    });
    if (!undone.ok) say(undone.error);
    onchange();
  };
  addToast({
    tone: 'done',
    text: `Files like this are left out from now on: ${pattern}`,
    action: { label: 'Undo', run: () => void undo() },
  });
  onchange();
  return null;
}

/** Takes a failed job off the list; it can be undone. */
export async function dismissJob(
  { jobId, name }: Pick<ProblemJob, 'jobId' | 'name'>,
  onchange: () => void,
): Promise<void> {
  const set = async (dismissed: boolean): Promise<void> => {
    const answer = await request('problem.dismissJob', { jobId, dismissed });
    if (!answer.ok) say(answer.error);
    onchange();
  };
  await set(true);
  addToast({
    tone: 'done',
    text: `The failed job ${name} is off the list`,
    action: { label: 'Undo', run: () => void set(false) },
  });
}

/** Copies where files are. */
export async function copyPath(id: number): Promise<void> {
  const answer = await request('item.copy', { ids: [id], what: 'path' });
  if (answer.ok) addToast({ tone: 'done', text: 'Path copied' });
  else say(answer.error);
}

/** Keeps files as delivered because a person has seen them at the service. */
export async function treatAsDelivered(ids: readonly number[]): Promise<void> {
  const answer = await request('problem.delivered', { ids: [...ids] });
  if (answer.ok) {
    const text = `${countOf(answer.value.count, 'file')} marked as delivered.`;
    addToast({ tone: 'done', text });
    return;
  }
  say(answer.error);
}
