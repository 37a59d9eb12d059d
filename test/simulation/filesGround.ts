/** What the files of a simulated process are made of. */
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

/** What the files of one process are made of. */
export interface FilesGround {
  readonly disk: Disk;
  readonly life: Life;
  readonly dice: Dice;
  readonly trouble: DiskTrouble;
}
