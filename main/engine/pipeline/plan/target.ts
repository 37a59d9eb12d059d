/** Where found files go: the requested batch, and how it is filled. */
import type { MediaKind } from '../../core/model.ts';
import type { BatchMode } from '../../store/tables/batches.ts';
import type { BaseChooser } from '../identify/identifyOptions.ts';

export interface Target {
  readonly destinationId: number;
  /** A legal batch id with room for a generation behind it. */
  readonly baseId: string;
  readonly displayName: string | null;
  readonly mode: BatchMode | 'auto';
  /** The kind that goes to baseId, the other one beside it; null: images where there are any. */
  readonly mainKind: MediaKind | null;
  /** An explicit upload sends again what stood in a batch that has expired. */
  readonly ignoreExpired: boolean;
  /** The content of the notification member of each shard; null: none. */
  readonly notification: string | null;
  /** A rule that chooses the batch of each item, once it can go; null: all go to baseId. */
  readonly chooseBase: BaseChooser | null;
  /** Items that a batch may hold before it is closed; null: any number. */
  readonly maxItems: number | null;
  /** The batch id holds the name of this computer: others are not expected to fill it. */
  readonly hasHostInId: boolean;
  /** Other machines fill the batch at the same time: names are unique from the first file on. */
  readonly isShared: boolean;
  /** The watch that fills it; null for a command. */
  readonly watchId: number | null;
  /** True once everything there is was identified: the rest may be planned, and videos know whether images came. */
  scanned(): boolean;
}
