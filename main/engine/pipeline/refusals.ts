/** Files that the service refuses one after the other with the same answer: then it refuses the batch, not the files. */
import type { SluiceError } from '../core/errors.ts';
import { REFUSALS_IN_A_ROW } from '../core/limits.ts';

export interface Refusals {
  /** Counts a refusal of an item. Answers the items that were refused alike when it is the batch that is refused; else null. */
  note(batchRow: number, itemId: number, error: SluiceError): readonly number[] | null;
  /** The service took something: refusals before that were about their files. */
  taken(batchRow: number): void;
}

/** Makes the memory of a pipeline. It is lost in a restart, after which counting begins again. */
export function createRefusals(): Refusals {
  const rows = new Map<number, { readonly answer: string; readonly items: Set<number> }>();
  return {
    note: (batchRow, itemId, error) => {
      const answer = `${error.code} ${String(error.context['status'])}`;
      const before = rows.get(batchRow);
      const row = before?.answer === answer ? before : { answer, items: new Set<number>() };
      rows.set(batchRow, row);
      row.items.add(itemId);
      if (row.items.size < REFUSALS_IN_A_ROW) return null;
      rows.delete(batchRow);
      return [...row.items];
    },
    taken: (batchRow) => {
      rows.delete(batchRow);
    },
  };
}
