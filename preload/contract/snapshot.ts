/** The state that the window always shows: one snapshot of plain JSON values, bounded in size. Types only. Times are epoch ms. */
import type { SluiceError } from './errors.ts';
import type { Counts, MediaKind } from './records.ts';
import type { Settings } from './settings.ts';
import type { WaitView } from './waits.ts';
import type { WatchRule } from './watchRule.ts';

export interface ConnectionView {
  readonly id: number;
  readonly workspace: string;
  readonly apiUrl: string;
  readonly projectsUrl: string;
  /** locked: the key cannot be decrypted and must be entered again. */
  readonly state: 'checking' | 'ready' | 'refused' | 'unreachable' | 'locked';
  readonly selected: boolean;
  /** Files that are not confirmed yet. */
  readonly queued: number;
  /** Files that need a person. */
  readonly attention: number;
}

/** Bytes of the current work: of everything since all files were last finished. Parked and skipped files are not included. */
export interface ByteProgress {
  readonly confirmed: number;
  /** Fully sent, but not yet confirmed by the service. */
  readonly sent: number;
  /** Bytes already sent of transfers in progress. */
  readonly onWire: number;
  /** Everything, including what has not been sent at all yet. */
  readonly total: number;
}

export interface WatchView {
  readonly id: number;
  /** The id under which its transfers are listed. */
  readonly destinationId: number;
  readonly rule: WatchRule;
  readonly state: 'scanning' | 'watching' | 'polling' | 'paused' | 'missing' | 'failed';
  /** A sentence when something is wrong: polling, missing, unreadable; otherwise null. */
  readonly notice: string | null;
  readonly counts: Counts;
  readonly bytes: ByteProgress;
  /** Files found that are still changing. */
  readonly settling: number;
  /** The batch that new items go to; null before there is one. */
  readonly batchId: string | null;
  readonly lastFileAt: number | null;
}

/** Files that were dropped, or chosen for a one-time upload. */
export interface DropView {
  readonly destinationId: number;
  /** The requested batch. */
  readonly batchId: string;
  readonly counts: Counts;
  readonly bytes: ByteProgress;
  /** True while its folders are still being read. */
  readonly reading: boolean;
  readonly lastFileAt: number;
}

export interface RunningTransfer {
  readonly transferId: number;
  readonly destinationId: number;
  readonly batchId: string;
  /** The file, or "420 images". */
  readonly label: string;
  readonly sentBytes: number;
  readonly sizeBytes: number;
  /** The items being sent now; at most 6. */
  readonly items: readonly {
    readonly id: number;
    readonly name: string;
    readonly kind: MediaKind | null;
  }[];
}

export interface PipelineStatus {
  readonly paused: boolean;
  /** Why nothing is sent; null when nothing blocks it. */
  readonly blockedBy: SluiceError | null;
  /** How long the service has not answered, in ms; 0 while it answers. */
  readonly silentMs: number;
  readonly counts: Counts;
  /** All work of the selected connection. */
  readonly bytes: ByteProgress;
  readonly bytesPerSecond: number;
  /** Estimated time left; null when unknown, or when there is nothing to send. */
  readonly leftMs: number | null;
  /** Bytes per second of the last two minutes, one value per second, oldest first. */
  readonly throughput: readonly number[];
  readonly capBytesPerSecond: number | null;
  /** At most 20. */
  readonly transfers: readonly RunningTransfer[];
}

export interface DownloadView {
  readonly batchId: string;
  /** The job whose results it downloads; null for a plain batch. */
  readonly jobId: string | null;
  readonly to: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly done: number;
  readonly files: number;
  readonly bytes: number;
  readonly error: SluiceError | null;
}

/** Replaced as a whole; `revision` increases with every change. */
export interface AppSnapshot {
  readonly revision: number;
  readonly at: number;
  readonly runtime: {
    readonly version: string;
    readonly platform: string;
    readonly dataDirectory: string;
    readonly development: boolean;
    /** Whether the system has a keychain for keys. */
    readonly secretsProtected: boolean;
    /** Whether any key is stored for the next start. A key from the environment, or one used only until Sluice quits, is not stored. */
    readonly keysKept: boolean;
    readonly tray: boolean;
  };
  /** Sentences shown until they are dismissed: a salvaged ledger, settings from the backup. */
  readonly notices: readonly { readonly id: string; readonly text: string }[];
  readonly connections: readonly ConnectionView[];
  readonly pipeline: PipelineStatus;
  /** At most 200. */
  readonly watches: readonly WatchView[];
  /** Newest first; at most 20. Finished ones stay listed for a day. */
  readonly drops: readonly DropView[];
  /** What waits in the selected connection, most urgent first; at most 50. */
  readonly waits: readonly WaitView[];
  /**
   * Files and folders that need the user, each counted once; how many of them are folders; how many are new since the list was viewed;
   * failed jobs that were not dismissed.
   */
  readonly problems: {
    readonly count: number;
    readonly folders: number;
    readonly unread: number;
    readonly jobs: number;
  };
  readonly jobsRunning: number;
  /** At most 20. */
  readonly downloads: readonly DownloadView[];
  readonly settings: Settings;
}
