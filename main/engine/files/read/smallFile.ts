/** Reads one small file of a body and proves that its content is what was identified. */
import { readCode } from '../../core/errno.ts';
import { hashKindOf } from '../../core/ids.ts';
import type { SourceMember, SourceOutcome } from '../../core/model.ts';
import { contentHash } from '../contentHash.ts';
import { smallFingerprint } from '../fingerprint.ts';
import type { Framing } from './bodyLayout.ts';
import type { ReadSmall } from './readSmall.ts';

export type ChangedCode = Extract<SourceOutcome, { kind: 'changed' }>['code'];

/** The result for one member: its hash, or null when its content is not what was identified. */
export type Verified = string | null;

/**
 * The outcome's code for a failed read: a temporary failure, or a link that leads nowhere now, is treated like a change and checked
 * again.
 */
export function failedCode(error: unknown): ChangedCode {
  const code = readCode(error);
  return code === 'file.busy' || code === 'item.link' ? 'item.changed' : code;
}

/** Reads a small file into memory that has room for one byte more. Returns its hash; null when its content is not what was identified. */
async function readVerified(
  member: SourceMember,
  target: Buffer,
  readSmall: ReadSmall,
): Promise<Verified> {
  const { path, sizeBytes, fingerprint } = member;
  // For a regular file of that length, the hash shows any other difference.
  if (!(await readSmall(path, target))) return null;
  const hash = contentHash(target.subarray(0, sizeBytes), hashKindOf(fingerprint));
  return smallFingerprint(sizeBytes, hash) === fingerprint ? hash : null;
}

/** Fills memory, one byte longer than needed, with a small file and the bytes around it. Returns as readVerified. */
export async function fillSmall(
  member: SourceMember,
  { prefix, suffix }: Framing,
  room: Buffer,
  readSmall: ReadSmall,
): Promise<Verified> {
  const end = prefix.length + member.sizeBytes;
  const hash = await readVerified(member, room.subarray(prefix.length, end + 1), readSmall);
  if (hash === null) return null;
  room.set(prefix);
  room.set(suffix, end);
  return hash;
}
