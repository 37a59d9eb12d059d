/** Splits the files of one source among several machines that upload it together. Pure. */
import { createHash } from 'node:crypto';
import { sep } from 'node:path';
import type { Part } from '../../core/contract.ts';

/**
 * Whether a file belongs to this part: the first 32 bits of the SHA-256 of its path within the source, modulo the number of
 * parts. On every system the path is hashed with "/" and composed characters (NFC). A null part holds every file.
 */
export function isInPart(part: Part | null, relativePath: string): boolean {
  if (part === null || part.of === 1) return true;
  const path = relativePath.split(sep).join('/').normalize('NFC');
  return createHash('sha256').update(path).digest().readUInt32BE(0) % part.of === part.index;
}
