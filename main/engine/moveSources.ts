/**
 * Moving sources after their upload, only where a rule asks for it: confirmed by the service, in a closed batch, after
 * the job and its results, and only when the file is still the one that was sent. In two phases, with an undo list.
 */
import { basename, extname, join } from 'node:path';
import type { Line } from './pipeline/line.ts';
import type { Item } from './store/items.ts';
import { finishMove, itemsToMove, type MovedSource, movesOf, planMove } from './store/moves.ts';
import type { Watch } from './store/watches.ts';

const AT_ONCE = 200;
const MAX_NAMES = 1000;

/** True when the file is byte for byte what was confirmed. */
async function isUnchanged(line: Line, item: Item): Promise<boolean> {
  const { files } = line.ports;
  const facts = await files.facts(item.path);
  if (!facts.ok || facts.value.stamp !== item.stamp || item.sha256 === null) return false;
  const hash = await files.hash(item.path);
  return hash.ok && hash.value === item.sha256;
}

/** The path, or the path with "~2", "~3"… in it where it is taken. */
async function freePath(line: Line, path: string): Promise<string | null> {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  for (let number = 1; number < MAX_NAMES; number += 1) {
    const candidate = number === 1 ? path : `${stem}~${number}${ending}`;
    if ((await line.ports.files.typeOf(candidate)) === null) return candidate;
  }
  return null;
}

/** True when both names lead to one and the same file. */
async function sameFile(line: Line, move: MovedSource): Promise<boolean> {
  const [from, to] = await line.ports.files.look([move.from, move.to]);
  return from?.ok === true && to?.ok === true && from.value.stamp === to.value.stamp;
}

async function carryOut(line: Line, move: MovedSource): Promise<void> {
  const { files, clock, log } = line.ports;
  const here = (await files.typeOf(move.from)) !== null;
  const there = (await files.typeOf(move.to)) !== null;
  if (here && !there) {
    const moved = await files.moveFile(move.from, move.to);
    if (!moved.ok) {
      log.write('warn', 'source.notMoved', { path: move.from, code: moved.error.code });
      return;
    }
  } else if (here && there && (await sameFile(line, move))) {
    // A crash came between the second name and the end of the first.
    const removed = await files.remove(move.from);
    if (!removed.ok) return;
  } else if (here && there) {
    log.write('warn', 'source.notMoved', { path: move.from, code: 'item.changed' });
    return;
  }
  line.store.transaction(() => finishMove(line.store, move.itemId, 'moved', clock.now()));
}

/** Moves the sources of a watch whose time has come. Answers how many. */
export async function moveConfirmedSources(line: Line, watch: Watch): Promise<number> {
  const { moveTo, job, downloadTo } = watch.rule;
  if (moveTo === null) return 0;
  const { store, ports } = line;
  for (const move of movesOf(store, watch.destinationId, 'planned')) await carryOut(line, move);
  const wanted = {
    destinationId: watch.destinationId,
    needsJob: job !== null,
    needsFetch: downloadTo !== null,
  };
  let moved = 0;
  for (const item of itemsToMove(store, wanted, AT_ONCE)) {
    if (line.signal.aborted) break;
    const to = await freePath(line, join(moveTo, item.relativePath || basename(item.path)));
    if (to === null || !(await isUnchanged(line, item))) continue;
    const move = { itemId: item.id, from: item.path, to };
    store.transaction(() => planMove(store, move, ports.clock.now()));
    await carryOut(line, move);
    moved += 1;
  }
  return moved;
}

/** Brings moved sources of a watch back to where they were. Answers how many came back and which could not. */
export async function undoMoves(
  line: Line,
  watch: Watch,
): Promise<{ readonly undone: number; readonly left: readonly MovedSource[] }> {
  const left: MovedSource[] = [];
  let undone = 0;
  for (const move of movesOf(line.store, watch.destinationId, 'moved')) {
    const back = await line.ports.files.moveFile(move.to, move.from);
    if (!back.ok) {
      left.push(move);
      continue;
    }
    line.store.transaction(() =>
      finishMove(line.store, move.itemId, 'undone', line.ports.clock.now()),
    );
    undone += 1;
  }
  return { undone, left };
}
