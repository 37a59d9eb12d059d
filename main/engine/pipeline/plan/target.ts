/** Where found files go: the requested batch, and how it is filled. */
import type { MediaKind } from '../../core/model.ts';
import { waitingBases } from '../../store/queue/waiting.ts';
import type { BatchMode } from '../../store/tables/batches.ts';
import type { Pipeline } from '../context.ts';
import type { BaseChooser } from '../identify/identifyOptions.ts';

export interface Target {
  readonly destinationId: number;
  /** A legal batch id with room for a generation suffix. */
  readonly baseId: string;
  readonly displayName: string | null;
  readonly mode: BatchMode | 'auto';
  /** The kind that goes to baseId; the other kind goes to `-videos` or `-images`. null: images if there are any. */
  readonly mainKind: MediaKind | null;
  /** The content of the notification member of each shard; null for none. */
  readonly notification: string | null;
  /** A rule that chooses the batch of each item once it can be sent; null when all go to baseId. */
  readonly chooseBase: BaseChooser | null;
  /** How many items a batch may hold before it is closed; null for any number. */
  readonly maxItems: number | null;
  /** The batch id contains the name of this computer, so others are not expected to fill it. */
  readonly hasHostInId: boolean;
  /** Other machines fill the batch at the same time, so names are unique from the first file on. */
  readonly isShared: boolean;
  /** The watch that fills it; null for a command. */
  readonly watchId: number | null;
  /** True once everything is identified: then even an unfilled shard may be planned, and it is known whether there are images. */
  scanned(): boolean;
}

/** The groups of items that wait for a target: the batch id that a rule chose for each (null: none), and the id to use for it. */
export function waitingFor(
  { store, bases }: Pipeline,
  { destinationId, chooseBase, baseId }: Target,
  isWatched: boolean,
): readonly { readonly baseId: string | null; readonly asked: string }[] {
  const chosen = waitingBases(store, destinationId);
  if (chooseBase !== null) return chosen.map((id) => ({ baseId: id, asked: id }));
  // A watch that was interrupted may have chosen batches for files that a command now uploads. A running watch plans them itself.
  const left = (isWatched ? [] : chosen).map((id) => {
    const isSent = bases === null || bases.includes(id);
    return { baseId: id, asked: isSent ? id : baseId };
  });
  return [{ baseId: null, asked: baseId }, ...left];
}
