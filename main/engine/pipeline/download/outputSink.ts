/** Where the bytes of an output go before the file has its name: a small one waits in memory, any other in its part on disk. */
import { ok, type Result } from '../../core/errors.ts';
import type { Files, PartFile } from '../../core/ports.ts';

export type OutputSink = Pick<PartFile, 'write' | 'truncate' | 'commit'>;

/** A file that is small enough to be written at once; what comes of it before an interruption is lost. */
export function memorySink(files: Files, path: string): OutputSink {
  let pieces: Uint8Array[] = [];
  return {
    write: (chunk) => {
      pieces.push(chunk);
      return Promise.resolve(ok(undefined));
    },
    truncate: () => {
      pieces = [];
      return Promise.resolve(ok(undefined));
    },
    commit: (options) => files.writeWhole(path, pieces, options),
  };
}

/** The part of a path, opened when it is first needed. */
export interface LazyPart {
  /** As Files.openPart. */
  open(): Promise<Result<PartFile>>;
  isOpen(): boolean;
  close(): Promise<void>;
}

/** The part of a path; nothing is opened yet. */
export function createLazyPart(files: Files, path: string): LazyPart {
  let opened: PartFile | null = null;
  return {
    open: async () => {
      if (opened !== null) return ok(opened);
      const part = await files.openPart(path);
      if (part.ok) opened = part.value;
      return part;
    },
    isOpen: () => opened !== null,
    close: async () => opened?.close(),
  };
}
