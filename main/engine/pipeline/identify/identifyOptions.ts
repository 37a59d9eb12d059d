/** The caller's options for identifying files. */
import type { Item } from '../../store/tables/items.ts';

/** Chooses a batch for an item. `take`: it goes there and counts towards the limit. `look`: only returns where it would go. */
export type BaseChooser = (
  item: Pick<Item, 'foundAt' | 'relativePath'>,
  purpose: 'take' | 'look',
) => string;

export interface IdentifyOptions {
  readonly destinationId: number;
  /** An explicit upload resends what was in a batch that has expired. */
  readonly ignoreExpired: boolean;
  /** How long to wait for a half-copied file, in ms since its last touch; 0 when the user wants it now. */
  readonly truncatedGraceMs: number;
  /** When an explicit upload began, after a look at the drives it is from; see drives.ts. Absent for a watch. */
  readonly began?: number;
  /** The rule that chooses the batch of each new item; absent when all go to the requested one. */
  readonly chooseBase?: BaseChooser;
  /** Called in the transaction before writing; false writes nothing. A watch may be removed while its files are read. */
  readonly isWanted?: () => boolean;
  /** Called in the transaction that wrote what these paths are. */
  readonly recorded?: (paths: readonly string[]) => void;
  /** Called in the transaction that added or requeued items, with the highest of their ids. */
  readonly added?: (newest: number) => void;
}
