/** Detects files refused one after another with the same answer: then the service refuses the batch, not the files. */
import type { SluiceError } from '../core/errors.ts';
import { REFUSALS_IN_A_ROW } from '../core/limits.ts';

/** Creates the counters of a pipeline. A restart loses them, and counting starts over. */
export function createRefusals() {
  const rows = new Map<number, { readonly answer: string; readonly items: Set<number> }>();
  return {
    /** Counts a refusal of an item. If it is the batch that is refused, returns the items with the same refusal; otherwise null. */
    note: (batchRow: number, itemId: number, error: SluiceError): readonly number[] | null => {
      const answer = `${error.code} ${String(error.context['status'])}`;
      const before = rows.get(batchRow);
      const row = before?.answer === answer ? before : { answer, items: new Set<number>() };
      rows.set(batchRow, row);
      row.items.add(itemId);
      if (row.items.size < REFUSALS_IN_A_ROW) return null;
      rows.delete(batchRow);
      return [...row.items];
    },
    /** The service accepted something: earlier refusals were about their files. */
    taken: (batchRow: number) => {
      rows.delete(batchRow);
    },
  };
}

export type Refusals = ReturnType<typeof createRefusals>;
