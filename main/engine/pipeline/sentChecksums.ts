/** Checksums of files that were sent recently: what the storage states of them is compared without reading them again. */
import type { ComputedChecksums } from '../core/model.ts';

/** Files that are remembered: rarely do more wait to be listed, and each costs about 200 bytes. Ours. */
const REMEMBERED = 50_000;

export interface SentChecksums {
  /** @param hash of the content, with its algorithm */
  note(hash: string, checksums: ComputedChecksums): void;
  of(hash: string): ComputedChecksums | null;
}

/** Begins with none; the oldest are forgotten first. */
export function createSentChecksums(): SentChecksums {
  const kept = new Map<string, ComputedChecksums>();
  return {
    note(hash, checksums) {
      kept.delete(hash);
      kept.set(hash, checksums);
      if (kept.size <= REMEMBERED) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    },
    of: (hash) => kept.get(hash) ?? null,
  };
}
