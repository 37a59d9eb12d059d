/** What the window always sees: one snapshot of plain JSON values, bounded in size. Types only. */
import type { ErrorCode, SluiceError } from './errors.ts';
import type { WatchRule } from './watchRule.ts';

/** Counts of items by how far they are. `sending` includes planned, sent and unknown ones. */
export interface Counts {
  readonly found: number;
  readonly queued: number;
  readonly sending: number;
  readonly confirmed: number;
  readonly skipped: number;
  readonly attention: number;
}

export interface ConnectionView {
  readonly id: number;
  readonly name: string;
  readonly workspace: string;
  readonly apiUrl: string;
  readonly projectsUrl: string;
  /** locked: the key cannot be decrypted and must be given again. */
  readonly state: 'checking' | 'ready' | 'refused' | 'unreachable' | 'locked';
  readonly selected: boolean;
  /** Files that are not confirmed yet: waiting, packed or on their way. */
  readonly queued: number;
}

export interface WatchView {
  readonly id: number;
  readonly rule: WatchRule;
  readonly state: 'scanning' | 'watching' | 'polling' | 'paused' | 'missing' | 'failed';
  /** A sentence when something is not as it should be: polling, missing, unreadable; null otherwise. */
  readonly notice: string | null;
  readonly counts: Counts;
  /** Found, not at rest yet. */
  readonly settling: number;
  /** The batch that new items go to now; null before the first. */
  readonly batchId: string | null;
  readonly lastFileAt: number | null;
}

/** A transfer that runs now. */
export interface MovingView {
  readonly transferId: number;
  readonly kind: 'image' | 'video' | 'shard';
  readonly batchId: string;
  /** The file, or "420 images". */
  readonly label: string;
  readonly sentBytes: number;
  readonly sizeBytes: number;
}

export interface LineView {
  readonly paused: boolean;
  /** Why nothing moves; null when nothing hinders it. */
  readonly hindrance: SluiceError | null;
  /** Ms since which the service is silent; 0 while it answers. */
  readonly silentMs: number;
  readonly counts: Counts;
  readonly openBytes: number;
  readonly bytesPerSecond: number;
  /** null: not known, or nothing to send. */
  readonly leftMs: number | null;
  /** Bytes per second of the last two minutes, one value per second, oldest first. */
  readonly throughput: readonly number[];
  readonly capBytesPerSecond: number | null;
  /** At most 20. */
  readonly moving: readonly MovingView[];
}

/**
 * What waits. connection: everything of it; sending, files, jobs: that part of its work; batch, job, download, watch: the one that is
 * named; failing: transfers between two tries; unlisted: sent, not in the service's list; unknown: it is asked whether they arrived;
 * starting, following, results: a job; outputs: result files; unstable: files that change or are held; paused: by a person.
 */
export type WaitKind =
  | 'connection'
  | 'sending'
  | 'files'
  | 'jobs'
  | 'batch'
  | 'job'
  | 'download'
  | 'watch'
  | 'failing'
  | 'unlisted'
  | 'unknown'
  | 'starting'
  /** A job that was given up before it ran. */
  | 'notStarted'
  | 'following'
  | 'results'
  | 'outputs'
  | 'givenUp'
  | 'unstable'
  | 'paused'
  | 'batchPaused';

/** Something that waits: for what, since when, and when the next try begins. */
export interface WaitView {
  readonly workspace: string;
  readonly kind: WaitKind;
  /** The batch, job, or watch; null when it is about more than one. */
  readonly name: string | null;
  /** Why; null when the kind says it all. */
  readonly code: ErrorCode | null;
  /** What the service or the system said; null when the code says it all. */
  readonly detail: string | null;
  /** Files; 0 when it is not about files. */
  readonly count: number;
  readonly bytes: number;
  /** null: not known. */
  readonly since: number | null;
  /** null: it follows an event. */
  readonly nextAt: number | null;
  /** True once it has waited so long that a person should look. */
  readonly attention: boolean;
}

export interface DownloadView {
  readonly batchId: string;
  readonly to: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly done: number;
  readonly files: number;
  readonly bytes: number;
  readonly error: SluiceError | null;
}

export interface SettingsView {
  readonly theme: 'system' | 'light' | 'dark';
  readonly notifications: {
    readonly confirmed: boolean;
    readonly jobs: boolean;
    readonly problems: boolean;
  };
  readonly startAtLogin: boolean;
  readonly closeToTray: boolean;
  readonly keepAwake: boolean;
  /** Nothing new is sent while the computer runs on battery. */
  readonly pauseOnBattery: boolean;
  readonly lanesMost: number;
  /** The timetable as it was written; '' for no cap. */
  readonly bandwidth: string;
  readonly order: 'oldest' | 'newest' | 'smallest';
  readonly settleMs: number;
  readonly webhook: {
    readonly enabled: boolean;
    readonly bind: string;
    readonly port: number;
    readonly publicUrl: string;
  };
}

/** The whole state that the window shows at once: bounded, replaced whole, numbered. */
export interface AppSnapshot {
  readonly revision: number;
  readonly at: number;
  readonly runtime: {
    readonly version: string;
    readonly platform: string;
    readonly dataDirectory: string;
    readonly development: boolean;
    readonly secretsProtected: boolean;
    readonly tray: boolean;
  };
  /** Sentences that need to be said once: a ledger that was salvaged, settings from the backup. */
  readonly notices: readonly { readonly id: string; readonly text: string }[];
  readonly connections: readonly ConnectionView[];
  readonly line: LineView;
  /** At most 200. */
  readonly watches: readonly WatchView[];
  /** What waits of the selected connection, what needs attention first; at most 50. */
  readonly waits: readonly WaitView[];
  readonly problems: { readonly count: number; readonly unread: number };
  readonly jobsRunning: number;
  /** Jobs that were given up before they ran: each says why. */
  readonly jobsInNeed: number;
  /** At most 20. */
  readonly downloads: readonly DownloadView[];
  readonly settings: SettingsView;
}
