/** Checksums of the part of a body that the storage keeps: all of it, or only the file of a form. */
import { type Checksums, createChecksums } from '../../core/digest.ts';
import type { ComputedChecksums, SourcePlan } from '../../core/model.ts';
import { bodyBytes } from './bodyLayout.ts';

/** The checksums of a body that was not read to its end. */
export const UNKNOWN_CHECKSUMS: ComputedChecksums = {
  crc32c: null,
  md5: null,
  sha256: null,
  lengthBytes: null,
};

function keptSpan(plan: SourcePlan): { readonly from: number; readonly until: number } {
  const { frame } = plan;
  if (frame.kind !== 'form') return { from: 0, until: Number.POSITIVE_INFINITY };
  return { from: frame.prefix.length, until: bodyBytes(plan) - frame.suffix.length };
}

/** Starts the checksums of a body; pass its pieces in order. Options as for createChecksums. */
export function createBodyChecksums(
  plan: SourcePlan,
  options: { readonly md5: boolean },
): Checksums {
  const { from, until } = keptSpan(plan);
  const { update, finish } = createChecksums(options);
  let at = 0;
  return {
    update(piece) {
      const isWhole = at >= from && at + piece.length <= until;
      update(isWhole ? piece : piece.subarray(Math.max(0, from - at), Math.max(0, until - at)));
      at += piece.length;
    },
    finish,
  };
}
