/**
 * The engine's vocabulary as types: what it keeps and what the service returns. Records that the window shows too are stated in the
 * contract and re-exported here: the engine imports the contract only through this folder.
 */
import type { SluiceError } from '../../../preload/contract/errors.ts';
import type { MediaKind } from '../../../preload/contract/records.ts';

export * from '../../../preload/contract/records.ts';
export type * from '../../../preload/contract/listSorts.ts';
export type * from '../../../preload/contract/results.ts';
export type * from '../../../preload/contract/serviceRecords.ts';
export type * from '../../../preload/contract/snapshot.ts';
export type * from '../../../preload/contract/uploadAgain.ts';
export type * from '../../../preload/contract/waits.ts';

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** `^[a-z0-9_-]{1,64}$`: a staging batch on the service. */
export type BatchId = Branded<string, 'BatchId'>;
/** `^[a-z0-9-]{1,20}$`: a processing job on the service. */
export type JobId = Branded<string, 'JobId'>;

/** Size, modification time, change time and inode of a file in one comparable string. Equal stamps mean the same, untouched file. */
export type Stamp = Branded<string, 'Stamp'>;
/** Identifies a file's content; files/fingerprint.ts defines the formats. For small files, equal fingerprints mean equal content. */
export type Fingerprint = Branded<string, 'Fingerprint'>;

/** How content is hashed; files/contentHash.ts says how a hash shows its algorithm. */
export type HashKind = 'b3' | 'sha256';

/** What the file system says about a file, without reading it. */
export interface FileFacts {
  readonly sizeBytes: number;
  /** The later of modification and change time, epoch ms. */
  readonly touchedAt: number;
  readonly stamp: Stamp;
}

export interface Inspection extends FileFacts {
  readonly fingerprint: Fingerprint;
  /** Hash of the whole content; null for a large file, whose hash is made while it is sent. */
  readonly contentHash: string | null;
  /** The kind that the first bytes indicate; null for a type that the service does not accept. */
  readonly kind: MediaKind | null;
  /** True when the end of the media is missing: a half-copied file. */
  readonly truncated: boolean;
  /** True when it begins with nothing but zeros: reserved space, or a container that only the service can judge. */
  readonly reserved?: true;
}

/** The identity of a directory. Some network drives renumber their directories at any time. */
export interface DirectoryPlace {
  readonly device: string;
  readonly inode: string;
  /** The mounts below the directory; null when the system does not say. */
  readonly mounts: string | null;
}

/** Where a path is, with every link followed; it need not exist. */
export interface MountedPath {
  readonly path: string;
  /** The directory at which its file system is mounted; null when there is none, since the drive letter or network share is gone. */
  readonly mount: string | null;
  /** Set when the drive does not answer: then nothing else is known about the path. */
  readonly silent?: SluiceError;
}

/** A name found in a directory. Paths are strings as files/names/pathBytes.ts writes them. */
export interface DirectoryEntry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
}

/** What a directory contains, in the order of the names. A large one makes its entries as they are asked for. */
export interface DirectoryListing extends Iterable<DirectoryEntry> {
  readonly length: number;
}

/** One source file inside the body of a transfer. */
export interface SourceMember {
  readonly path: string;
  readonly sizeBytes: number;
  readonly fingerprint: Fingerprint;
  /** In an archive: its name there. */
  readonly name: string;
  /** In an archive: modification time, epoch ms. */
  readonly mtimeMs: number;
}

export type BodyFrame =
  /** Nothing: the body is the one file. */
  | { readonly kind: 'bare' }
  /** The one file as the field of a form. */
  | { readonly kind: 'form'; readonly prefix: Uint8Array; readonly suffix: Uint8Array }
  /** A tar archive of the files, followed by members from memory. */
  | {
      readonly kind: 'archive';
      readonly extra: readonly { readonly name: string; readonly bytes: Uint8Array }[];
    };

/** The body of a transfer: the same plan over the same files always yields the same bytes. */
export interface SourcePlan {
  readonly members: readonly SourceMember[];
  readonly frame: BodyFrame;
}

export type SourceOutcome =
  /** Every member read as expected. `hashes`: one per member, in order, by its fingerprint's algorithm; known before the last chunk. */
  | { readonly kind: 'complete'; readonly hashes: readonly string[] }
  /** The member at this index reads differently, is gone or cannot be read; the last chunk was never handed out. */
  | {
      readonly kind: 'changed';
      readonly index: number;
      readonly code: 'item.changed' | 'item.gone' | 'item.unreadable';
    }
  | { readonly kind: 'reading' };

/** A signed address that takes one body by PUT. The URL is a secret. */
export interface SignedUpload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The largest body that the service says it accepts; null when it does not say. */
  readonly maxBytes: number | null;
  /** The most members a shard may have; null when the service does not say. */
  readonly maxMembers: number | null;
  /** When the address expires, epoch ms; null when the address does not say. */
  readonly expiresAt: number | null;
}

/** A file that the service offers for download; `url` is a secret and lives about a day. */
export interface RemoteFile {
  readonly fileName: string;
  /**
   * True when the listed name was percent-encoded and was decoded to a name of ours: the service encodes names, or this is another file
   * whose own name looks like that.
   */
  readonly isDecoded?: true;
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

/** Checksums of a whole object, in lower-case hex; null where not computed. */
export interface ComputedChecksums {
  readonly crc32c: string | null;
  readonly md5: string | null;
  readonly sha256: string | null;
  readonly lengthBytes: number | null;
}
