/** The times of a pipeline, collected from limits.ts; tests pass shorter ones. */
import {
  BACKOFF_FIRST_MS,
  BACKOFF_MAX_MS,
  LATE_COMMIT_MS,
  SLOW_COMMIT_MS,
  GATE_MAX_MS,
  JOB_MISSING_MS,
  ORPHAN_SHARD_MS,
  PROBE_MAX_MS,
  PARKED_AGAIN_MS,
  RESULTS_AGAIN_MS,
  RESULTS_PATIENCE_MS,
  RETENTION_MS,
  SENT_PATIENCE_MS,
  UNREACHABLE_MIDWAY_MS,
  UNREACHABLE_START_MS,
  UNMEASURED_LAG_MS,
} from '../core/limits.ts';
import type { PipelineTimes } from '../pipeline/context.ts';

/** The times of a pipeline as set in limits.ts. */
export const STANDARD_TIMES: PipelineTimes = {
  lateCommitMs: LATE_COMMIT_MS,
  slowCommitMs: SLOW_COMMIT_MS,
  orphanShardMs: ORPHAN_SHARD_MS,
  backoffFirstMs: BACKOFF_FIRST_MS,
  backoffMaxMs: BACKOFF_MAX_MS,
  confirmFirstMs: 80,
  confirmMaxMs: 10_000,
  retentionMs: RETENTION_MS,
  unmeasuredLagMs: UNMEASURED_LAG_MS,
  sentPatienceMs: SENT_PATIENCE_MS,
  gateFirstMs: BACKOFF_FIRST_MS,
  gateMaxMs: GATE_MAX_MS,
  probeMaxMs: PROBE_MAX_MS,
  resultsAgainMs: RESULTS_AGAIN_MS,
  resultsPatienceMs: RESULTS_PATIENCE_MS,
  parkedAgainMs: PARKED_AGAIN_MS,
  jobMissingMs: JOB_MISSING_MS,
  silentStartMs: UNREACHABLE_START_MS,
  silentMidwayMs: UNREACHABLE_MIDWAY_MS,
};
