/** Other computers' names in batches that we fill too, as far as they were listed in this run; a few bytes each. */

/** A 53-bit hash of a text, made of two 32-bit multiplicative hashes. Not cryptographic. */
function hashOf(text: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
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
    /** True when the key was listed as another computer's. A false positive is harmless: it only causes the list to be read. */
    has: (batchRow: number, key: string) => batches.get(batchRow)?.has(hashOf(key)) === true,
  };
}

export type ForeignNames = ReturnType<typeof createForeignNames>;
