/** The times of a line, put together from limits.ts; tests bring shorter ones. */
import {
  BACKOFF_FIRST_MS,
  BACKOFF_MAX_MS,
  LATE_COMMIT_MS,
  ORPHAN_SHARD_MS,
  RETENTION_MS,
} from './limits.ts';
import type { LineTimes } from './pipeline/line.ts';

/** The times of a line as limits.ts states them. */
export const STANDARD_TIMES: LineTimes = {
  lateCommitMs: LATE_COMMIT_MS,
  orphanShardMs: ORPHAN_SHARD_MS,
  backoffFirstMs: BACKOFF_FIRST_MS,
  backoffMaxMs: BACKOFF_MAX_MS,
  confirmFirstMs: 80,
  confirmMaxMs: 10_000,
  retentionMs: RETENTION_MS,
};
