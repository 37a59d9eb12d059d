/**
 * Moving sources after their upload, only where a rule asks for it: confirmed by the service, in a closed batch, after
 * the job and its results, and only when the file is still the one that was sent. In two phases, with an undo list.
 */
import { basename, extname, join } from 'node:path';
import type { ErrorCode } from '../../preload/errorCodes.ts';
import type { Line } from './pipeline/line.ts';
import { type Item, itemById } from './store/items.ts';
import {
  dropPlannedMove,
  finishMove,
  itemsToMove,
  type MovedSource,
  movesOf,
  planMove,
} from './store/moves.ts';
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

/** Takes back what was only planned: it may be planned anew while its file is still the one that was sent. */
function giveUp(line: Line, move: MovedSource, code: ErrorCode): void {
  line.ports.log.write('warn', 'source.notMoved', { path: move.from, code });
  line.store.transaction(() => dropPlannedMove(line.store, move.itemId));
}

/** Moves a file that was found unchanged a moment ago, or ends a move that a crash broke off. False: the disk refused. */
async function carryOut(line: Line, move: MovedSource): Promise<boolean> {
  const { files, clock, log } = line.ports;
  const here = (await files.typeOf(move.from)) !== null;
  const there = (await files.typeOf(move.to)) !== null;
  const other = here && there && !(await sameFile(line, move));
  if (other || (!here && !there)) {
    giveUp(line, move, other ? 'item.changed' : 'item.gone');
    return true;
  }
  if (here) {
    // With both names on one file, a crash came between the second name and the end of the first.
    const done = there ? await files.remove(move.from) : await files.moveFile(move.from, move.to);
    if (!done.ok) {
      log.write('warn', 'source.notMoved', { path: move.from, code: done.error.code });
      return false;
    }
  }
  line.store.transaction(() => finishMove(line.store, move.itemId, 'moved', clock.now()));
  return true;
}

/** Ends what an earlier run had only planned; a file that is another one by now stays where it is. */
async function resume(line: Line, move: MovedSource): Promise<boolean> {
  const begun = (await line.ports.files.typeOf(move.to)) !== null;
  const item = itemById(line.store, move.itemId);
  if (begun || (item !== null && (await isUnchanged(line, item)))) return carryOut(line, move);
  giveUp(line, move, 'item.changed');
  return true;
}

/** Plans and carries out one move. False: the disk refused. */
async function moveOne(line: Line, moveTo: string, item: Item): Promise<boolean> {
  const { store, ports } = line;
  const { path: from, id: itemId } = item;
  if ((await ports.files.typeOf(from)) === null) {
    // Whoever took it away needs nothing more from us: it is never asked for again.
    store.transaction(() => {
      planMove(store, { itemId, from, to: from }, ports.clock.now());
      finishMove(store, itemId, 'undone', ports.clock.now());
    });
    return true;
  }
  const to = await freePath(line, join(moveTo, item.relativePath || basename(from)));
  if (to === null || !(await isUnchanged(line, item))) return true;
  const move = { itemId, from, to };
  store.transaction(() => planMove(store, move, ports.clock.now()));
  return carryOut(line, move);
}

/** Moves the sources of a watch whose time has come. A disk that refuses ends the round; the next one tries again. */
export async function moveConfirmedSources(line: Line, watch: Watch): Promise<void> {
  const { moveTo, job, downloadTo } = watch.rule;
  if (moveTo === null) return;
  const { store } = line;
  const { destinationId } = watch;
  for (const move of movesOf(store, destinationId, 'planned')) {
    if (!(await resume(line, move))) return;
  }
  const wanted = { destinationId, needsJob: job !== null, needsFetch: downloadTo !== null };
  let after = 0;
  for (;;) {
    const items = itemsToMove(store, wanted, after, AT_ONCE);
    for (const item of items) {
      if (line.signal.aborted || !(await moveOne(line, moveTo, item))) return;
    }
    const last = items.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
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
