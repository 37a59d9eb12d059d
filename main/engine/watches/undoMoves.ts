/** The way back of files that were moved after their upload. */
import { dirname } from 'node:path';
import { type SluiceError, sluiceError } from '../core/errors.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { missingDrive } from '../pipeline/drives.ts';
import { ownPartPath } from '../pipeline/download/parts.ts';
import { itemById } from '../store/tables/items.ts';
import { finishMove, movesIn, type MovedSource } from '../store/tables/moves.ts';
import type { Watch } from '../store/tables/watches.ts';

/** A file that could not be moved back, and why. */
export interface NotMovedBack {
  readonly move: MovedSource;
  readonly error: SluiceError;
}

/** Moves sources of a watch back to where they were. Returns how many came back and which could not. */
export async function undoMoves(
  pipeline: Pick<Pipeline, 'ports' | 'store' | 'drives'>,
  watch: Pick<Watch, 'destinationId'>,
): Promise<{ readonly undone: number; readonly left: readonly NotMovedBack[] }> {
  const { store, ports } = pipeline;
  const left: NotMovedBack[] = [];
  let undone = 0;
  for (const move of movesIn(store, watch.destinationId, 'moved')) {
    const foundAt = itemById(store, move.itemId)?.foundAt ?? null;
    const away =
      (await missingDrive(pipeline, dirname(move.from), foundAt)) ??
      (await missingDrive(pipeline, dirname(move.to))) ??
      ((await ports.files.typeOf(move.to)) === null ? sluiceError('item.gone') : null);
    const back =
      away === null
        ? await ports.files.moveFile(move.to, move.from, ownPartPath(pipeline, move.from))
        : ({ ok: false, error: away } as const);
    if (!back.ok) {
      left.push({ move, error: back.error });
      continue;
    }
    store.transaction(() => finishMove(store, move.itemId, 'undone', ports.clock.now()));
    undone += 1;
  }
  return { undone, left };
}
