/** What the Files port of a simulated process needs. */
import type { ErrorCode } from '../../preload/contract/errors.ts';
import type { Dice } from './dice.ts';
import type { Disk } from './disk.ts';
import type { Life } from './life.ts';

/** What a disk currently refuses; null when it refuses nothing. */
interface DiskTrouble {
  /** A stat, a listing or a read fails temporarily (EIO, EMFILE, a lock). */
  read(path: string): ErrorCode | null;
  /** A write fails: disk.full or disk.failed. */
  write(path: string): ErrorCode | null;
}

/** What the Files port of one process needs. */
export interface FilesGround {
  readonly disk: Disk;
  readonly life: Life;
  readonly dice: Dice;
  readonly trouble: DiskTrouble;
}
