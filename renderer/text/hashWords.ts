/** A content hash as displayed: the name of its algorithm, and its value without the ledger's prefix. Pure. */
const BLAKE3 = 'b3:';

export function hashWords(hash: string): { readonly kind: string; readonly hex: string } {
  return hash.startsWith(BLAKE3)
    ? { kind: 'BLAKE3', hex: hash.slice(BLAKE3.length) }
    : { kind: 'SHA-256', hex: hash };
}
