/** Carries out what a person decides about files that need attention. */
import type { ErrorCode, SluiceError } from '../../../preload/contract/errors.ts';
import type { ProblemGroup, ProblemJob, ProblemRow } from '../../../preload/contract/records.ts';
import type { InputOf, OutputOf } from '../../../preload/contract/requests.ts';
import { perform, request, showError } from '../../state/bridge.ts';
import { addToast, dismissToast, toasts } from '../../state/toasts.svelte.ts';
import { undoneWords } from '../../text/problemWords.ts';
import { countOf } from '../../../preload/contract/figures.ts';

/** Some files, or all with a cause; `all` leaves out those that may already be on the service: they are asked about one by one. */
export type Which = { readonly ids: readonly number[] } | { readonly code: ErrorCode } | 'all';

/** Files that are being tried again, as they were listed before, and the toast about them. */
interface Tried {
  readonly toast: number;
  readonly rows: readonly ProblemRow[];
}

let listed: readonly ProblemRow[] = [];
let tried: readonly Tried[] = [];

/** Notes what the list of problems shows. When it shows all files of a try again, the toast about that try is removed. */
export function noteListed(groups: readonly ProblemGroup[]): void {
  listed = groups.flatMap(({ rows }) => rows);
  const isBack = (before: ProblemRow): boolean =>
    listed.some(({ id, since }) => id === before.id && since !== before.since);
  const shown = new Set(toasts().map(({ id }) => id));
  tried = tried.filter(({ toast, rows }) => {
    const isOver = rows.every(isBack);
    if (isOver) dismissToast(toast);
    return !isOver && shown.has(toast);
  });
}

function isAmong({ ids, code }: ProblemRow, which: Which): boolean {
  if (which === 'all') return code !== 'upload.unproven';
  return 'ids' in which ? ids.some((id) => which.ids.includes(id)) : code === which.code;
}

function inputOf(which: Which): InputOf<'problem.retry'> {
  if (which === 'all') return { ids: null, code: null };
  return 'ids' in which ? { ids: [...which.ids], code: null } : { ids: null, code: which.code };
}

type Decided = OutputOf<'problem.retry'>;

/** Undoes a decision, and reports how much could still be undone. */
async function undo({ undo: one, count }: Decided, onchange: () => void): Promise<void> {
  const answer = await request('problem.undo', { undo: one });
  if (!answer.ok) return showError(answer.error);
  addToast({ tone: 'done', ...undoneWords(answer.value.count, count) });
  onchange();
}

/** `rows`: the files that are tried again, as far as they were listed. */
function tell(decided: Decided, rows: readonly ProblemRow[], onchange: () => void): void {
  const { count } = decided;
  if (count === 0) {
    addToast({ tone: 'done', text: 'Nothing was left to try again.' });
    return;
  }
  const toast = addToast({
    tone: 'done',
    text: `Trying ${countOf(count, 'file')} again.`,
    action: { label: 'Undo', run: () => void undo(decided, onchange) },
  });
  if (rows.length > 0) tried = [...tried, { toast, rows }];
}

/** Tries files again; can be undone for files not sent yet. */
export async function retryProblems(which: Which, onchange: () => void): Promise<void> {
  const rows = listed.filter((row) => isAmong(row, which));
  const answer = await request('problem.retry', inputOf(which));
  if (answer.ok) tell(answer.value, rows, onchange);
  else showError(answer.error);
  onchange();
}

/** Undoes a decision that sent nothing, so that the list shows what is back. */
async function undoUnsent({ undo: one }: Decided, onchange: () => void): Promise<void> {
  await perform('problem.undo', { undo: one });
  onchange();
}

/** Ignores files until their content changes or they are tried again; can be undone. */
export async function ignoreProblems(which: Which, onchange: () => void): Promise<void> {
  const answer = await request('problem.ignore', inputOf(which));
  if (!answer.ok) return showError(answer.error);
  const decided = answer.value;
  const { count } = decided;
  if (count === 0) return;
  addToast({
    tone: 'done',
    text: `${countOf(count, 'file')} ignored`,
    hint: `${count === 1 ? 'It stays' : 'They stay'} in the list of skipped files.`,
    action: { label: 'Undo', run: () => void undoUnsent(decided, onchange) },
  });
}

/** Adds a pattern to a watch's exclusions; can be undone. Returns why it failed, or null. */
export async function leaveOutLike(
  watchId: number,
  pattern: string,
  onchange: () => void,
): Promise<SluiceError | null> {
  const answer = await request('problem.leaveOut', { watchId, pattern });
  if (!answer.ok) return answer.error;
  addToast({
    tone: 'done',
    text: `Files like this are excluded from now on: ${pattern}`,
    action: { label: 'Undo', run: () => void undoUnsent(answer.value, onchange) },
  });
  onchange();
  return null;
}

/** Removes a failed job from the list; can be undone. */
export async function dismissJob(
  { jobId, name }: Pick<ProblemJob, 'jobId' | 'name'>,
  onchange: () => void,
): Promise<void> {
  const set = async (dismissed: boolean): Promise<boolean> => {
    const done = await perform('problem.dismissJob', { jobId, dismissed });
    onchange();
    return done;
  };
  if (!(await set(true))) return;
  addToast({
    tone: 'done',
    text: `The failed job ${name} is off the list`,
    action: { label: 'Undo', run: () => void set(false) },
  });
}

/** Marks files as delivered because a person has seen them on the service; can be undone. */
export async function treatAsDelivered(
  ids: readonly number[],
  onchange: () => void,
): Promise<void> {
  const answer = await request('problem.delivered', { ids: [...ids] });
  if (!answer.ok) return showError(answer.error);
  const decided = answer.value;
  addToast({
    tone: 'done',
    text: `${countOf(decided.count, 'file')} marked as delivered.`,
    action: { label: 'Undo', run: () => void undo(decided, onchange) },
  });
  onchange();
}
