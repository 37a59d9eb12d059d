/** The state that the window always shows: one snapshot of plain JSON values, bounded in size. Types only. Instants are epoch ms. */
import type { SluiceError } from './errors.ts';
import type { Counts, MediaKind } from './records.ts';
import type { Settings } from './settings.ts';
import type { WaitView } from './waits.ts';
import type { WatchRule } from './watchRule.ts';

export interface ConnectionView {
  readonly id: number;
  readonly name: string;
  readonly workspace: string;
  readonly apiUrl: string;
  readonly projectsUrl: string;
  /** locked: the key cannot be decrypted and must be given again. */
  readonly state: 'checking' | 'ready' | 'refused' | 'unreachable' | 'locked';
  readonly selected: boolean;
  /** Files that are not confirmed yet. */
  readonly queued: number;
}

/**
 * Bytes of the current work: of everything since all files were last finished. What is parked or skipped is not part of it.
 */
export interface ByteProgress {
  readonly confirmed: number;
  /** All of it left; the service has not confirmed it yet. */
  readonly sent: number;
  /** What has left of transfers that are being sent now. */
  readonly onWire: number;
  /** Everything, with what nothing has left of yet. */
  readonly total: number;
}

export interface WatchView {
  readonly id: number;
  /** What its transfers are listed under. */
  readonly destinationId: number;
  readonly rule: WatchRule;
  readonly state: 'scanning' | 'watching' | 'polling' | 'paused' | 'missing' | 'failed';
  /** A sentence when something is wrong: polling, missing, unreadable; null otherwise. */
  readonly notice: string | null;
  readonly counts: Counts;
  readonly bytes: ByteProgress;
  /** Files found that are still changing. */
  readonly settling: number;
  /** The batch that new items go to; null before the first. */
  readonly batchId: string | null;
  readonly lastFileAt: number | null;
}

/** Files that were dropped, or chosen to be uploaded once. */
export interface DropView {
  readonly destinationId: number;
  /** The batch that was asked for. */
  readonly batchId: string;
  readonly counts: Counts;
  readonly bytes: ByteProgress;
  /** True while its folders are still being read. */
  readonly reading: boolean;
  readonly lastFileAt: number;
}

/** A transfer that is being sent. */
export interface RunningTransfer {
  readonly transferId: number;
  readonly destinationId: number;
  readonly kind: MediaKind | 'shard';
  readonly batchId: string;
  /** The file, or "420 images". */
  readonly label: string;
  readonly sentBytes: number;
  readonly sizeBytes: number;
  /** What of it goes out now; at most 6. */
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
  /** How long the service has not answered, ms; 0 while it answers. */
  readonly silentMs: number;
  readonly counts: Counts;
  /** Everything of the selected connection. */
  readonly bytes: ByteProgress;
  readonly bytesPerSecond: number;
  /** Estimated time left; null: not known, or nothing to send. */
  readonly leftMs: number | null;
  /** Bytes per second of the last two minutes, one value per second, oldest first. */
  readonly throughput: readonly number[];
  readonly capBytesPerSecond: number | null;
  /** At most 20. */
  readonly transfers: readonly RunningTransfer[];
}

export interface DownloadView {
  readonly batchId: string;
  /** The job whose results it brings; null for a plain batch. */
  readonly jobId: string | null;
  readonly to: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly done: number;
  readonly files: number;
  readonly bytes: number;
  readonly error: SluiceError | null;
}

/** Replaced as a whole; `revision` grows with every change. */
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
    /** Whether any key is kept for the next start: one from the environment, or used until Sluice quits, is not. */
    readonly keysKept: boolean;
    readonly tray: boolean;
  };
  /** Sentences shown until they are dismissed: a salvaged ledger, settings from the backup. */
  readonly notices: readonly { readonly id: string; readonly text: string }[];
  readonly connections: readonly ConnectionView[];
  readonly pipeline: PipelineStatus;
  /** At most 200. */
  readonly watches: readonly WatchView[];
  /** The newest first; at most 20. Finished ones are listed for a day. */
  readonly drops: readonly DropView[];
  /** What waits in the selected connection, what needs attention first; at most 50. */
  readonly waits: readonly WaitView[];
  /** Files that need the user, each counted once; those since the list was last looked at; failed jobs that were not dismissed. */
  readonly problems: { readonly count: number; readonly unread: number; readonly jobs: number };
  readonly jobsRunning: number;
  /** Jobs that were given up before they ran. */
  readonly jobsInNeed: number;
  /** At most 20. */
  readonly downloads: readonly DownloadView[];
  readonly settings: Settings;
}
