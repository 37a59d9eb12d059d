/** Shares of the files of one source, for several machines that send them together. Pure. */
import { createHash } from 'node:crypto';
import { sep } from 'node:path';
import type { Part } from '../../core/contract.ts';

/**
 * True for a file of this part: the first 32 bits of the SHA-256 of its path within the source, modulo the number of parts. The path is
 * written with "/" and composed characters, so that every system gives a file the same part. null: every file.
 */
export function isInPart(part: Part | null, relativePath: string): boolean {
  if (part === null || part.of === 1) return true;
  const path = relativePath.split(sep).join('/').normalize('NFC');
  return createHash('sha256').update(path).digest().readUInt32BE(0) % part.of === part.index;
}
