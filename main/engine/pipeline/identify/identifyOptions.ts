/** What is identified and where it goes, as the caller says. */
import type { Item } from '../../store/tables/items.ts';

/**
 * Chooses a batch for an item. `take`: the item goes there, and counts where a batch takes only so many; `look`: it is only
 * asked where it would go.
 */
export type BaseChooser = (
  item: Pick<Item, 'foundAt' | 'relativePath'>,
  purpose: 'take' | 'look',
) => string;

/** What is looked for and where it goes. */
export interface IdentifyOptions {
  readonly destinationId: number;
  /** An explicit upload sends again what stood in a batch that has expired. */
  readonly ignoreExpired: boolean;
  /** How long a half-copied file is waited for, ms since its last touch; 0: the user says now. */
  readonly truncatedGraceMs: number;
  /** The rule that chooses the batch of each new item; absent: all go to the one that was asked for. */
  readonly chooseBase?: BaseChooser;
  /** Asked in the transaction that would write: false writes nothing. A watch may be removed while its files are read. */
  readonly isWanted?: () => boolean;
  /** Called in the transaction that added or requeued items, with the highest id of them. */
  readonly added?: (newest: number) => void;
}
