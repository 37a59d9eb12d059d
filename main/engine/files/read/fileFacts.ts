/** Converts the result of a stat to the engine's types. */
import type { BigIntStats } from 'node:fs';
import { isStamp } from '../../core/ids.ts';
import type { FileFacts, Stamp } from '../../core/model.ts';

/** Size, modification time, change time and inode as one comparable string. */
export function stampOf(stats: BigIntStats): Stamp {
  const text = `${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.ino}`;
  if (!isStamp(text)) throw new Error('a stat without numbers');
  return text;
}

/** The facts of a regular file; check `stats.isFile()` first. */
export function factsOf(stats: BigIntStats): FileFacts {
  const touched = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs;
  return {
    sizeBytes: Number(stats.size),
    touchedAt: Number(touched / 1_000_000n),
    stamp: stampOf(stats),
  };
}
