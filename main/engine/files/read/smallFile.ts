/** Reads one small file of a body and proves that it is what was identified. Synchronous: for use inside a worker. */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readCode } from '../../core/errno.ts';
import { hashKindOf } from '../../core/ids.ts';
import type { SourceMember, SourceOutcome } from '../../core/model.ts';
import { readFully } from '../byteSource.ts';
import { contentHash } from '../contentHash.ts';
import { smallFingerprint } from '../fingerprint.ts';
import { encodePath } from '../names/pathBytes.ts';
import type { Framing } from './bodyLayout.ts';
import { READ_FLAGS } from './inspectFile.ts';
import { takeRecent } from './recentFiles.ts';

export type ChangedCode = Extract<SourceOutcome, { kind: 'changed' }>['code'];

/** The result for one member: its hash, or null when it is not what was identified. */
export type Verified = string | null;

/** The outcome's code for a failed read: a temporary failure is treated like a change and checked again. */
export function failedCode(error: unknown): ChangedCode {
  const code = readCode(error);
  return code === 'file.busy' ? 'item.changed' : code;
}

/** Reads a small file into memory for one byte more than it has. Returns its hash; null when it is not what was identified. */
function readSmall(member: SourceMember, target: Buffer): Verified {
  const { path, sizeBytes, fingerprint } = member;
  const recent = takeRecent(member);
  if (recent !== null) {
    target.set(recent.bytes);
    return recent.hash;
  }
  const fd = openSync(encodePath(path), READ_FLAGS);
  try {
    // For a regular file, the hash shows everything else.
    if (!fstatSync(fd).isFile() || readFully(fd, target, 0, sizeBytes) !== sizeBytes) return null;
  } finally {
    closeSync(fd);
  }
  const hash = contentHash(target.subarray(0, sizeBytes), hashKindOf(fingerprint));
  return smallFingerprint(sizeBytes, hash) === fingerprint ? hash : null;
}

/** Fills memory, one byte longer than needed, with a small file and the bytes around it. Returns as readSmall. */
export function fillSmall(
  member: SourceMember,
  { prefix, suffix }: Framing,
  room: Buffer,
): Verified {
  const end = prefix.length + member.sizeBytes;
  const hash = readSmall(member, room.subarray(prefix.length, end + 1));
  if (hash === null) return null;
  room.set(prefix);
  room.set(suffix, end);
  return hash;
}
