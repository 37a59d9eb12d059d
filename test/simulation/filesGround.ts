/** What the files of a simulated process are made of. */
import type { ErrorCode } from '../../preload/contract/errors.ts';
import type { Dice } from './dice.ts';
import type { Disk } from './disk.ts';
import type { Life } from './life.ts';

/** What a disk refuses at the moment; null: nothing. */
interface DiskTrouble {
  /** A look, a listing or a read fails for a moment (EIO, EMFILE, a lock). */
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
