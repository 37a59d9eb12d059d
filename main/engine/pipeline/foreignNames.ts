/** Other computers' names in batches that we fill too, as far as they were listed in this run; a few bytes each. */
import { hash } from 'node:crypto';

/** The first 52 bits of a hash of a text. */
function hashOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 13), 16);
}

/** Creates the empty set for one pipeline; it is lost on restart. */
export function createForeignNames() {
  const batches = new Map<number, Set<number>>();
  return {
    /** Records a name key that is not ours. */
    add: (batchRow: number, key: string) => {
      const names = batches.get(batchRow) ?? new Set<number>();
      batches.set(batchRow, names.add(hashOf(key)));
    },
    /** True when the key was listed as another computer's. A false positive is harmless: the list is read, or a video gets another name. */
    has: (batchRow: number, key: string) => batches.get(batchRow)?.has(hashOf(key)) === true,
  };
}

export type ForeignNames = ReturnType<typeof createForeignNames>;
