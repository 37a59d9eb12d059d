/** What the window requests page by page: plain JSON values, built from the ledger and the service's records. Times are epoch ms. */
import type { ErrorCode, SluiceError } from './errors.ts';
import type { WaitView } from './waits.ts';
import type {
  AnnotationJob,
  Insights,
  OutputPart,
  Project,
  ShardDetails,
  Stage,
  Task,
} from './serviceRecords.ts';

export const MEDIA_KINDS = ['image', 'video'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** How far the upload of a file has come. */
export const ITEM_STATES = [
  'queued',
  'planned',
  'sending',
  'sent',
  'unknown',
  'confirmed',
  'skipped',
  'parked',
] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/**
 * Items by state. `queued`: nothing has been sent, even if packed; `sending`: on the wire; `sent`: all bytes sent but not confirmed yet,
 * even when the answer was lost; `attention`: parked.
 */
export interface Counts {
  readonly found: number;
  readonly queued: number;
  readonly sending: number;
  readonly sent: number;
  readonly confirmed: number;
  readonly skipped: number;
  readonly attention: number;
}

export interface PageOf<T> {
  readonly total: number;
  readonly rows: readonly T[];
}

export interface BatchRow {
  readonly batchId: string;
  readonly displayName: string | null;
  readonly kind: MediaKind | null;
  readonly mode: 'single' | 'bulk' | null;
  /** remote: it exists on the service but not in the ledger. */
  readonly state: 'open' | 'sealed' | 'processed' | 'expired' | 'remote';
  readonly counts: Counts;
  /**
   * Files that would go to this open batch, by its name or through its watch, but need a person's decision before they get a batch. Not in
   * `counts`.
   */
  readonly unplaced: number;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly jobId: string | null;
  /** The state of that job; null without one. */
  readonly jobState: JobRow['state'] | null;
}

export interface ItemRow {
  readonly id: number;
  readonly path: string;
  readonly name: string | null;
  readonly sizeBytes: number;
  readonly kind: MediaKind | null;
  readonly state: ItemState;
  readonly reason: ErrorCode | null;
  /** The service's or the system's own message about it. */
  readonly detail: string | null;
  readonly sha256: string | null;
  readonly stateAt: number;
}

/** A file found by its name, and where it went. */
export interface FoundFile extends ItemRow {
  readonly batchId: string | null;
  readonly foundAt: number;
}

/** What happened on one local day. */
export interface HistoryDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** Files by source, in their current state; at most 50 sources, latest first. */
  readonly sources: readonly {
    readonly destinationId: number;
    /** null: dropped, or chosen for a one-time upload. */
    readonly watchId: number | null;
    readonly name: string;
    readonly found: number;
    readonly bytes: number;
    readonly confirmed: number;
    readonly skipped: number;
    readonly attention: number;
  }[];
  /** Jobs that ended; at most 20, latest first. */
  readonly jobs: readonly {
    readonly jobId: string;
    readonly name: string;
    readonly state: 'succeeded' | 'failed' | 'aborted';
    readonly endedAt: number;
  }[];
  /** Result files that were downloaded. */
  readonly results: number;
}

export interface LeftOutRow extends Pick<ItemRow, 'id' | 'path' | 'sizeBytes' | 'kind' | 'reason'> {
  /** The file with the same content. */
  readonly duplicateOf: {
    readonly path: string;
    readonly state: ItemState;
    readonly batchId: string | null;
  } | null;
}

export interface LeftOutPage extends PageOf<LeftOutRow> {
  /** How many files have each reason, regardless of the search; most frequent first. */
  readonly reasons: readonly { readonly reason: ErrorCode; readonly count: number }[];
}

export interface BatchDetail {
  readonly batch: BatchRow;
  /** The service's count of files; null when it did not answer. */
  readonly countAtService: number | null;
  /** Files that the batch did not accept, including duplicates. */
  readonly leftOut: number;
  /** What waits in this batch; a `held` wait can be tried now. */
  readonly waits: readonly WaitView[];
  /** Jobs over it that this computer started, newest first; for a batch that a job filled, that job. At most 20. */
  readonly jobs: readonly Pick<JobRow, 'jobId' | 'name' | 'state' | 'createdAt'>[];
  readonly shards: readonly ShardDetails[];
  readonly parts: readonly Omit<OutputPart, 'type'>[];
  readonly error: SluiceError | null;
}

export interface OutputRow {
  readonly part: string | null;
  readonly fileName: string;
  readonly contentType: string;
  /** The downloaded file on this computer; null before the download. */
  readonly path: string | null;
}

export interface JobRow {
  readonly jobId: string;
  readonly name: string;
  readonly batchId: string | null;
  readonly state: 'planned' | 'queued' | 'running' | 'succeeded' | 'failed' | 'aborted' | 'parked';
  readonly currentStage: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface StageView extends Omit<Stage, 'outputBatches'> {
  /** How much of it is done, 0 to 1. */
  readonly fraction: number;
  /** At most 500; `tasksNumber` is how many there are. */
  readonly tasks: readonly Task[];
}

export interface JobDetail {
  readonly job: JobRow;
  readonly lastMessage: string | null;
  readonly stages: readonly StageView[];
  readonly definition: string;
  /** The batch of results on the service; null when there is none or it is not known. */
  readonly resultsBatch: string | null;
  /** False when the service has deleted its record of the job, or never had one. */
  readonly isAtService: boolean;
  /** Why the service could not be asked: the rest comes from the ledger, or, if only stages or tasks are affected, they are old. */
  readonly error: SluiceError | null;
  /** Whether the job's state allows these operations; a job that was not started is given up. */
  readonly canAbort: boolean;
  readonly canRestart: boolean;
  /** Why it was not started; null once it runs, or when nothing blocks it. */
  readonly blockedBy: ErrorCode | null;
}

export interface ProjectRow extends Project {
  readonly folderId: string | null;
  /** True when it was added by id because the service does not list it. */
  readonly added: boolean;
}

export type AnnotationJobRow = Omit<AnnotationJob, 'sourceBatch' | 'unannotated'>;

export interface InsightsView extends Omit<Insights, 'projectId'> {
  /** Daily snapshots of the totals, oldest first; at most 400. */
  readonly trend: readonly {
    readonly day: string;
    readonly imagesLabeled: number | null;
    readonly approvalPercent: number | null;
  }[];
}

export interface ProblemRow {
  /** The first of `ids`. */
  readonly id: number;
  /** The same file may have been found more than once, for example by a watch and as a drop. */
  readonly ids: readonly number[];
  readonly path: string;
  /** Relative to the watched or dropped directory. */
  readonly relativePath: string;
  readonly kind: MediaKind | null;
  /** The watch that found it; null without one. */
  readonly watchId: number | null;
  readonly batchId: string | null;
  readonly code: ErrorCode;
  readonly detail: string | null;
  readonly since: number;
}

export interface ProblemJob {
  readonly jobId: string;
  readonly name: string;
  readonly batchId: string;
  readonly failedAt: number;
}

export interface ProblemGroup {
  readonly code: ErrorCode;
  readonly detail: string | null;
  /** Number of files; each is counted once. */
  readonly count: number;
  /** At most 50 of them. */
  readonly rows: readonly ProblemRow[];
}

/** What a rule would do with the files that exist now. */
export interface RulePreview {
  /** Files that would be uploaded. */
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: number;
  /** Files that were already uploaded and are unchanged; 0 for a rule that has no watch yet. */
  readonly uploaded: number;
  /** True when counting stopped at a limit and there is more. */
  readonly more: boolean;
  /** At most 20. */
  readonly batches: readonly {
    readonly batchId: string;
    readonly files: number;
    readonly bytes: number;
  }[];
  readonly batchCount: number;
  /** Warnings about what may go wrong: a fixed id that expires, a workflow that is never started. */
  readonly warnings: readonly string[];
  /** Notes about facts: an id that was made valid, where videos go. */
  readonly notes: readonly string[];
}

/** What exists at a path that was dropped or chosen. */
export interface DroppedPath {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'gone' | 'unreadable';
}

/** What was dropped or chosen, before any of it is sent. */
export interface DropSummary {
  readonly paths: readonly DroppedPath[];
  readonly files: number;
  readonly bytes: number;
  /** Files that cannot be uploaded: empty, temporary, unreadable, too large, no image or video. */
  readonly leftOut: number;
  /** True when counting stopped early and there is more. */
  readonly more: boolean;
}

/** Why a path is, or is not, uploaded. */
export interface PathExplanation {
  readonly path: string;
  readonly headline: string;
  readonly details: readonly string[];
}
