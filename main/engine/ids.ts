/** Gives checked strings their brand. The checks are the formats that the service and files/ promise. */
import { legalBatchId, legalJobId } from './files/safeNames.ts';
import type { BatchId, Fingerprint, JobId, Stamp } from './model.ts';

const BATCH_ID = /^[a-z0-9_-]{1,64}$/;
const JOB_ID = /^[a-z0-9-]{1,20}$/;

/** True for an id that the service takes for a batch. */
export function isBatchId(text: string): text is BatchId {
  return BATCH_ID.test(text);
}

/** True for an id that the service takes for a job. */
export function isJobId(text: string): text is JobId {
  return JOB_ID.test(text);
}

/** True for any string: stamps are only ever compared. */
export function isStamp(text: string): text is Stamp {
  return typeof text === 'string';
}

/** True for any non-empty string: fingerprints are only ever compared. */
export function isFingerprint(text: string): text is Fingerprint {
  return text !== '';
}

/** The modification time inside a stamp (size:mtimeNs:ctimeNs:inode), epoch ms; 0 when it has none. */
export function modifiedAt(stamp: Stamp): number {
  const nanoseconds = stamp.split(':')[1];
  return nanoseconds === undefined || nanoseconds === ''
    ? 0
    : Math.max(0, Math.floor(Number(nanoseconds) / 1e6));
}

/** The text as a legal batch id; null when nothing of it can stand in one. */
export function batchIdFrom(text: string): BatchId | null {
  return /[\p{L}\p{N}]/u.test(text) ? legalBatchId(text).id : null;
}

/** The text as a legal job id; null when nothing of it can stand in one. */
export function jobIdFrom(text: string): JobId | null {
  return /[\p{L}\p{N}]/u.test(text) ? legalJobId(text).id : null;
}
