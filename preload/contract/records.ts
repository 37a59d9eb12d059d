/** Rows and details that the window asks for page by page: plain JSON values. Types only. */
import type { ErrorCode, SluiceError } from './errors.ts';
import type { Counts } from './snapshot.ts';

/** A page of a long list. */
export interface PageOf<T> {
  readonly total: number;
  readonly offset: number;
  readonly rows: readonly T[];
}

export interface BatchRow {
  readonly batchId: string;
  readonly displayName: string | null;
  readonly kind: 'image' | 'video' | null;
  readonly mode: 'single' | 'bulk' | null;
  /** remote: only the service knows it. */
  readonly state: 'open' | 'sealed' | 'processed' | 'expired' | 'remote';
  readonly counts: Counts;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly jobId: string | null;
}

export interface ItemRow {
  readonly id: number;
  readonly path: string;
  readonly name: string | null;
  readonly sizeBytes: number;
  readonly kind: 'image' | 'video' | null;
  readonly state:
    'queued' | 'planned' | 'sending' | 'sent' | 'unknown' | 'confirmed' | 'skipped' | 'parked';
  readonly reason: ErrorCode | null;
  readonly said: string | null;
  readonly sha256: string | null;
  readonly stateAt: number;
}

/** A file that was not uploaded, for a reason. */
export interface LeftOutRow {
  readonly id: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly kind: 'image' | 'video' | null;
  readonly reason: ErrorCode | null;
  /** The file whose content it repeats. */
  readonly same: {
    readonly path: string;
    readonly state: ItemRow['state'];
    readonly batchId: string | null;
  } | null;
}

export interface LeftOutPage extends PageOf<LeftOutRow> {
  /** How many there are for each reason, whatever is searched; the most first. */
  readonly reasons: readonly { readonly reason: ErrorCode; readonly count: number }[];
}

export interface ShardRow {
  readonly shardId: string;
  readonly status: 'running' | 'succeeded' | 'failed';
  readonly statusName: string;
  readonly objectsCount: number;
  readonly eventAt: number;
  readonly details: string | null;
}

export interface BatchDetail {
  readonly batch: BatchRow;
  /** What the service counts; null when it did not answer. */
  readonly countAtService: number | null;
  /** Files that were sent to it and not taken, copies of what is in it among them. */
  readonly leftOut: number;
  readonly shards: readonly ShardRow[];
  readonly parts: readonly {
    readonly name: string;
    readonly contentType: string;
    readonly description: string | null;
  }[];
  readonly error: SluiceError | null;
}

export interface OutputRow {
  readonly part: string | null;
  readonly fileName: string;
  readonly contentType: string;
  /** The file on this computer, when it was fetched. */
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

export interface TaskRow {
  readonly taskId: string;
  readonly status: 'running' | 'succeeded' | 'failed';
  readonly message: string;
  readonly progressFraction: number | null;
  readonly eventAt: number;
}

export interface StageView {
  readonly stageId: string;
  readonly name: string;
  readonly status: 'running' | 'succeeded' | 'failed';
  readonly message: string;
  readonly tasksNumber: number;
  readonly fraction: number;
  readonly startedAt: number;
  readonly eventAt: number;
  /** At most 500; `tasksNumber` says how many there are. */
  readonly tasks: readonly TaskRow[];
}

export interface JobDetail {
  readonly job: JobRow;
  readonly lastMessage: string | null;
  readonly stages: readonly StageView[];
  readonly definition: string;
  /** Where the outputs stand at the service; null when not known. */
  readonly resultsBatch: string | null;
  /** What the service offers beyond the 18 operations. */
  readonly canAbort: boolean;
  readonly canRestart: boolean;
  /** What keeps it from being started; null once it runs, or when nothing does. */
  readonly hindrance: ErrorCode | null;
}

export interface LogRow {
  readonly at: number;
  readonly severity: string;
  readonly stageId: string | null;
  readonly taskId: string | null;
  readonly text: string;
}

export interface FolderView {
  readonly folderId: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly projects: readonly { readonly projectId: string; readonly name: string }[];
}

export interface ProjectRow {
  readonly projectId: string;
  readonly name: string;
  readonly type: string | null;
  readonly images: number | null;
  readonly folderId: string | null;
  /** Added by hand: the service does not list it. */
  readonly added: boolean;
}

export interface ImageBatchRow {
  readonly imageBatchId: string;
  readonly name: string;
  readonly images: number;
  readonly jobs: number | null;
  readonly createdAt: number | null;
}

export interface AnnotationJobRow {
  readonly annotationJobId: string;
  readonly name: string;
  readonly status: string;
  readonly labeler: string | null;
  readonly reviewer: string | null;
  readonly images: number;
  readonly annotated: number;
  readonly approved: number;
  readonly rejected: number;
  readonly createdAt: number | null;
}

export interface LabelerRow {
  readonly labelerId: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly imagesLabeled: number;
  readonly boxesDrawn: number;
  readonly markedNull: number;
  readonly modelAssisted: number;
  readonly approved: number;
  readonly rejected: number;
  readonly approvalPercent: number | null;
}

export interface InsightsView {
  readonly labelers: readonly LabelerRow[];
  readonly totals: {
    readonly imagesLabeled: number;
    readonly boxesDrawn: number;
    readonly markedNull: number;
    readonly modelAssisted: number;
    readonly approvalPercent: number | null;
  };
  /** Kept daily snapshots of the totals, oldest first, at most 400. */
  readonly trend: readonly {
    readonly day: string;
    readonly imagesLabeled: number;
    readonly approvalPercent: number | null;
  }[];
}

export interface ProblemRow {
  readonly id: number;
  readonly path: string;
  readonly batchId: string | null;
  readonly code: ErrorCode;
  readonly said: string | null;
  readonly since: number;
}

export interface ProblemGroup {
  readonly code: ErrorCode;
  readonly said: string | null;
  readonly count: number;
  /** At most 50 of them. */
  readonly rows: readonly ProblemRow[];
}

/** What a rule would do with what stands there now. */
export interface PreviewView {
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: number;
  /** True when counting stopped at a bound: there is more. */
  readonly more: boolean;
  /** At most 20 batches with what goes into each. */
  readonly batches: readonly {
    readonly batchId: string;
    readonly files: number;
    readonly bytes: number;
  }[];
  readonly batchCount: number;
  /** Sentences on what may go wrong: a fixed id that expires, a workflow that nothing starts. */
  readonly warnings: readonly string[];
  /** Sentences on plain facts: an id that is made legal, where videos go. */
  readonly notes: readonly string[];
}

/** What stands at a path that was dropped or chosen. */
export interface HeldPlace {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'gone' | 'unreadable';
}

/** What was dropped or chosen, before anything of it is sent. */
export interface HeldView {
  readonly places: readonly HeldPlace[];
  readonly files: number;
  readonly bytes: number;
  /** Empty and temporary files, and what cannot be read. */
  readonly leftOut: number;
  /** True when counting stopped early: there is more. */
  readonly more: boolean;
}

/** Why a path is, or is not, uploaded. */
export interface WhyView {
  readonly path: string;
  readonly headline: string;
  readonly details: readonly string[];
}
