/** The words of the glossary as types: what the engine keeps and what the service tells. Values only, no behaviour. */

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** `^[a-z0-9_-]{1,64}$`: a staging batch at the service. */
export type BatchId = Branded<string, 'BatchId'>;
/** `^[a-z0-9-]{1,20}$`: a processing job at the service. */
export type JobId = Branded<string, 'JobId'>;

/** Size, modification time, change time and inode of a file in one comparable string. Equal stamps: the same untouched file. */
export type Stamp = Branded<string, 'Stamp'>;
/** Says what a file's content is; the formats stand in files/fingerprint.ts. Equal fingerprints of small files: equal content. */
export type Fingerprint = Branded<string, 'Fingerprint'>;

export const MEDIA_KINDS = ['image', 'video'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** What a look at a file tells without reading it. */
export interface FileFacts {
  readonly sizeBytes: number;
  /** The later of modification and change time, epoch ms. */
  readonly touchedAt: number;
  readonly stamp: Stamp;
}

/** What reading a file tells. */
export interface Inspection extends FileFacts {
  readonly fingerprint: Fingerprint;
  /** SHA-256 of the whole content in hex; null for a large file, whose hash is made while it is sent. */
  readonly sha256: string | null;
  /** What the first bytes say; null for a type that the service does not take. */
  readonly kind: MediaKind | null;
  /** True when the end of the media is missing: a half-copied file. */
  readonly truncated: boolean;
  /** True when it begins with nothing but zeros: reserved space, or a container that only the service can judge. */
  readonly reserved?: true;
}

/** Where a directory really is. Some network drives number their directories anew at any time. */
export interface DirectoryPlace {
  readonly device: string;
  readonly inode: string;
}

/** A name found in a directory. Paths are strings as files/pathBytes.ts writes them. */
export interface DirectoryEntry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
}

/** One source file inside the body of a transfer. */
export interface SourceMember {
  readonly path: string;
  readonly sizeBytes: number;
  readonly fingerprint: Fingerprint;
  /** Bytes before and after the file's own: a tar header and padding, the frame of a multipart form, or nothing. */
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
}

/** How the reading of sources ended. */
export type SourceOutcome =
  /** Every member read as expected; SHA-256 of each, in order. Known before the last chunk is handed out. */
  | { readonly kind: 'complete'; readonly sha256: readonly string[] }
  /** The member at this index reads differently, is gone or cannot be read; the last chunk was never handed out. */
  | {
      readonly kind: 'changed';
      readonly index: number;
      readonly code: 'item.changed' | 'item.gone' | 'item.unreadable';
    }
  | { readonly kind: 'reading' };

// ——— The service's things, in our words ———

/** A signed address that takes one body by PUT. The URL is a secret. */
export interface SignedUpload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The largest body the service says it takes, when it says so. */
  readonly maxBytes: number | null;
  /** The most members a shard may have, when the service says so. */
  readonly maxMembers: number | null;
  /** When the address stops working, epoch ms, when it can be told from the address. */
  readonly expiresAt: number | null;
}

/** `running` while the service works on it; the service's own word for the rest is kept in `statusName`. */
export type ServiceStatus = 'running' | 'succeeded' | 'failed';

export interface ShardDetails {
  readonly shardId: string;
  readonly status: ServiceStatus;
  readonly statusName: string;
  readonly objectsCount: number;
  readonly eventAt: number;
  /** What the service adds about failures, as compact JSON; null when nothing. */
  readonly details: string | null;
}

export interface OutputPart {
  readonly name: string;
  readonly type: string;
  readonly contentType: string;
  readonly description: string | null;
}

/** A file that the service offers for download; `url` is a secret and lives about a day. */
export interface RemoteFile {
  readonly fileName: string;
  readonly url: string;
  readonly partName: string | null;
  readonly shardId: string | null;
  readonly contentType: string;
}

export interface RemoteBatch {
  readonly batchId: string;
  readonly displayName: string;
  readonly type: string;
  readonly contentType: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed';

export interface JobStatus {
  readonly jobId: string;
  readonly name: string;
  readonly state: JobState;
  readonly currentStage: string | null;
  readonly plannedStages: readonly string[];
  readonly lastMessage: string | null;
  /** Output batches that the last message of a finished job names. */
  readonly resultsBatches: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The body the job was started with, as the service keeps it; secret webhook paths hidden. */
  readonly definition: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly stageId: string;
  readonly name: string;
  /** At least 1. */
  readonly tasksNumber: number;
  readonly outputBatches: readonly string[];
  readonly startedAt: number;
  readonly status: ServiceStatus;
  readonly message: string;
  readonly eventAt: number;
}

export interface Task {
  readonly taskId: string;
  readonly status: ServiceStatus;
  readonly message: string;
  /** A fraction between 0 and 1; null: registered, not started. */
  readonly progressFraction: number | null;
  readonly eventAt: number;
}

export interface JobLogLine {
  readonly at: number;
  readonly severity: string;
  readonly stageId: string | null;
  readonly taskId: string | null;
  readonly module: string;
  readonly text: string;
}

export interface Folder {
  readonly folderId: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly projects: readonly { readonly projectId: string; readonly name: string }[];
}

export interface Project {
  /** The slug, without the workspace in front. */
  readonly projectId: string;
  readonly name: string;
  readonly type: string | null;
  readonly images: number | null;
}

export interface ImageBatch {
  readonly imageBatchId: string;
  readonly name: string;
  readonly images: number;
  readonly jobs: number | null;
  readonly createdAt: number | null;
}

export interface AnnotationJob {
  readonly annotationJobId: string;
  readonly name: string;
  readonly status: string;
  readonly labeler: string | null;
  readonly reviewer: string | null;
  readonly sourceBatch: string | null;
  readonly images: number;
  readonly annotated: number;
  readonly unannotated: number;
  readonly approved: number;
  readonly rejected: number;
  readonly createdAt: number | null;
}

export interface LabelerInsights {
  readonly labelerId: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly imagesLabeled: number;
  readonly boxesDrawn: number;
  readonly markedNull: number;
  readonly modelAssisted: number;
  readonly approved: number;
  readonly rejected: number;
  /** First-pass approval in percent (0–100), as the service states it; null when it states none. */
  readonly approvalPercent: number | null;
}

export interface Insights {
  readonly projectId: string;
  readonly labelers: readonly LabelerInsights[];
  readonly totals: {
    readonly imagesLabeled: number;
    readonly boxesDrawn: number;
    readonly markedNull: number;
    readonly modelAssisted: number;
    readonly approvalPercent: number | null;
  };
}

/** Checksums of bytes that are here. null: not computed. */
export interface ComputedChecksums {
  readonly crc32c: string | null;
  readonly md5: string | null;
  readonly sha256: string | null;
  readonly lengthBytes: number | null;
}
