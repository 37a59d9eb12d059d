/** Items whose file must be read again: it was locked, it changed during reading, or its content is doubtful. */
import type { Result } from '../../core/errors.ts';
import { FILE_BUSY_MAX_MS, SHORTAGE_TRIES } from '../../core/limits.ts';
import { shortageOf } from '../../core/errno.ts';
import { noStamp } from '../../core/ids.ts';
import type { Inspection, Stamp } from '../../core/model.ts';
import { requeueDuplicates } from '../../store/tables/duplicates.ts';
import {
  countReread,
  forgetContent,
  type Identified,
  type Item,
  itemById,
  itemsToIdentify,
  knownContent,
  newestByPath,
  reidentify,
} from '../../store/tables/items.ts';
import { countUnread } from '../../store/queue/waiting.ts';
import { replaceSeen } from '../../store/tables/seen.ts';
import { moveItem } from '../../store/transitions.ts';
import { clearWait, noteWait, waitingSince, waitReasonOf } from '../../store/tables/waits.ts';
import { isWatched } from '../../store/tables/watches.ts';
import { backoffMs } from '../backoff.ts';
import { type GroupContent, hashLookalikes, withDuplicate } from './duplicates.ts';
import type { BaseChooser, Identifying } from './identifyOptions.ts';
import { inspectFiles } from './inspectFiles.ts';
import { giveUpReason, judge, unread } from './judge.ts';
import type { Pipeline } from '../context.ts';

/** Items of one round, written in one transaction. Our choice. */
const GROUP = 256;

/** Returns the rule by which a destination chooses batches; null when all its items go to one. */
export type ChooserOf = (destinationId: number) => BaseChooser | null;

function isAway(result: Result<Inspection>): boolean {
  return !result.ok && result.error.code === 'disk.missing';
}

/** Judges a file that was read again: as judge does, or parked after too many failed readings in a row. */
function judgeAgain(
  pipeline: Pipeline,
  item: Item,
  { result, stamp }: Reread,
  watched: boolean,
): Identified {
  const { store, ports, times } = pipeline;
  const now = ports.clock.now();
  const isRepeated = !result.ok && result.error.next === 'retry';
  const isShort = isRepeated && shortageOf(result.error) !== null;
  const rereads = isRepeated && !isShort ? countReread(store, item) : item.rereads;
  const most = isRepeated && result.error.code === 'file.busy' ? FILE_BUSY_MAX_MS : Infinity;
  // A shortage of open files is not counted: its pause does not grow.
  const steps = isShort ? SHORTAGE_TRIES : Math.max(item.tries, rereads) + 1;
  const pause = backoffMs(steps, ports.random.fraction(), times);
  const reason = isRepeated ? giveUpReason(result.error, rereads) : null;
  if (reason !== null) return unread('parked', reason, 0, stamp);
  return judge(result, now + Math.min(most, pause), watched ? now : null);
}

/** Another reading: its result, and the file's stamp if the file changed during it. */
interface Reread {
  readonly item: Item;
  readonly result: Result<Inspection>;
  readonly stamp: Stamp | null;
}

function rewrite(identifying: Identifying, reread: Reread, content: GroupContent): void {
  const { pipeline, isWatched: watched } = identifying;
  const { store, ports } = pipeline;
  const { item } = reread;
  const now = ports.clock.now();
  const current = itemById(store, item.id);
  if (current === null || current.state !== 'queued' || current.fingerprint !== null) return;
  if (isAway(reread.result)) {
    // The item stays as the ledger knows it, even if another drive in the same place has a file at its path.
    forgetContent(store, item.id, now + FILE_BUSY_MAX_MS);
    return requeueDuplicates(store, item.id, now);
  }
  const judged = judgeAgain(pipeline, current, reread, watched);
  const newest = newestByPath(store, item.destinationId, [item.path], false).get(item.path);
  if (newest !== undefined && newest.id !== item.id) {
    // A scan found the new content first; this row only records the old.
    moveItem(store, item.id, 'skipped', now, { code: 'item.replaced', detail: null });
    replaceSeen(store, item.id, newest.id);
  } else {
    reidentify(store, current, withDuplicate(identifying, judged, item, content), now);
  }
  requeueDuplicates(store, item.id, now);
}

/** Reads files again. Also takes the stamps of those that changed during reading, to detect when they change again. */
async function readAgain(pipeline: Pipeline, items: readonly Item[]): Promise<readonly Reread[]> {
  const { files } = pipeline.ports;
  // For an item that was never read there is nothing to compare with.
  const known = (item: Item) => (item.stamp === noStamp() ? {} : { known: item });
  const looked = items.map((item) => ({ path: item.path, foundAt: item.foundAt, ...known(item) }));
  const results = await inspectFiles(pipeline, looked);
  const rereads = items.map(async (item, index): Promise<readonly Reread[]> => {
    const result = results[index];
    if (result === undefined) return [];
    const isChanged = !result.ok && result.error.code === 'item.changed';
    const look = isChanged ? await files.facts(item.path) : null;
    return [{ item, result, stamp: look?.ok === true ? look.value.stamp : null }];
  });
  return (await Promise.all(rereads)).flat();
}

/** True when files waited for their drive, and none can wait any more: this round looked at all items that are unread. */
function isOver({ store, connectionId }: Pipeline, looked: number): boolean {
  if (waitingSince(store, connectionId, 'drive') === null) return false;
  const sql = 'SELECT id FROM destinations WHERE connection_id = ?';
  return countUnread(store, store.ids(sql, connectionId)) <= looked;
}

/** Reinspects items whose content could not be read as expected. Returns whether there were any. */
export async function identifyAgain(pipeline: Pipeline, chooserOf: ChooserOf): Promise<boolean> {
  const due = itemsToIdentify(pipeline.store, pipeline.ports.clock.now(), GROUP);
  const first = due[0];
  if (first === undefined) return false;
  const items = due.filter((item) => item.destinationId === first.destinationId);
  const rereads = await readAgain(pipeline, items);
  const { store } = pipeline;
  const { destinationId } = first;
  // As the watch of the destination does, or as an explicit upload does.
  const watched = isWatched(store, destinationId);
  const chooseBase = chooserOf(destinationId);
  const identifying = { pipeline, destinationId, isWatched: watched, chooseBase };
  const now = pipeline.ports.clock.now();
  const candidates = rereads.map(({ item, result }) => {
    return { subject: item, judged: judge(result, 0, watched ? now : null) };
  });
  const hashes = await hashLookalikes(identifying, candidates);
  const fingerprints = candidates.flatMap(({ judged }) => judged.fingerprint ?? []);
  const away = rereads.find(({ result }) => isAway(result))?.result;
  await store.soon(() => {
    if (away?.ok === false)
      noteWait(store, pipeline.connectionId, 'drive', waitReasonOf(away.error, null), now);
    else if (isOver(pipeline, items.length)) clearWait(store, pipeline.connectionId, 'drive');
    const content = { hashes, known: knownContent(store, fingerprints) };
    for (const reread of rereads) rewrite(identifying, reread, content);
  });
  pipeline.changed('plan', 'identify');
  return true;
}
