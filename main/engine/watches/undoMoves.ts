/** Moves files back that were moved after their upload. */
import { dirname } from 'node:path';
import { fail, ok, type Result, type SluiceError } from '../core/errors.ts';
import { hashKindOf } from '../core/ids.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { missingDrive } from '../pipeline/drives.ts';
import { ownPartPath } from '../pipeline/download/parts.ts';
import { itemById } from '../store/tables/items.ts';
import { finishMove, movesIn, type MovedSource } from '../store/tables/moves.ts';
import type { Watch } from '../store/tables/watches.ts';
import { isTwice } from './isTwice.ts';

type Undoing = Pick<Pipeline, 'ports' | 'store' | 'drives'>;

/** A file that could not be moved back, and why. */
export interface NotMovedBack {
  readonly move: MovedSource;
  readonly error: SluiceError;
}

/** True when the file at a path has the content that was sent. */
async function isSent({ ports }: Undoing, path: string, sent: string | null): Promise<boolean> {
  if (sent === null) return false;
  const found = await ports.files.hash(path, hashKindOf(sent));
  return found.ok && found.value === sent;
}

/** Moves one file back, or completes a move that was interrupted by a crash. */
async function moveBack(pipeline: Undoing, move: MovedSource): Promise<Result<void>> {
  const { files } = pipeline.ports;
  const { from, to, itemId } = move;
  const item = itemById(pipeline.store, itemId);
  const away =
    (await missingDrive(pipeline, dirname(from), item?.foundAt ?? null)) ??
    (await missingDrive(pipeline, dirname(to)));
  if (away !== null) return { ok: false, error: away };
  // The crash came before the move was recorded.
  if ((await files.typeOf(to)) === null)
    return (await isSent(pipeline, from, item?.contentHash ?? null))
      ? ok(undefined)
      : fail('item.gone');
  const part = ownPartPath(pipeline, from);
  if (!(await isTwice(files, move))) return files.moveFile(to, from, part);
  await files.remove(part);
  return files.remove(to);
}

/** Moves sources of a watch back to where they were. Returns how many came back and which could not. */
export async function undoMoves(
  pipeline: Undoing,
  watch: Pick<Watch, 'destinationId'>,
): Promise<{ readonly undone: number; readonly left: readonly NotMovedBack[] }> {
  const { store, ports } = pipeline;
  const left: NotMovedBack[] = [];
  let undone = 0;
  for (const move of movesIn(store, watch.destinationId, 'moved')) {
    const back = await moveBack(pipeline, move);
    if (!back.ok) {
      left.push({ move, error: back.error });
      continue;
    }
    store.transaction(() => finishMove(store, move.itemId, 'undone', ports.clock.now()));
    undone += 1;
  }
  return { undone, left };
}
