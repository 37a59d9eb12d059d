/** The directory that an archive is unpacked into: safe names, no escape, and a guard on free space. */
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type ErrorCode, sluiceError, SluiceFailure } from '../../core/errors.ts';
import { syncDirectory } from '../write/syncDirectory.ts';
import { encodePath } from '../names/pathBytes.ts';
import { localFileName, uniqueLocalName } from '../names/localNames.ts';

/** Bytes that always stay free on the disk, however much an archive contains (as other sync clients do: product facts, §1). */
const KEPT_FREE_BYTES = 512 * 1024 * 1024;
/** Bytes written between two checks of the free space. */
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;
/** More members than any result has; an archive with more is meant to exhaust the file system. */
const MAX_MEMBERS = 1_000_000;
const MAX_DEPTH = 64;

interface Branch {
  readonly path: string;
  /** Keys of the names in use. */
  readonly taken: Set<string>;
  readonly branches: Map<string, Branch>;
}

export interface TreeOptions {
  readonly root: string;
  /** Names with the same key are the same name on this disk. */
  readonly key: (name: string) => string;
  readonly freeBytes: (path: string) => Promise<number | null>;
  readonly signal: AbortSignal;
}

export function unpackFailure(code: ErrorCode, reason: string, member: string): SluiceFailure {
  return new SluiceFailure(sluiceError(code, { reason, member }));
}

/** Splits a member's name into its path components. Throws part.unsafeName for a name that leads out of the tree. */
function memberSteps(name: string): readonly string[] {
  const steps = name.split(/[/\\]/);
  const leavesTree = steps.includes('..') || /^(?:[/\\]|[A-Za-z]:[/\\])/.test(name);
  if (leavesTree || name.includes('\0') || steps.length > MAX_DEPTH) {
    throw unpackFailure('part.unsafeName', 'leads outside', name);
  }
  return steps.filter((step) => step !== '' && step !== '.');
}

/** Checks the free space while bytes are written, always on the first call. Throws disk.full. */
function createSpaceGuard({
  root,
  freeBytes,
}: TreeOptions): (bytes: number, member: string) => Promise<void> {
  let unlooked = LOOK_EVERY_BYTES;
  return async (bytes, member) => {
    unlooked += bytes;
    if (unlooked < LOOK_EVERY_BYTES) return;
    unlooked = 0;
    const free = await freeBytes(root);
    if (free !== null && free - LOOK_EVERY_BYTES < KEPT_FREE_BYTES) {
      const kept = `unpacking leaves ${Math.ceil(KEPT_FREE_BYTES / 1e6)} MB free for other programs`;
      throw unpackFailure('disk.full', kept, member);
    }
  };
}

/** Claims a free name for a path component within a branch; returns its path. */
function claim(branch: Branch, step: string, key: TreeOptions['key']): string {
  const name = uniqueLocalName(localFileName(step), (one) => branch.taken.has(key(one)));
  branch.taken.add(key(name));
  return join(branch.path, name);
}

/** Follows the path components down from the trunk, and makes missing directories. */
async function enter(
  trunk: Branch,
  steps: readonly string[],
  key: TreeOptions['key'],
  made: string[],
): Promise<Branch> {
  let branch = trunk;
  for (const step of steps) {
    let next = branch.branches.get(step);
    if (next === undefined) {
      next = { path: claim(branch, step, key), taken: new Set(), branches: new Map() };
      await mkdir(encodePath(next.path));
      made.push(next.path);
      branch.branches.set(step, next);
    }
    branch = next;
  }
  return branch;
}

/** Starts filling an empty directory. */
export function createUnpackTree(options: TreeOptions) {
  const { root, key, signal } = options;
  const trunk: Branch = { path: root, taken: new Set(), branches: new Map() };
  const directories: string[] = [root];
  const written: string[] = [];
  const guard = createSpaceGuard(options);
  let members = 0;

  const count = (memberName: string): readonly string[] => {
    signal.throwIfAborted();
    members += 1;
    if (members > MAX_MEMBERS) throw unpackFailure('part.damaged', 'too many members', memberName);
    return memberSteps(memberName);
  };
  return {
    async makeDirectory(memberName: string) {
      await enter(trunk, count(memberName), key, directories);
    },
    async writeFile(memberName: string, chunks: AsyncIterable<Uint8Array>) {
      const steps = count(memberName);
      const last = steps.at(-1);
      if (last === undefined) throw unpackFailure('part.damaged', 'no name', memberName);
      await guard(0, memberName);
      const path = claim(await enter(trunk, steps.slice(0, -1), key, directories), last, key);
      // 'wx' never opens an existing file, and never follows a link. The permissions are the usual ones; those in the archive are ignored.
      const handle = await open(encodePath(path), 'wx', 0o644);
      try {
        for await (const chunk of chunks) {
          signal.throwIfAborted();
          await guard(chunk.length, memberName);
          await handle.writeFile(chunk);
        }
        await handle.sync();
      } finally {
        await handle.close();
      }
      written.push(path.slice(root.length + 1));
    },
    /** Makes everything written survive a power cut; returns the paths of the files, relative to the tree. */
    async finish(): Promise<readonly string[]> {
      for (const directory of directories) await syncDirectory(directory);
      return written;
    },
  };
}

export type UnpackTree = ReturnType<typeof createUnpackTree>;
