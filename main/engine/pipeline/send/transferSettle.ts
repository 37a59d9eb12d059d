/** Records how a try of a transfer ended. Everything here runs inside one transaction. */
import { assertNever, sluiceError, type SluiceError } from '../../core/errors.ts';
import { GATEWAY_AT_ONCE_MS, NAME_LOOKS } from '../../core/limits.ts';
import {
  type Batch,
  batchByRow,
  clearHold,
  holdBatch,
  markShared,
  startExpiry,
} from '../../store/tables/batches.ts';
import { forgetVanished, unassign } from '../../store/queue/awaited.ts';
import { writeMeta } from '../../store/meta.ts';
import { tallyBatch } from '../../store/queue/confirmation.ts';
import { rememberLimits, statedLimits } from '../../store/tables/connections.ts';
import { requeueDuplicates } from '../../store/tables/duplicates.ts';
import { countReread, forgetContent, type Item } from '../../store/tables/items.ts';
import { noteAbsence } from '../../store/queue/lost.ts';
import { requeueParked } from '../../store/tables/parked.ts';
import {
  askLater,
  requeueTransfer,
  countAddress,
  dropTransfer,
  forgetAddress,
  markDamaged,
  markSent,
  markUnknown,
  noteFailure,
  noteLastByte,
  type SentTransfer,
  type Transfer,
  transferById,
} from '../../store/tables/transfers.ts';
import { move, moveItem, moveItemsOf } from '../../store/transitions.ts';
import { noteWait, waitReasonOf } from '../../store/tables/waits.ts';
import { isBatchRefused, withNames } from '../refusals.ts';
import { backoffMs, backoffSince } from '../backoff.ts';
import { nameKey } from '../../files/names/safeNames.ts';
import { giveUpReason, reasonOf } from '../identify/judge.ts';
import type { Pipeline } from '../context.ts';
import { bareName } from '../plan/names.ts';
import { halfOf } from '../plan/shards.ts';
import { takeBackTrial } from './changedTrial.ts';
import type { ChangedMember, TransferOutcome } from './transferOutcome.ts';

/** How long after a lost answer the service is first asked, in ms. */
const FIRST_QUESTION_MS = 500;
/** Something in front of the service gave up waiting for it. */
const GATEWAY_TIMEOUT = 504;

export interface Attempt {
  readonly pipeline: Pipeline;
  readonly transfer: Transfer;
  readonly batch: Batch;
  readonly items: readonly Item[];
  /** True when it began after so many refusals in a row that it shows whether the service refuses the whole batch. */
  readonly isTrial?: boolean;
  /** When the try began, monotonic ms. */
  readonly beganAt?: number;
}

/**
 * Marks the content of a queued item as unknown; it is inspected again after a growing pause. After MAX_REREADS changes while being sent,
 * it is parked as item.unstable until it is touched again.
 */
export function reidentifyLater(pipeline: Pipeline, item: Item): void {
  const { store, ports, times } = pipeline;
  const rereads = countReread(store, item);
  const now = ports.clock.now();
  const pause = backoffMs(rereads, ports.random.fraction(), times);
  forgetContent(store, item.id, now + pause);
  forgetVanished(store, item.id);
  const error = sluiceError('item.changed', { path: item.path, bytes: item.sizeBytes });
  const reason = giveUpReason(error, rereads);
  if (reason !== null) moveItem(store, item.id, 'parked', now, reason);
}

/** Drops a transfer; its members are queued again, except those that changed or are gone. */
function dropFor({ pipeline, transfer, items }: Attempt, changed: readonly ChangedMember[]): void {
  const { store, ports } = pipeline;
  const now = ports.clock.now();
  dropTransfer(store, transfer.id, now);
  for (const { index, code } of changed) {
    const item = items[index];
    if (item === undefined) continue;
    if (code === 'item.gone') {
      moveItem(store, item.id, 'skipped', now, { code: 'item.gone', detail: null });
      requeueDuplicates(store, item.id, now);
    } else reidentifyLater(pipeline, item);
  }
}

/**
 * Why it is not known whether a body arrived. A body that was not answered in time may arrive much later than others; a gateway that gave up
 * at once did not wait for it.
 */
function doubtOf(
  { pipeline, beganAt = Number.NEGATIVE_INFINITY }: Attempt,
  error: SluiceError,
): SluiceError {
  const { fault, status } = error.context;
  const isSlow = pipeline.ports.clock.monotonicMs() - beganAt >= GATEWAY_AT_ONCE_MS;
  return fault === 'timeout' || (status === GATEWAY_TIMEOUT && isSlow)
    ? sluiceError('network.timeout')
    : error;
}

/** Marks a transfer as doubtful: its body may have arrived, so the service is asked before anything is sent again. */
export function markUncertain(attempt: Attempt, keepAddress: boolean): void {
  const { pipeline, transfer, batch } = attempt;
  const now = pipeline.time.now();
  // The body may have created the batch.
  startExpiry(pipeline.store, batch.id, pipeline.time.service(), pipeline.times.retentionMs);
  if (!keepAddress) forgetAddress(pipeline.store, transfer.id);
  const lastByteAt = Math.max(transfer.lastByteAt ?? 0, now);
  const times = { lastByteAt, askAt: now + FIRST_QUESTION_MS };
  markUnknown(pipeline.store, transfer.id, times, pipeline.ports.clock.now());
}

/** Holds a batch that the service refuses as a whole. Returns until when nothing is sent to it, in engine time. */
function hold(attempt: Attempt, error: SluiceError): number {
  const { pipeline, batch } = attempt;
  const until = pipeline.time.now() + pipeline.times.parkedAgainMs;
  const { store, connectionId, time } = pipeline;
  const why = waitReasonOf(error, until);
  holdBatch(store, batch.id, { code: error.code, detail: why.detail, until });
  noteWait(store, connectionId, `hold:${batch.batchId}`, why, time.now());
  pipeline.ports.log.write('warn', 'batch.held', { batch: batch.batchId, code: error.code });
  return until;
}

/**
 * The service refuses this file: parks it, unless so many files in a row were refused with the same answer that the service refuses the
 * batch.
 */
function refuse(attempt: Attempt, error: SluiceError): void {
  const { pipeline, transfer, batch, items } = attempt;
  const { store, ports } = pipeline;
  const now = ports.clock.now();
  const item = items[0];
  if (batch.holdCode !== null || item === undefined) {
    const ids = items.map(({ id }) => id);
    const until = hold(attempt, withNames(store, error, ids, batch.holdDetail));
    requeueTransfer(store, transfer, true, now);
    if (transfer.kind === 'image') {
      // A gateway may have passed the image on before it refused it, so the image is looked for before it is sent again.
      noteAbsence(store, transfer.id, 0);
      noteLastByte(store, transfer.id, pipeline.time.now());
    }
    // Then let another file try first: the service may refuse only this one.
    askLater(store, transfer.id, until + pipeline.times.backoffFirstMs);
    return;
  }
  const refused = pipeline.refusals.note(batch.id, item.id, error, attempt.isTrial === true);
  move(store, 'transfers', transfer.id, 'parked', now);
  forgetAddress(store, transfer.id);
  moveItemsOf(store, [transfer.id], ['planned', 'sending'], 'parked', now, reasonOf(error));
  const { queued, planned, sending, sent, confirmed } = tallyBatch(store, batch.id);
  const hasOthers = queued + planned + sending + sent + confirmed > 0;
  if (!isBatchRefused(refused.counted, hasOthers)) return;
  pipeline.refusals.startOver(batch.id);
  hold(attempt, withNames(store, error, refused.items));
  for (const id of refused.items) requeueParked(store, id, now);
}

/** The file gets a name that identifies its content. */
function takeOtherName(attempt: Attempt, error: SluiceError): void {
  const { pipeline, transfer, batch, items } = attempt;
  const { store, time } = pipeline;
  const [item] = items;
  if (item === undefined) return;
  const pause = backoffMs(item.tries, pipeline.ports.random.fraction(), pipeline.times, error);
  if (batch.isExclusive) markShared(store, batch);
  if (item.name !== null) pipeline.foreign.add(transfer.batchRow, nameKey(item.name));
  dropFor(attempt, []);
  unassign(store, item.id);
  store.run('UPDATE items SET retry_at = ? WHERE id = ?', time.now() + pause, item.id);
}

/**
 * An object of this name exists, although no earlier try can have put it there. It may be ours all the same: something in between may have
 * sent the request on twice. A service that keeps saying so of a name that only our content can have refuses the file.
 */
function resolveNameConflict(attempt: Attempt, error: SluiceError): void {
  const { pipeline, transfer, batch, items } = attempt;
  const { store, time, ports } = pipeline;
  const isBare = items.some((item) => item.name === bareName(item));
  if (!isBare && items.every(({ tries }) => tries >= NAME_LOOKS)) return refuse(attempt, error);
  const isAlone = transfer.kind === 'image' || (transfer.kind === 'video' && batch.isExclusive);
  // `verify`: it was said before, and then the list proved that nothing of this name is there.
  if (isAlone && (!isBare || transfer.proof === 'verify')) return takeOtherName(attempt, error);
  noteFailure(store, transfer, error, time.now() + pauseOf(attempt, error), time.now());
  // Names that only our content can have prove the object. Any other is compared before it is confirmed.
  if (!isBare) return markUncertain(attempt, true);
  markDamaged(store, transfer.id);
  // A single file waits in its batch for the list: otherwise the next batch would get it, too.
  if (isAlone) return markUncertain(attempt, false);
  requeueTransfer(store, transfer, true, ports.clock.now());
}

/** Splits a shard that is too large; the new limit is saved for the next plan. */
function split(attempt: Attempt, error: SluiceError): void {
  const { pipeline, items } = attempt;
  if (items.length < 2) return refuse(attempt, error);
  if (typeof error.context['limit'] !== 'number') {
    const { store, connectionId, storage } = pipeline;
    // Larger shards that were planned before may still be refused later.
    const known = statedLimits(store, connectionId).maxBytes ?? storage.acceptsBytes;
    storage.acceptsBytes = Math.min(known, storage.acceptsBytes, halfOf(items));
    rememberLimits(store, connectionId, { maxBytes: storage.acceptsBytes, maxMembers: null });
  }
  dropFor(attempt, []);
}

/** The pause before the next try, in ms; grows with the time that the transfer has been failing. */
function pauseOf({ pipeline, transfer }: Attempt, error: SluiceError): number {
  const now = pipeline.time.now();
  const failingMs = now - (transfer.failingSince ?? now);
  return backoffSince(pipeline, failingMs, error);
}

/** A try whose body the service accepted. */
export interface SentAttempt extends SentTransfer {
  readonly batchRow: number;
}

/** Writes deliveries into the ledger; called inside a transaction. */
export function recordSent(pipeline: Pipeline, sent: readonly SentAttempt[]): void {
  const { store, ports, times, time } = pipeline;
  markSent(store, sent, time.now(), ports.clock.now());
  for (const row of new Set(sent.map(({ batchRow }) => batchRow))) {
    startExpiry(store, row, time.service(), times.retentionMs);
    pipeline.refusals.startOver(row);
    // Tries in parallel with these may have started a hold.
    const batch = batchByRow(store, row);
    if (batch !== null && batch.holdCode !== null) clearHold(store, batch);
  }
}

/** Back to the queue after a growing pause. If the body may have arrived, ask the service first: meanwhile others may use its name. */
function tryLater(attempt: Attempt, { error, keepAddress, atOnce }: Again): void {
  const { pipeline, transfer } = attempt;
  const { store, time } = pipeline;
  if (!keepAddress) countAddress(store, transfer.id);
  const pause = atOnce ? 0 : pauseOf(attempt, error);
  // A name that holds our damaged body is in use already.
  if (transfer.doubtful && error.code !== 'upload.damaged') markUncertain(attempt, keepAddress);
  else requeueTransfer(store, transfer, keepAddress, pipeline.ports.clock.now());
  // The end of the program says nothing about the service.
  if (pipeline.signal.aborted) return;
  noteFailure(store, transfer, error, time.now() + pause, time.now());
}

type Undelivered = Exclude<TransferOutcome, { kind: 'sent' }>;
type Again = Omit<TransferOutcome & { kind: 'again' }, 'kind'>;

/** Writes any other outcome into the ledger; called inside a transaction. */
export function settle(before: Attempt, outcome: Undelivered): void {
  const { pipeline } = before;
  const { store, time } = pipeline;
  const transfer = transferById(store, before.transfer.id) ?? before.transfer;
  // Before a lost body was sent again, a list may have made it doubtful, or even have confirmed it.
  if (!['planned', 'registered', 'sending'].includes(transfer.state)) return;
  // Tries in parallel with this one may have started or ended a hold.
  const { holdCode = null, holdDetail = null } = batchByRow(store, before.batch.id) ?? {};
  const attempt = { ...before, transfer, batch: { ...before.batch, holdCode, holdDetail } };
  switch (outcome.kind) {
    case 'changed':
      // An earlier try may have arrived complete: only the service knows, and this body can never be sent again.
      if (transfer.doubtful || takeBackTrial(attempt, outcome.members))
        markUncertain(attempt, false);
      else dropFor(attempt, outcome.members);
      return;
    case 'again':
      return tryLater(attempt, outcome);
    case 'damaged':
      markDamaged(store, transfer.id);
      writeMeta(store, `damaged:${transfer.id}`, '');
      return tryLater(attempt, { error: outcome.error, keepAddress: true, atOnce: false });
    case 'taken':
      return resolveNameConflict(attempt, outcome.error);
    case 'unknown':
      noteFailure(store, transfer, doubtOf(attempt, outcome.error), time.now(), time.now());
      return markUncertain(attempt, true);
    case 'split':
      // If the shard arrived complete after all, splitting it now would send its files twice.
      if (transfer.doubtful) return markUncertain(attempt, false);
      return split(attempt, outcome.error);
    case 'refused':
    case 'hold':
      noteFailure(store, transfer, outcome.error, 0, time.now());
      if (transfer.doubtful) return markUncertain(attempt, false);
      if (outcome.kind === 'refused') return refuse(attempt, outcome.error);
      hold(attempt, outcome.error);
      return requeueTransfer(store, transfer, false, pipeline.ports.clock.now());
    default:
      assertNever(outcome);
  }
}
