/** The caller's options for identifying files. */
import type { Item } from '../../store/tables/items.ts';

/** Chooses a batch for an item. `take`: it goes there and counts towards the limit. `look`: only returns where it would go. */
export type BaseChooser = (
  item: Pick<Item, 'foundAt' | 'relativePath'>,
  purpose: 'take' | 'look',
) => string;

export interface IdentifyOptions {
  readonly destinationId: number;
  /** For a watch. Otherwise a person wants them sent now: also half-copied ones, and again what was in a batch that has expired. */
  readonly isWatched: boolean;
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
