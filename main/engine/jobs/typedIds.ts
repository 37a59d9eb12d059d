/** Ids from what a person typed. */
import { legalBatchId, legalJobId } from '../files/names/safeNames.ts';
import type { BatchId, JobId } from '../core/model.ts';

/** The text as a legal batch id; null when none of its characters can be part of one. */
export function batchIdFrom(text: string): BatchId | null {
  return /[\p{L}\p{N}]/u.test(text) ? legalBatchId(text) : null;
}

/** The text as a legal job id; null when none of its characters can be part of one. */
export function jobIdFrom(text: string): JobId | null {
  return /[\p{L}\p{N}]/u.test(text) ? legalJobId(text) : null;
}
