/**
 * Reads a small file completely, into a target that is one byte longer than the file should be, so that the same read shows whether the
 * file has grown. False when it is not a regular file of the expected length. Throws what Node throws.
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readFully, readFullyAsync } from '../byteSource.ts';
import { encodePath } from '../names/pathBytes.ts';
import { withFile } from '../withFile.ts';

/** Non-blocking, so that a pipe with a file's name cannot block a worker forever; Windows has no such flag. */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export type ReadSmall = (path: string, target: Uint8Array) => boolean | Promise<boolean>;

/** In a worker: synchronous calls are the fastest way with many files. */
export const readSmallSync: ReadSmall = (path, target) => {
  const length = target.length - 1;
  const fd = openSync(encodePath(path), READ_FLAGS);
  try {
    return fstatSync(fd).isFile() && readFully(fd, target, 0, length) === length;
  } finally {
    closeSync(fd);
  }
};

/** In the main thread, which no file may block. */
export const readSmallAsync: ReadSmall = (path, target) =>
  withFile(path, READ_FLAGS, async (file) => {
    const length = target.length - 1;
    const isFile = (await file.stat()).isFile();
    return isFile && (await readFullyAsync(file.fd, target, 0, length)) === length;
  });
