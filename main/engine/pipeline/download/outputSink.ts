/** Where the bytes of an output go before the file has its name: a small one waits in memory, any other in its part on disk. */
import { fail, ok, type Result } from '../../core/errors.ts';
import { SMALL_FILE_BYTES } from '../../core/limits.ts';
import type { Files, PartFile } from '../../core/ports.ts';

export type OutputSink = Pick<PartFile, 'write' | 'truncate' | 'commit'>;

/** The sinks of one output, opened when they are first needed and closed together. */
export interface OutputSinks {
  /** As Files.openPart. */
  openPart(): Promise<Result<PartFile>>;
  isPartOpen(): boolean;
  /** For a file of up to SMALL_FILE_BYTES; what comes of it before an interruption is lost. */
  memory(): OutputSink;
  close(): Promise<void>;
}

const LONGER = { reason: 'longer than stated' };

type Memory = Uint8Array<SharedArrayBuffer>;

/** Memory of files that are done, for the next ones: fresh memory would be given back late. As much as there are files in work. */
const free: Memory[] = [];

function memorySink(files: Files, path: string, memory: Memory): OutputSink {
  let filled = 0;
  return {
    write: (chunk) => {
      if (filled + chunk.length > memory.length)
        return Promise.resolve(fail('network.lost', LONGER));
      memory.set(chunk, filled);
      filled += chunk.length;
      return Promise.resolve(ok(undefined));
    },
    truncate: () => {
      filled = 0;
      return Promise.resolve(ok(undefined));
    },
    commit: (options) => files.writeWhole(path, memory.subarray(0, filled), options),
  };
}

/** The sinks of a path; nothing is opened yet. */
export function createOutputSinks(files: Files, path: string): OutputSinks {
  let opened: PartFile | null = null;
  const taken: Memory[] = [];
  return {
    openPart: async () => {
      if (opened !== null) return ok(opened);
      const part = await files.openPart(path);
      if (part.ok) opened = part.value;
      return part;
    },
    isPartOpen: () => opened !== null,
    memory: () => {
      // Shared, so that the thread that writes it takes no copy.
      const memory = free.pop() ?? new Uint8Array(new SharedArrayBuffer(SMALL_FILE_BYTES));
      taken.push(memory);
      return memorySink(files, path, memory);
    },
    close: async () => {
      free.push(...taken.splice(0));
      await opened?.close();
    },
  };
}
