/**
 * The check before a body leaves under the files' own names: is this still the only computer that fills the batch? Otherwise, on a service
 * that replaces files by name, our file would replace one that another computer sent and may already have confirmed.
 */
import { ok, type Result, type SluiceError } from '../../core/errors.ts';
import { doubtAgain, lostFiles } from '../../store/queue/lost.ts';
import { type Batch, batchByRow, isShared } from '../../store/tables/batches.ts';
import { tallyBatch } from '../../store/queue/confirmation.ts';
import {
  dropTransfer,
  newestTransfer,
  renameMembers,
  requeueTransfer,
  type Transfer,
  transferById,
} from '../../store/tables/transfers.ts';
import { bareName, nameMembers } from '../plan/names.ts';
import { holdsMore, readOthers, surplusOf } from '../presence/inventory.ts';
import { shareBatch } from '../presence/shareBatch.ts';
import type { Pipeline } from '../context.ts';
import { type Attempt, markUncertain } from './transferSettle.ts';

/**
 * Nothing was sent. `error`: why the batch could not be read; null when the transfer is sent later, under other names or after another
 * look.
 */
export interface Unsent {
  readonly stage: 'unsent';
  readonly error: SluiceError | null;
}

/** Returns null when the names may be used. */
export type NamesCheck = (attempt: Attempt) => Promise<Unsent | null>;

function haveBareNames(items: Attempt['items']): boolean {
  return items.some((item) => item.name === bareName(item));
}

/**
 * Whether a batch holds more than this ledger put there. A batch with fewer files than we confirmed may have been deleted, and created
 * again by another computer, so it is read, too.
 */
async function othersFill(pipeline: Pipeline, batch: Batch): Promise<Result<boolean>> {
  const { client, signal, store } = pipeline;
  const [count, shards] = await Promise.all([
    client.askCount(batch.batchId, null, signal),
    batch.mode === 'bulk' ? client.askShards(batch.batchId, signal) : ok([]),
  ]);
  if (!count.ok) return count;
  if (!shards.ok) return shards;
  const figures = { count: count.value ?? 0, shards: shards.value ?? [] };
  const tally = tallyBatch(store, batch.id);
  if (holdsMore(pipeline, batch, figures, tally)) return ok(true);
  // A surplus may be a lost body that arrived after all, or another computer's file: only the list shows which.
  const isSettled = tally.sent + tally.unknown === 0;
  const isShort = count.value !== null && count.value < tally.confirmed && isSettled;
  if (surplusOf(figures, tally) === 0 && !isShort) return ok(false);
  const others = await readOthers(pipeline, batch);
  return others.ok ? ok(others.value.found) : others;
}

/**
 * Gives the members of a shard whose body never left names that identify their content. A lost shard is first looked for under its old
 * names.
 */
function rename({ pipeline, transfer, items }: Attempt, batch: Batch): void {
  const { store, ports } = pipeline;
  const now = ports.clock.now();
  requeueTransfer(store, transfer, true, now);
  if (transfer.absentAt !== null) doubtAgain(store, transfer.id, now);
  else renameMembers(store, transfer.id, nameMembers(pipeline, batch, items));
}

/** Makes a refused transfer doubtful, so that the list decides whether its file is there all the same, unless it was stopped meanwhile. */
function doubt(attempt: Attempt): void {
  const { pipeline, transfer } = attempt;
  const state = transferById(pipeline.store, transfer.id)?.state ?? 'dropped';
  if (['planned', 'registered', 'sending'].includes(state)) markUncertain(attempt, false);
}

/**
 * Drops the transfer of a single file whose body never left, so that the file is planned under another name. A lost file is first looked
 * for under its old name. When the batch was marked as shared, either may have been done already.
 */
function planAgain({ pipeline, transfer }: Attempt): void {
  const { store, ports } = pipeline;
  const state = transferById(store, transfer.id)?.state;
  if (state !== 'planned' && state !== 'registered') return;
  const now = ports.clock.now();
  if (transfer.absentAt !== null) doubtAgain(store, transfer.id, now);
  else dropTransfer(store, transfer.id, now);
}

/** How long a look that shows no other computer counts, in ms: the batch may be deleted and created again at any time. Our choice. */
const ALONE_MS = 60_000;

/**
 * True when an earlier try may have sent the body: the service may have stored it although it refused it, and if the ledger is an older copy,
 * it does not know how that try went on. The registration of a shard in the current try is not counted yet.
 */
function mayBeKept({ attempts }: Transfer): boolean {
  return attempts > 0;
}

/**
 * Creates the check of one run. A shard is registered before the check: of two computers that open a batch at the same moment, the second
 * one to register sees the other. A look from time to time is enough: a computer that opens the batch later finds our files there.
 */
export function createNamesCheck(pipeline: Pipeline): NamesCheck {
  const { store } = pipeline;
  /** Until when each batch counts as filled by this computer only, in monotonic ms. */
  const alone = new Map<number, number>();
  const looks = new Map<number, Promise<Result<boolean>>>();
  /** Looks that begin when the current one has ended. */
  const coming = new Map<number, Promise<Result<boolean>>>();

  const look = (batch: Batch): Promise<Result<boolean>> => {
    const running =
      looks.get(batch.id) ??
      othersFill(pipeline, batch).finally(() => {
        looks.delete(batch.id);
      });
    looks.set(batch.id, running);
    return running;
  };

  /** A look for a file that was refused: a look that is already running, for another file, may have begun before the refusal. */
  const lookAgain = (batch: Batch): Promise<Result<boolean>> => {
    const begin = (): Promise<Result<boolean>> => {
      coming.delete(batch.id);
      return look(batch);
    };
    const running = looks.get(batch.id);
    if (running === undefined) return look(batch);
    const next = coming.get(batch.id) ?? running.then(begin, begin);
    coming.set(batch.id, next);
    return next;
  };

  return async (attempt) => {
    const { transfer, items } = attempt;
    // A body that may have arrived is sent again unchanged.
    if (transfer.doubtful) return null;
    if (attempt.batch.hasHostInId) return null;
    const now = pipeline.ports.clock.monotonicMs();
    const isAlone = now < (alone.get(transfer.batchRow) ?? 0);
    // `isShared`: since that look, a list or a plan may have shown another computer's files.
    if (isAlone && !mayBeKept(transfer) && !isShared(store, transfer.batchRow)) return null;
    let batch = batchByRow(store, transfer.batchRow) ?? attempt.batch;
    if (batch.isExclusive) {
      const found = await (mayBeKept(transfer) ? lookAgain(batch) : look(batch));
      if (!found.ok) return { stage: 'unsent', error: found.error };
      if (!found.value) {
        alone.set(batch.id, now + ALONE_MS);
        return null;
      }
      // Another try may have marked the batch as shared meanwhile.
      batch = batchByRow(store, batch.id) ?? batch;
    }
    if (!haveBareNames(items)) return null;
    await store.soon(() => {
      const shared = batch.isExclusive ? shareBatch(pipeline, batch) : batch;
      if (mayBeKept(transfer)) doubt(attempt);
      else if (transfer.kind === 'shard') rename(attempt, shared);
      else planAgain(attempt);
    });
    return { stage: 'unsent', error: null };
  };
}

/**
 * Creates the check of shards that an earlier run planned, before they are registered: if the ledger is an older copy, they may have been
 * sent already. If a batch holds more than this ledger put there, they are planned again, and planning looks for their files.
 */
export function createPlannedCheck(pipeline: Pipeline): NamesCheck {
  const { store, client, signal } = pipeline;
  const newest = newestTransfer(store);
  const looked = new Set<number>();
  return async ({ transfer, batch }) => {
    if (transfer.id > newest || transfer.state !== 'planned' || transfer.doubtful) return null;
    // The shards of a closed batch are not planned again: their files would go to the next generation.
    if (looked.has(batch.id) || batch.state !== 'open') return null;
    const count = await client.askCount(batch.batchId, null, signal);
    if (!count.ok) return { stage: 'unsent', error: count.error };
    const surplus = surplusOf({ count: count.value ?? 0 }, tallyBatch(store, batch.id));
    const hasOthers = surplus > lostFiles(store, batch.id);
    if (hasOthers) await store.soon(() => shareBatch(pipeline, batch));
    // Marked only now, after the request: until then, another shard of the batch must be checked, too.
    looked.add(batch.id);
    return hasOthers ? { stage: 'unsent', error: null } : null;
  };
}
