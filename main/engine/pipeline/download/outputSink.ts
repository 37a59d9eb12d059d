/** Holds the bytes of an output until the file gets its name: a small one in memory, any other in a part file on disk. */
import { fail, ok, type Result } from '../../core/errors.ts';
import { SMALL_FILE_BYTES } from '../../core/limits.ts';
import type { PartFile, SyncedLength } from '../../core/ports.ts';
import type { Pipeline } from '../context.ts';
import { inDirectory } from './diskRoom.ts';

export type OutputSink = Pick<PartFile, 'write' | 'truncate' | 'commit'>;

const LONGER = { reason: 'longer than stated' };

type Memory = Uint8Array<SharedArrayBuffer>;

/**
 * Buffers that are reused for the next files, because the garbage collector would free used ones late. There are at most as many as files
 * in progress.
 */
const free: Memory[] = [];

function memorySink(pipeline: Pipeline, path: string, part: string, memory: Memory): OutputSink {
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
    commit: (options) =>
      inDirectory(pipeline, path, () =>
        pipeline.ports.files.writeWhole(path, part, memory.subarray(0, filled), options),
      ),
  };
}

/** Creates the sinks of a path and its part; opens nothing yet. */
export function createOutputSinks(
  pipeline: Pipeline,
  path: string,
  partPath: string,
  synced: SyncedLength,
) {
  let opened: PartFile | null = null;
  const taken: Memory[] = [];
  return {
    /** As Files.openPart; makes a missing directory. */
    openPart: async (): Promise<Result<PartFile>> => {
      if (opened !== null) return ok(opened);
      const part = await inDirectory(pipeline, path, () =>
        pipeline.ports.files.openPart(path, partPath, synced),
      );
      if (part.ok) opened = part.value;
      return part;
    },
    isPartOpen: () => opened !== null,
    /** For a file of up to SMALL_FILE_BYTES; bytes that arrived before an interruption are lost. */
    memory: (): OutputSink => {
      // Shared memory, so that the thread that writes the file needs no copy.
      const memory = free.pop() ?? new Uint8Array(new SharedArrayBuffer(SMALL_FILE_BYTES));
      taken.push(memory);
      return memorySink(pipeline, path, partPath, memory);
    },
    close: async () => {
      free.push(...taken.splice(0));
      await opened?.close();
    },
  };
}

/** The sinks of one output: each is opened when first needed, and all are closed together. */
export type OutputSinks = ReturnType<typeof createOutputSinks>;
