/** The batches that a job can be started over, as the form lists them. Pure. */
import type { BatchRow } from '../../../preload/contract/records.ts';
import { countOf } from '../../../preload/contract/figures.ts';
import { batchTitle } from '../batches/batchTitle.ts';
import { batchFigures, whyNoJob } from '../batches/batchWords.ts';

/** A batch of the list, and why it cannot be chosen; null when it can. */
export interface JobChoice {
  readonly batchId: string;
  readonly label: string;
  readonly why: string | null;
}

/** "12 images"; pipeline figures while not everything is confirmed. */
function holds({ counts, kind }: BatchRow): string {
  const { attention, confirmed, found, skipped } = counts;
  const whole = attention === 0 && confirmed > 0 && confirmed >= found - skipped;
  return whole && kind !== null ? countOf(confirmed, kind) : batchFigures(counts);
}

/** Batches that a job can process; the named one is always included. */
export function jobChoices(batches: readonly BatchRow[], named: string): readonly JobChoice[] {
  const known = new Map<string, JobChoice>();
  for (const batch of batches) {
    const why = whyNoJob(batch);
    if (why !== null && batch.batchId !== named) continue;
    const title = batchTitle(batch);
    const name = title === batch.batchId ? '' : `${title} · `;
    const figures = batch.state === 'remote' ? 'in workspace' : holds(batch);
    known.set(batch.batchId, {
      batchId: batch.batchId,
      label: `${name}${batch.batchId} (${figures})`,
      why,
    });
  }
  if (named !== '' && !known.has(named)) {
    known.set(named, { batchId: named, label: named, why: null });
  }
  return [...known.values()];
}

/** The batch preselected in the form: the named one, otherwise the only one; '' when the user has to choose. */
export function firstChoice(choices: readonly JobChoice[], named: string): string {
  if (named !== '') return named;
  const possible = choices.filter(({ why }) => why === null);
  return possible.length === 1 ? (possible[0]?.batchId ?? '') : '';
}
