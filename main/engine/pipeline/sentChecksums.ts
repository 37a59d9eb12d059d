/** Checksums of recently sent files, to compare with what the storage states without reading the files again. */
import type { ComputedChecksums } from '../core/model.ts';

/** How many files are remembered: more than this rarely wait to be listed, and each costs about 200 bytes. Our choice. */
const REMEMBERED = 50_000;

/** Starts empty; forgets the oldest entries first. */
export function createSentChecksums() {
  const kept = new Map<string, ComputedChecksums>();
  return {
    /** @param hash the content hash with its algorithm */
    note(hash: string, checksums: ComputedChecksums) {
      kept.delete(hash);
      kept.set(hash, checksums);
      if (kept.size <= REMEMBERED) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    },
    of: (hash: string): ComputedChecksums | null => kept.get(hash) ?? null,
  };
}

export type SentChecksums = ReturnType<typeof createSentChecksums>;
