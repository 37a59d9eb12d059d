/** Detects files refused one after another with the same answer: then the service refuses the batch, not the files. */
import { basename } from 'node:path';
import { detailOf, type SluiceError } from '../core/errors.ts';
import { REFUSALS_AMONG_OTHERS, REFUSALS_IN_A_ROW } from '../core/limits.ts';
import type { Store } from '../store/store.ts';
import { itemById } from '../store/tables/items.ts';

/**
 * True when this many refusals in a row mean that the service refuses the batch. `hasOthers`: some files were accepted, or are still to be
 * tried. Pure.
 */
export function isBatchRefused(inARow: number, hasOthers: boolean): boolean {
  return inARow >= (hasOthers ? REFUSALS_AMONG_OTHERS : REFUSALS_IN_A_ROW);
}

/** How many refused files are named where a batch is held. Our choice. */
const NAMED = 3;

/**
 * The refusal with the names of these files: their contents may be the reason, and while the batch is held, they are not parked. `before`:
 * what the hold says already; kept if the service gives the same answer to one file more.
 */
export function withNames(
  store: Store,
  error: SluiceError,
  itemIds: readonly number[],
  before: string | null = null,
): SluiceError {
  const paths = itemIds.slice(0, NAMED).map((id) => itemById(store, id)?.path ?? '');
  const names = paths.map((path) => basename(path)).join(', ');
  const which = itemIds.length === 1 ? names : `${itemIds.length} files in a row, such as ${names}`;
  const answer = `: ${detailOf(error) ?? 'refused'}`;
  const said = before?.endsWith(answer) === true ? before : which + answer;
  return { ...error, context: { ...error.context, said } };
}

interface InARow {
  readonly answer: string;
  readonly items: Set<number>;
  readonly counted: Set<number>;
}

/** Creates the counters of a pipeline. A restart loses them, and counting starts over. */
export function createRefusals() {
  const rows = new Map<number, InARow>();
  return {
    /**
     * Records a refusal of an item. Returns the items that were refused in a row with the same answer, and how many of them count. Once
     * there are many, only a trial counts: a try that was on its way before may concern one of several bad files next to each other.
     */
    note: (batchRow: number, itemId: number, error: SluiceError, isTrial: boolean) => {
      const answer = `${error.code} ${String(error.context['status'])}`;
      const before = rows.get(batchRow);
      const none: InARow = { answer, items: new Set(), counted: new Set() };
      const row = before?.answer === answer ? before : none;
      rows.set(batchRow, row);
      row.items.add(itemId);
      if (isTrial || row.counted.size < REFUSALS_IN_A_ROW) row.counted.add(itemId);
      return { items: [...row.items], counted: row.counted.size };
    },
    /** True when so many files were refused in a row that other files should show whether the service refuses the whole batch. */
    areMany: (batchRow: number) => (rows.get(batchRow)?.counted.size ?? 0) >= REFUSALS_IN_A_ROW,
    /**
     * Starts counting over: the service accepted something, so the earlier refusals were about the files themselves, or the batch is held.
     */
    startOver: (batchRow: number) => {
      rows.delete(batchRow);
    },
  };
}

export type Refusals = ReturnType<typeof createRefusals>;
