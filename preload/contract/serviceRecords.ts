/**
 * The service's records in our terms: plain JSON values. The engine maps the service's answers to them (main/engine/service/schemas), and
 * the window shows them. Types only. Times are epoch ms.
 */

/**
 * `running` while the service works on it; `unknown` for a status that we do not know, which counts as ended: otherwise we could wait
 * forever.
 */
export type ServiceStatus = 'running' | 'succeeded' | 'failed' | 'unknown';

export interface ShardDetails {
  readonly shardId: string;
  readonly status: ServiceStatus;
  /** The service's own name for the status. */
  readonly statusName: string;
  /** null when the service does not state it. */
  readonly objectsCount: number | null;
  readonly eventAt: number;
  /** What the service adds about failures, as compact JSON; null when there is nothing. */
  readonly details: string | null;
}

/** A named part of a batch of results. */
export interface OutputPart {
  readonly name: string;
  readonly type: string;
  readonly contentType: string;
  readonly description: string | null;
}

export interface Task {
  readonly taskId: string;
  readonly status: ServiceStatus;
  readonly message: string;
  /** A fraction from 0 to 1; null when registered but not started. */
  readonly progressFraction: number | null;
  readonly eventAt: number;
}

export interface Stage {
  readonly stageId: string;
  readonly name: string;
  /** 0 when the service does not state it. */
  readonly tasksNumber: number;
  readonly outputBatches: readonly string[];
  readonly startedAt: number;
  readonly status: ServiceStatus;
  readonly message: string;
  readonly eventAt: number;
}

export interface JobLogLine {
  readonly at: number;
  readonly severity: string;
  readonly stageId: string | null;
  readonly taskId: string | null;
  readonly text: string;
}

/** The service's group of projects. */
export interface Folder {
  readonly folderId: string;
  readonly name: string;
  readonly parentId: string | null;
  /** null when the service does not say. */
  readonly projects: readonly { readonly projectId: string; readonly name: string }[] | null;
}

export interface Project {
  /** The slug, without the workspace prefix. */
  readonly projectId: string;
  readonly name: string;
  readonly type: string | null;
  readonly images: number | null;
}

/** Images in a project, to be annotated. */
export interface ImageBatch {
  readonly imageBatchId: string;
  readonly name: string;
  readonly images: number | null;
  readonly jobs: number | null;
  readonly createdAt: number | null;
}

/** Labelling work in a project. */
export interface AnnotationJob {
  readonly annotationJobId: string;
  readonly name: string;
  readonly status: string;
  readonly labeler: string | null;
  readonly reviewer: string | null;
  readonly sourceBatch: string | null;
  /** Each count is null when the service does not state it. */
  readonly images: number | null;
  readonly annotated: number | null;
  readonly unannotated: number | null;
  readonly approved: number | null;
  readonly rejected: number | null;
  readonly createdAt: number | null;
}

/** A figure that the service does not state is null. */
export interface LabelerInsights {
  readonly labelerId: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly imagesLabeled: number | null;
  readonly boxesDrawn: number | null;
  readonly markedNull: number | null;
  readonly modelAssisted: number | null;
  readonly approved: number | null;
  readonly rejected: number | null;
  /** First-pass approval in percent (0–100), as the service states it; null when it states none. */
  readonly approvalPercent: number | null;
}

/** Annotation progress and quality of a project over a period. */
export interface Insights {
  readonly projectId: string;
  readonly labelers: readonly LabelerInsights[];
  readonly totals: Pick<
    LabelerInsights,
    'imagesLabeled' | 'boxesDrawn' | 'markedNull' | 'modelAssisted' | 'approvalPercent'
  >;
}
