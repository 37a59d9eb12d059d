/** Everything the engine takes from outside: time, network, files, randomness. nodePorts.ts has the real ones, tests their own. */
import type { Result } from '../../../preload/contract/errors.ts';
import type {
  ComputedChecksums,
  DirectoryEntry,
  DirectoryListing,
  DirectoryPlace,
  FileFacts,
  HashKind,
  Inspection,
  MountedPath,
  SourceOutcome,
  SourcePlan,
  Stamp,
} from './model.ts';

/** The environment variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Clock {
  /** Wall clock, epoch ms. May jump. */
  now(): number;
  /** Milliseconds on a clock that never jumps. */
  monotonicMs(): number;
  /** How long the computer slept since the process began, in ms: on Linux `monotonicMs` stands still meanwhile. Absent: never. */
  sleptMs?(): number;
  /** How long the computer has been switched on, in ms, with the time that it slept. Absent: not known. */
  bootMs?(): number;
  /** Resolves after the time, or at once (without throwing) when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A body whose length is known before its bytes. `chunks` may be called once per attempt. */
export interface StreamBody {
  readonly lengthBytes: number;
  chunks(): AsyncIterable<Uint8Array>;
}

export interface Throttle {
  /** False when bytes may pass without calling `take`. May be called at any time. */
  isBound(): boolean;
  /** Waits for its turn and returns how many of the bytes may pass now; 0 when the signal aborted. */
  take(bytes: number, signal: AbortSignal): Promise<number>;
}

/** Checksums in addition to the quick one; each costs more than reading. */
export interface WantedChecksums {
  readonly md5: boolean;
  readonly sha256: boolean;
}

export interface SourceOptions {
  readonly throttle: Throttle;
  /** Also compute MD5, which costs more than everything else together. */
  readonly withMd5: boolean;
  /** Called as bytes are handed out, with the number of bytes since the last call. */
  readonly onSent: (bytes: number) => void;
}

/** How the thread that reads a body reaches the network. */
export interface HttpRoute {
  /** The address of a proxy; null for a direct connection. */
  readonly route: string | null;
  /** When this number changes, idle connections are dropped. */
  readonly generation: number;
  /** Certificates to trust in addition to the usual ones, PEM. */
  readonly caPem: string | null;
}

/** The bytes of a transfer, read from its sources as they are sent. */
export interface SourceBody extends StreamBody {
  /**
   * Hands out the last chunk only after every member was verified; throws when one changed (then see outcome). A chunk is
   * valid until the second one after it is requested: its memory is reused.
   */
  chunks(): AsyncGenerator<Uint8Array, void, void>;
  outcome(): SourceOutcome;
  /** Checksums of everything handed out; for a form, of the file alone. Complete, with every requested field, once the outcome is. */
  checksums(): ComputedChecksums;
  /** Sends the request from the reading thread, so that no byte crosses threads. Absent when there is no such thread. */
  readonly sendFrom?: (route: HttpRoute, request: HttpRequest) => Promise<HttpAnswer | HttpFailure>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: StreamBody | SourceBody | Uint8Array | null;
  /** The longest time without any progress (bytes out or in), ms. */
  readonly stallMs: number;
  /** The longest time from the head of the answer to its last byte, ms, unless much of it keeps coming; no limit when absent. */
  readonly answerMs?: number;
  readonly signal: AbortSignal;
  /** Called just before the last byte of the body leaves; when it returns false, the request is stopped instead. */
  readonly mayFinish?: () => boolean;
}

export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read to its end or disposed. Reading throws SluiceFailure (network.*) when the rest never comes. */
  readonly body: AsyncIterable<Uint8Array> & { dispose(): void };
  /** True when it came before the last byte of the request was handed out: the service cannot have accepted the body. */
  readonly early?: boolean;
}

/**
 * `offline`: this computer has no network (no route, no name server). `proxyAuth`: the proxy asks for a password.
 * `proxy`: the proxy cannot be reached, or does not open a connection to the service.
 * `openFiles`: this process cannot open more files or connections.
 */
export type NetworkFault =
  | 'refused'
  | 'unresolved'
  | 'offline'
  | 'tls'
  | 'lost'
  | 'timeout'
  | 'aborted'
  | 'proxyAuth'
  | 'proxy'
  | 'openFiles'
  /** The program's own files are gone: it was replaced while it ran. */
  | 'replaced'
  /**
   * The thread that sent the request was abandoned, because a drive that does not answer blocks it. Says nothing about the network or the
   * service.
   */
  | 'held';

export interface HttpFailure {
  readonly kind: 'failure';
  readonly fault: NetworkFault;
  /** True when the last byte of the request may have left: the service may have acted on it. */
  readonly maybeSent: boolean;
  /** Bytes of a streamed body were requested: the connection was established. */
  readonly begun?: true;
  /** For the log; redacted where it is shown. */
  readonly detail: string;
}

/** The one way to the network. Never throws; never follows a redirect. */
export interface Http {
  request(request: HttpRequest): Promise<HttpAnswer | HttpFailure>;
  close(): Promise<void>;
}

/**
 * How much of a part is certainly on disk, as recorded outside of the part. A file system may keep a length whose data never reached the
 * disk, so after a power cut the part itself does not show that.
 */
export interface SyncedLength {
  readonly bytes: number;
  /** Records another length, and resolves when that is on disk itself. */
  note(bytes: number): Promise<void>;
}

/** A file being written next to its final name. */
export interface PartFile {
  /** Bytes already there from an earlier try, all of them synced. */
  readonly offsetBytes: number;
  /** The bytes that are already there, in order; to be read before anything is written. Throws SluiceFailure (disk.failed). */
  kept(): AsyncIterable<Uint8Array>;
  /** The chunk's memory may be reused once it is written: see core/receiveMemory.ts. */
  write(chunk: Uint8Array): Promise<Result<void>>;
  /** Starts over at length 0. */
  truncate(): Promise<Result<void>>;
  /** Syncs, renames to the final name, syncs the directory. Stays a part when that name is taken and must not be replaced. */
  commit(options: { readonly replace: boolean }): Promise<Result<Written>>;
  /** Syncs what is there for a later resume, and closes. */
  close(): Promise<void>;
}

/** Whether a complete file got its name; `occupied`: something else has that name and must not be replaced. */
export type Written =
  | {
      readonly kind: 'written';
      /** null when the file could not be checked afterwards. */
      readonly stamp: Stamp | null;
    }
  | { readonly kind: 'occupied' };

export interface NotifyWants {
  /** True for names to ignore; called with absolute paths. The type is null when only the name is known. */
  readonly leftOut: (path: string, type: DirectoryEntry['type'] | null) => boolean;
  /** The type is null when only the name is known. `isListed`: it is in a directory that appeared with all that is in it. */
  readonly onTouched: (
    path: string,
    type: DirectoryEntry['type'] | null,
    isListed?: boolean,
  ) => void;
  /** `exhausted`: the system has no watches left; `failed`: anything else. Hints may be missing from now on. */
  readonly onTrouble: (kind: 'exhausted' | 'failed', detail: string) => void;
}

export interface Notifying {
  /** Resolves once it listens to every directory. */
  readonly ready: Promise<void>;
  /** A scan found these files: their directories are listened to from now on, even if the events that named them were lost. */
  found?(paths: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * Every operation that writes fails with disk.missing when its drive does not answer. What it has begun may continue in the background; the
 * path stays busy until that ends.
 */
export interface Files {
  /** Lists a directory. Errors: item.gone, directory.unreadable, item.unreadable when it is not a directory, file.busy. */
  list(directory: string): Promise<Result<DirectoryListing>>;
  /** Stats a file, following links. Errors: item.gone, item.unreadable, item.unsupported (not a regular file), file.busy. */
  facts(path: string): Promise<Result<FileFacts>>;
  /** facts() of many paths at once, in their order. */
  stat(paths: readonly string[]): Promise<readonly Result<FileFacts>[]>;
  /** Type of the entry, without following links; null when there is none, and `other` also when its drive does not answer. */
  typeOf(path: string): Promise<DirectoryEntry['type'] | null>;
  /** Distinguishes a directory from another that takes its path later, such as a volume mounted there or below; null when there is none. */
  placeOf(directory: string): Promise<DirectoryPlace | null>;
  /** The file system of a path, or of its nearest parent that exists; null when the system does not say. */
  mountOf(path: string): Promise<MountedPath | null>;
  /** Which drive is mounted at a directory: the same text whenever it is the same one; null when the system does not say. */
  driveAt(mount: string): Promise<string | null>;
  /** Where disks of this computer are mounted below a directory; an empty list when the system does not say. */
  disksBelow(directory: string): Promise<readonly string[]>;
  /** The real path of a listable directory. Errors: item.gone, item.unsupported (not a directory), directory.unreadable, file.busy. */
  directoryAt(path: string): Promise<Result<string>>;
  /** The path with every link followed, null when it leads nowhere. */
  realPath(path: string): Promise<string | null>;
  /** Reads files: type, end-of-media check, fingerprint. Results in the order of the paths. Errors: item.gone, item.unreadable, item.changed. */
  inspect(paths: readonly string[], kind?: HashKind): Promise<readonly Result<Inspection>[]>;
  /** Hash of the whole content. Errors as inspect. */
  hash(path: string, kind: HashKind): Promise<Result<string>>;
  /** CRC-32C of the whole content, plus those checksums that `wanted` asks for. Errors as inspect. */
  checksums(path: string, wanted: WantedChecksums): Promise<Result<ComputedChecksums>>;
  /** The sources of a transfer as a body of about 1 MiB chunks, which can be read once per try. */
  openSources(plan: SourcePlan, options: SourceOptions, signal: AbortSignal): SourceBody;
  /** Reads such a body to its end without sending it, for its checksums; null when a source reads differently. */
  sumSources(plan: SourcePlan, signal: AbortSignal): Promise<ComputedChecksums | null>;
  /**
   * Opens `part`, a path in the same directory as `path`, for writing, and keeps the bytes that are known to be synced. When `synced` is
   * null, the part is never resumed, and nothing is kept. Throws what `synced.note` throws. Errors: disk.full, disk.failed (also when the
   * directory is missing), system.openFiles; `commit` also fails with file.busy when another program removed the part.
   */
  openPart(path: string, part: string, synced: SyncedLength | null): Promise<Result<PartFile>>;
  /**
   * Writes and syncs a small file in one go: it appears under its name complete or not at all. A part that an earlier try left is removed.
   * `replace`: overwrite a file that already has this name. Errors: disk.full, disk.failed (also when the directory is missing),
   * system.openFiles, file.busy (the file may have been written).
   */
  writeWhole(
    path: string,
    part: string,
    bytes: Uint8Array,
    options: { readonly replace: boolean },
  ): Promise<Result<Written>>;
  /** Makes a directory with its missing parents. Errors: disk.full, disk.failed. */
  makeDirectory(path: string): Promise<Result<void>>;
  remove(path: string): Promise<Result<void>>;
  /**
   * Moves a file, also to another disk, where `part` is the synced copy until it gets its name. Errors: item.changed when the
   * name is taken or the file changed, disk.full, disk.failed.
   */
  moveFile(from: string, to: string, part: string): Promise<Result<void>>;
  /** Safely unpacks a .tar, .tar.gz or .zip into a new directory, which gets its name only when complete. Returns the number of files. */
  unpack(archive: string, directory: string, signal: AbortSignal): Promise<Result<number>>;
  /** Reports names that were touched below a directory. These are only hints; our own scans decide. */
  notify(directory: string, wants: NotifyWants): Notifying;
  /** True for a directory on a network share or another file system that sends no events about changes by others. */
  isRemote(directory: string): Promise<boolean>;
  /** Free bytes on the disk of the path; null when not known. */
  freeBytes(path: string): Promise<number | null>;
  close(): Promise<void>;
}

export interface Random {
  /** A fraction in [0, 1). */
  fraction(): number;
  /** Lower-case letters and digits. */
  token(length: number): string;
}

/** Where events for people and machines go; the implementation redacts. */
export interface Log {
  write(
    level: 'debug' | 'info' | 'warn' | 'error',
    event: string,
    facts?: Readonly<Record<string, string | number | boolean | null>>,
  ): void;
}

export interface Ports {
  readonly clock: Clock;
  readonly http: Http;
  readonly files: Files;
  readonly random: Random;
  readonly log: Log;
}
