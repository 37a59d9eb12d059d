/** Where the bytes of an output go before the file has its name: a small one waits in memory, any other in its part on disk. */
import { ok, type Result } from '../../core/errors.ts';
import type { Files, PartFile, WrittenWhole } from '../../core/ports.ts';

export interface Landing {
  write(chunk: Uint8Array): Promise<Result<void>>;
  /** Nothing of what came is kept. */
  empty(): Promise<Result<void>>;
  /** Gives the file its name, synced; without `replace` only where nothing has that name. */
  settle(options: { readonly replace: boolean }): Promise<Result<WrittenWhole>>;
}

/** A file that is small enough to be written at once; what comes of it before an interruption is lost. */
export function landInMemory(files: Files, path: string): Landing {
  let pieces: Uint8Array[] = [];
  return {
    write: (chunk) => {
      pieces.push(chunk);
      return Promise.resolve(ok(undefined));
    },
    empty: () => {
      pieces = [];
      return Promise.resolve(ok(undefined));
    },
    settle: (options) => files.writeWhole(path, pieces, options),
  };
}

/** A file whose part stays where it is when its download is interrupted. */
export function landInPart(files: Files, path: string, part: PartFile): Landing {
  return {
    write: (chunk) => part.write(chunk),
    empty: () => part.truncate(),
    settle: async (options) => {
      const committed = await part.commit(options);
      if (!committed.ok) return committed;
      if (committed.value === 'occupied') return ok({ kind: 'occupied' });
      const facts = await files.facts(path);
      return ok({ kind: 'written', stamp: facts.ok ? facts.value.stamp : null });
    },
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
