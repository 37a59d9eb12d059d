/** Detects files refused one after another with the same answer: then the service refuses the batch, not the files. */
import type { SluiceError } from '../core/errors.ts';
import { REFUSALS_AMONG_OTHERS, REFUSALS_IN_A_ROW } from '../core/limits.ts';

/**
 * True when this many refusals in a row mean that the service refuses the batch. `hasOthers`: some files were accepted, or are still to be
 * tried. Pure.
 */
export function isBatchRefused(inARow: number, hasOthers: boolean): boolean {
  return inARow >= (hasOthers ? REFUSALS_AMONG_OTHERS : REFUSALS_IN_A_ROW);
}

/** Creates the counters of a pipeline. A restart loses them, and counting starts over. */
export function createRefusals() {
  const rows = new Map<number, { readonly answer: string; readonly items: Set<number> }>();
  return {
    /** Counts a refusal of an item. Returns the items that were refused in a row with the same answer. */
    note: (batchRow: number, itemId: number, error: SluiceError): readonly number[] => {
      const answer = `${error.code} ${String(error.context['status'])}`;
      const before = rows.get(batchRow);
      const row = before?.answer === answer ? before : { answer, items: new Set<number>() };
      rows.set(batchRow, row);
      row.items.add(itemId);
      return [...row.items];
    },
    /** True when so many files were refused in a row that other files should show whether the service refuses the whole batch. */
    areMany: (batchRow: number) => (rows.get(batchRow)?.items.size ?? 0) >= REFUSALS_IN_A_ROW,
    /**
     * Starts counting over: the service accepted something, so the earlier refusals were about the files themselves, or the batch is held.
     */
    startOver: (batchRow: number) => {
      rows.delete(batchRow);
    },
  };
}

export type Refusals = ReturnType<typeof createRefusals>;
