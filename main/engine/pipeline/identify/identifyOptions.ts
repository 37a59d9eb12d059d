/** The caller's options for identifying files. */
import type { Item } from '../../store/tables/items.ts';
import type { Pipeline } from '../context.ts';

/** Chooses a batch for an item. `take`: the item goes there and counts towards the limit. `look`: only returns where it would go. */
export type BaseChooser = (
  item: Pick<Item, 'foundAt' | 'relativePath'>,
  purpose: 'take' | 'look',
) => string;

export interface IdentifyOptions {
  readonly destinationId: number;
  /**
   * True for a watch. Otherwise a person wants the files sent now, even half-copied ones, and those that were in a batch that has expired
   * are sent again.
   */
  readonly isWatched: boolean;
  /** When an explicit upload began, after the drives of its files were looked at; see drives.ts. Absent for a watch. */
  readonly began?: number;
  /** The rule that chooses the batch of each new item; absent or null when all go to the requested batch. */
  readonly chooseBase?: BaseChooser | null;
  /** Called in the transaction before writing; false writes nothing. A watch may be removed while its files are read. */
  readonly isWanted?: () => boolean;
  /** Called in the transaction that writes the results for these paths. */
  readonly recorded?: (paths: readonly string[]) => void;
  /** Called in the transaction that adds or requeues items, with the highest of their ids. */
  readonly added?: (newest: number) => void;
}

/** The options of a caller, with the pipeline that identifies the files. */
export interface Identifying extends IdentifyOptions {
  readonly pipeline: Pipeline;
}
