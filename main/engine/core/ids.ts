/** Gives checked strings their brand: each format has one check, here. */
import { BATCH_ID, JOB_ID } from '../../../preload/contract/idPatterns.ts';
import type { BatchId, Fingerprint, HashKind, JobId, Stamp } from './model.ts';

/** '' for a file that has not been checked yet, else size, modification time, change time (ns) and inode. */
const STAMP = /^(?:\d+:-?\d+:-?\d+:\d+)?$/;
const FINGERPRINT = /^[sl]\d+-(?:b3:)?[0-9a-f]{64}$/;

export function isBatchId(text: string): text is BatchId {
  return BATCH_ID.test(text);
}

export function isJobId(text: string): text is JobId {
  return JOB_ID.test(text);
}

/** True for a stamp as files/fileFacts.ts makes them, and for the empty stamp of a file that has not been checked yet. */
export function isStamp(text: string): text is Stamp {
  return STAMP.test(text);
}

/** The stamp of a file that has not been checked yet. */
export function noStamp(): Stamp {
  const none = '';
  if (!isStamp(none)) throw new Error('an empty stamp is a stamp');
  return none;
}

/** True for a fingerprint as files/fingerprint.ts makes them. */
export function isFingerprint(text: string): text is Fingerprint {
  return FINGERPRINT.test(text);
}

/** True for the fingerprint of a large file, which covers only its sampled stretches. */
export function isSampled(fingerprint: string): boolean {
  return fingerprint.startsWith('l');
}

/** The algorithm that a hash or a fingerprint names; no prefix means SHA-256. */
export function hashKindOf(value: string): HashKind {
  return value.includes('b3:') ? 'b3' : 'sha256';
}

/** A time inside a stamp (size:mtimeNs:ctimeNs:inode), epoch ms; 0 when it has none. */
function timeIn(stamp: Stamp, position: 1 | 2): number {
  return Math.max(0, Math.floor(Number(stamp.split(':')[position] ?? 0) / 1e6));
}

/** The modification time inside a stamp. */
export function modifiedAt(stamp: Stamp): number {
  return timeIn(stamp, 1);
}

/** The change time inside a stamp. */
export function changedAt(stamp: Stamp): number {
  return timeIn(stamp, 2);
}
