/**
 * Everything the engine takes from outside itself: time, network, files, randomness. The real ones are put together in
 * main.ts and cli.ts; tests and the simulation bring their own.
 */
import type { Result } from '../../../preload/contract/errors.ts';
import type { ComputedChecksums } from './model.ts';
import type {
  DirectoryEntry,
  DirectoryPlace,
  FileFacts,
  HashKind,
  Inspection,
  SourceOutcome,
  SourcePlan,
  Stamp,
} from './model.ts';

export interface Clock {
  /** Wall clock, epoch ms. May jump. */
  now(): number;
  /** Milliseconds on a clock that never jumps. */
  monotonicMs(): number;
  /** Resolves after the time, or at once (without throwing) when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A body whose length is known before its bytes. `chunks` may be asked once per attempt. */
export interface StreamBody {
  readonly lengthBytes: number;
  chunks(): AsyncIterable<Uint8Array>;
}

/** A bound for the rate of bodies. */
export interface Throttle {
  /** False: bytes may pass without being asked for. Asked at any rate. */
  isBound(): boolean;
  /** Waits for its turn; answers how many of the bytes may pass now. 0: the signal aborted. */
  take(bytes: number, signal: AbortSignal): Promise<number>;
}

/** Checksums beside the quick one: each costs more than reading. */
export interface WantedChecksums {
  readonly md5: boolean;
  readonly sha256: boolean;
}

/** What a body of source files is made with. */
export interface SourceOptions {
  readonly throttle: Throttle | null;
  /** MD5, too: it costs more than everything else together. */
  readonly withMd5: boolean;
  /** Called while bytes are handed out, with how many more these are. */
  readonly onSent: (bytes: number) => void;
}

/** How the thread that reads a body reaches the network. */
export interface HttpRoute {
  /** The address of a proxy; null: none. */
  readonly route: string | null;
  /** Another number than before: idle connections are let go of. */
  readonly generation: number;
  /** Certificates to trust beside the usual ones, PEM. */
  readonly caPem: string | null;
}

/** The bytes of a transfer, read from its sources as they are sent. */
export interface SourceBody extends StreamBody {
  /**
   * Hands out the last chunk only after every member was verified; throws when one changed (then see outcome). A chunk is
   * valid until the second one after it is asked for: its memory is used again.
   */
  chunks(): AsyncGenerator<Uint8Array, void, void>;
  outcome(): SourceOutcome;
  /**
   * Checksums of everything that was handed out, in a form of the file alone; complete once the outcome is, with every field
   * that was asked for.
   */
  checksums(): ComputedChecksums;
  /** Sends the request from the thread that reads, so that no byte crosses threads. Absent: there is no such thread. */
  readonly sendFrom?: (route: HttpRoute, request: HttpRequest) => Promise<HttpAnswer | HttpFailure>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: StreamBody | SourceBody | Uint8Array | null;
  /** The longest time without any progress (bytes out or in), ms. */
  readonly stallMs: number;
  /** The longest time from the head of the answer to its last byte, ms; absent: no limit. For answers that are small. */
  readonly answerMs?: number;
  readonly signal: AbortSignal;
  /** Asked just before the last byte of a streamed body leaves; false: the request is stopped instead. */
  readonly mayFinish?: () => boolean;
}

export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read to its end or disposed. Reading throws SluiceFailure (network.*) when the rest never comes. */
  readonly body: AsyncIterable<Uint8Array> & { dispose(): void };
  /** True when it came before the last byte of the request was handed out: the service cannot have taken the body. */
  readonly early?: boolean;
}

/**
 * `offline`: this computer has no way out (no route, no name server). `proxyAuth`: the proxy asks for a password.
 * `openFiles`: this process may open no more files and connections.
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
  | 'openFiles';

export interface HttpFailure {
  readonly kind: 'failure';
  readonly fault: NetworkFault;
  /** True when the last byte of the request may have left: the service may have acted on it. */
  readonly maybeSent: boolean;
  /** Bytes of a streamed body were asked for: the way stood. */
  readonly begun?: true;
  /** For the log; redacted where it is shown. */
  readonly detail: string;
}

/** The one way to the network. Never throws; never follows a redirect. */
export interface Http {
  request(request: HttpRequest): Promise<HttpAnswer | HttpFailure>;
  close(): Promise<void>;
}

/** A file being written beside its final name. */
export interface PartFile {
  /** Bytes already there from an earlier try. */
  readonly offsetBytes: number;
  /** These bytes, in order; to be read before anything is written. Throws SluiceFailure (disk.failed). */
  kept(): AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array): Promise<Result<void>>;
  /** Starts over at length 0. */
  truncate(): Promise<Result<void>>;
  /** Syncs, renames to the final name, syncs the directory. Where something has that name and is not replaced, it stays a part. */
  commit(options: { readonly replace: boolean }): Promise<Result<Written>>;
  /** Closes and keeps the part for a later resume. */
  close(): Promise<void>;
}

/** How a whole file got its name; `occupied`: something else has that name, and was to stay. */
export type Written =
  | {
      readonly kind: 'written';
      /** null when it could not be looked at afterwards. */
      readonly stamp: Stamp | null;
    }
  | { readonly kind: 'occupied' };

/** What a listener for touched names gets. */
export interface NotifyWants {
  /** Names that are not even looked at; asked with absolute paths. Type null: only the name is known. */
  readonly leftOut: (path: string, type: DirectoryEntry['type'] | null) => boolean;
  /** Type null: only the name is known. */
  readonly onTouched: (path: string, type: DirectoryEntry['type'] | null) => void;
  /** `exhausted`: the system has no watches left; `failed`: anything else. Hints may be missing from now on. */
  readonly onTrouble: (kind: 'exhausted' | 'failed', detail: string) => void;
}

export interface Notifying {
  /** Resolves when every directory is listened to. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface Files {
  /** Lists a directory. Errors: item.gone, directory.unreadable, item.unreadable when it is no directory, file.busy. */
  list(directory: string): Promise<Result<readonly DirectoryEntry[]>>;
  /** Looks at a file without reading it, following a link. Errors: item.gone, item.unreadable, item.unsupported (no regular file), file.busy. */
  facts(path: string): Promise<Result<FileFacts>>;
  /** facts() of many paths at once, in their order. */
  stat(paths: readonly string[]): Promise<readonly Result<FileFacts>[]>;
  /** Type of what is there, not following a link; null when nothing is. */
  typeOf(path: string): Promise<DirectoryEntry['type'] | null>;
  /** Tells a directory from another one that takes its path later, such as a volume mounted there; null when there is none. */
  placeOf(directory: string): Promise<DirectoryPlace | null>;
  /** The real path of a directory that may be listed. Errors: item.gone, item.unsupported (no directory), directory.unreadable. */
  directoryAt(path: string): Promise<Result<string>>;
  /** The path with every link followed, null when it leads nowhere. */
  realPath(path: string): Promise<string | null>;
  /** Reads files: type, end-of-media check, fingerprint. Answers in the order of the paths. Errors: item.gone, item.unreadable, item.changed. */
  inspect(paths: readonly string[], kind?: HashKind): Promise<readonly Result<Inspection>[]>;
  /** Hash of the whole content. Errors as inspect. */
  hash(path: string, kind: HashKind): Promise<Result<string>>;
  /** CRC-32C of the whole content, and what else is wanted of the checksums that storages state. Errors as inspect. */
  checksums(path: string, wanted: WantedChecksums): Promise<Result<ComputedChecksums>>;
  /** The sources of a transfer as a body of about 1 MiB chunks. Its chunks can be asked once for each try. */
  openSources(plan: SourcePlan, options: SourceOptions, signal: AbortSignal): SourceBody;
  /** Reads such a body to its end without sending it, for its checksums; null when a source reads differently. */
  sumSources(plan: SourcePlan, signal: AbortSignal): Promise<ComputedChecksums | null>;
  /**
   * Opens the part of a path for writing, keeping what is there. Its directory is made where it is missing. Errors: disk.full,
   * disk.failed, system.openFiles.
   */
  openPart(path: string): Promise<Result<PartFile>>;
  /**
   * Writes a small file at once, synced: it appears under its name whole or not at all. Its directory is made where it is missing.
   * `replace`: what has its name is replaced. Errors: disk.full, disk.failed, system.openFiles, file.busy (it may be written).
   */
  writeWhole(
    path: string,
    bytes: Uint8Array,
    options: { readonly replace: boolean },
  ): Promise<Result<Written>>;
  remove(path: string): Promise<Result<void>>;
  /** Moves a file, also to another disk, where the copy is synced first; never replaces what is there (item.changed then). */
  moveFile(from: string, to: string): Promise<Result<void>>;
  /** Unpacks a .tar, .tar.gz or .zip safely into a fresh directory, which appears under its name only when whole. Answers the files written. */
  unpack(archive: string, directory: string, signal: AbortSignal): Promise<Result<number>>;
  /** Tells of touched names below a directory: hints, never the truth. Our own scans are the truth. */
  notify(directory: string, wants: NotifyWants): Notifying;
  /** True for a directory on a network share or another place that sends no events of others. */
  isRemote(directory: string): Promise<boolean>;
  /** Bytes free where the path is. */
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
