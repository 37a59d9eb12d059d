/**
 * Step: transfer. One try of one transfer: ask for an address where one is needed, save it, send the body, write down
 * how it ended. Every state is committed before the bytes that depend on it leave.
 */
import type { Result } from '../../../preload/errorCodes.ts';
import { assertNever, fail, ok } from '../errors.ts';
import { BACKOFF_FIRST_MS, MAX_SHARD_BYTES } from '../limits.ts';
import type { SignedUpload } from '../model.ts';
import type { Delivered } from '../service/serviceClient.ts';
import { type Batch, batchByRow, startExpiry } from '../store/batches.ts';
import { rememberLimits } from '../store/connections.ts';
import { type Item, itemsOfTransfer, reviveDuplicates } from '../store/items.ts';
import {
  backInLine,
  beginSending,
  dropTransfer,
  forgetAddress,
  markSent,
  markUnknown,
  noteFailure,
  saveUpload,
  type Transfer,
  transferById,
} from '../store/transfers.ts';
import { move, moveItem, moveItemsOf } from '../store/transitions.ts';
import { backoffMs } from './backoff.ts';
import { reasonOf } from './judge.ts';
import type { Line } from './line.ts';
import { lookAgainLater } from './lookAgain.ts';
import { openBody, type TransferBody } from './transferBody.ts';
import { decideTransfer, type TransferOutcome } from './transferOutcome.ts';

/** An address that ends within this time is not begun with. */
const ADDRESS_MARGIN_MS = 30_000;
/** How long after a lost answer the service is first asked. */
const FIRST_QUESTION_MS = 500;
/** Why nothing more of the sources is read; made once, since an error costs more than sending a small image. */
const OVER = new Error('the try has ended');

interface Try {
  readonly line: Line;
  readonly transfer: Transfer;
  readonly batch: Batch;
  readonly items: readonly Item[];
}

function usableAddress({ line, transfer }: Try): boolean {
  if (transfer.uploadUrl === null) return false;
  const ends = transfer.urlExpiresAt;
  return ends === null || ends > line.ports.clock.now() + ADDRESS_MARGIN_MS;
}

function parseHeaders(json: string | null): Readonly<Record<string, string>> {
  const value: unknown = JSON.parse(json ?? '{}');
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text] as const] : [],
    ),
  );
}

function register({ line, transfer, batch, items }: Try): Promise<Result<SignedUpload>> {
  const target = { batchId: batch.batchId, displayName: batch.displayName };
  if (transfer.kind === 'shard') return line.client.registerShard(target, line.signal);
  const fileName = items[0]?.name ?? '';
  return line.client.registerVideo({ ...target, fileName }, line.signal);
}

/** Keeps limits that the answer states; false when this transfer is beyond them. */
function withinLimits(
  { line, transfer, items }: Try,
  upload: SignedUpload,
  length: number,
): boolean {
  const { maxBytes, maxMembers } = upload;
  if (transfer.kind === 'shard' && (maxBytes !== null || maxMembers !== null)) {
    const bytes = maxBytes === null ? null : Math.min(maxBytes, MAX_SHARD_BYTES);
    rememberLimits(line.store, line.connectionId, { maxBytes: bytes, maxMembers });
  }
  if (maxBytes !== null && length > maxBytes) return false;
  return maxMembers === null || transfer.kind !== 'shard' || items.length <= maxMembers;
}

/** Makes sure that there is a signed address, saved; the transfer is `sending` afterwards. */
async function ensureAddress(
  attempt: Try,
  length: number,
): Promise<Result<{ url: string; headers: Readonly<Record<string, string>> }>> {
  const { line, transfer } = attempt;
  const { store, ports } = line;
  if (usableAddress(attempt) && transfer.uploadUrl !== null) {
    await store.soon(() => beginSending(store, transfer.id, ports.clock.now()));
    return ok({ url: transfer.uploadUrl, headers: parseHeaders(transfer.uploadHeaders) });
  }
  const answer = await register(attempt);
  if (!answer.ok) return answer;
  const upload = answer.value;
  const within = await store.soon(() => {
    const now = ports.clock.now();
    if (transfer.state === 'registered') {
      move(store, 'transfers', transfer.id, 'planned', now);
    }
    const fits = withinLimits(attempt, upload, length);
    if (fits) {
      saveUpload(store, transfer.id, upload, now);
      beginSending(store, transfer.id, now);
    }
    return fits;
  });
  return within
    ? ok(upload)
    : fail('service.refused', { status: 413, limit: upload.maxBytes ?? upload.maxMembers });
}

async function send(attempt: Try, body: TransferBody): Promise<Result<Delivered>> {
  const { line, transfer, batch, items } = attempt;
  const { store, ports, client, signal } = line;
  if (transfer.kind === 'image') {
    await store.soon(() => beginSending(store, transfer.id, ports.clock.now()));
    const fileName = items[0]?.name ?? '';
    const target = { batchId: batch.batchId, fileName, displayName: batch.displayName };
    return client.uploadImage(target, body, signal);
  }
  const address = await ensureAddress(attempt, body.body.lengthBytes);
  return address.ok ? client.putSigned(address.value, body.body, signal) : address;
}

/** The members of a dropped transfer queue again, except those that changed. */
function dropFor(
  { line, transfer, items }: Try,
  changed: { index: number; code: string } | null,
): void {
  const { store, ports } = line;
  const now = ports.clock.now();
  dropTransfer(store, transfer.id, now);
  const item = changed === null ? undefined : items[changed.index];
  if (item === undefined || changed === null) return;
  if (changed.code === 'item.gone') {
    moveItem(store, item.id, 'skipped', now, { code: 'item.gone', detail: null });
    reviveDuplicates(store, item.id, now);
  } else lookAgainLater(line, item);
}

function markDoubt(attempt: Try, keepAddress: boolean): void {
  const { line, transfer } = attempt;
  const now = line.ports.clock.now();
  if (!keepAddress) forgetAddress(line.store, transfer.id);
  const lastByteAt = Math.max(transfer.lastByteAt ?? 0, now);
  markUnknown(line.store, transfer.id, { lastByteAt, askAt: now + FIRST_QUESTION_MS }, now);
}

function parkTransfer({ line, transfer }: Try, outcome: TransferOutcome & { kind: 'park' }): void {
  const { store, ports } = line;
  const now = ports.clock.now();
  move(store, 'transfers', transfer.id, 'parked', now);
  forgetAddress(store, transfer.id);
  moveItemsOf(store, transfer.id, ['planned', 'sending'], 'parked', now, reasonOf(outcome.error));
}

/** A shard that is too large as a whole is cut in two; its bound is kept for the next plan. */
function split(attempt: Try, outcome: TransferOutcome & { kind: 'split' }): void {
  const { line, transfer, items } = attempt;
  if (items.length < 2) {
    parkTransfer(attempt, { kind: 'park', error: outcome.error });
    return;
  }
  if (typeof outcome.error.context['limit'] !== 'number') {
    const maxBytes = Math.max(1, Math.floor(transfer.sizeBytes / 2));
    rememberLimits(line.store, line.connectionId, { maxBytes, maxMembers: null });
  }
  dropFor(attempt, null);
}

/** Writes an outcome into the ledger; called inside a transaction. */
function settle(attempt: Try, outcome: TransferOutcome): void {
  const { line, batch } = attempt;
  const { store, ports, times } = line;
  const transfer = transferById(store, attempt.transfer.id) ?? attempt.transfer;
  const now = ports.clock.now();
  const retryAt = (error: Parameters<typeof backoffMs>[3]): number =>
    now + backoffMs(transfer.attempts, ports.random.fraction(), times, error);
  switch (outcome.kind) {
    case 'sent':
      markSent(store, transfer.id, outcome.sha256, now);
      startExpiry(store, batch.id, now, times.retentionMs);
      return;
    case 'changed':
      // An earlier try may have arrived whole: only the service can tell, and this body can never be repeated.
      if (transfer.doubtful) markDoubt(attempt, false);
      else dropFor(attempt, outcome);
      return;
    case 'again': {
      noteFailure(store, transfer, outcome.error, retryAt(outcome.error));
      if (transfer.doubtful && !outcome.keepAddress) markDoubt(attempt, false);
      else backInLine(store, transfer, outcome.keepAddress, now);
      return;
    }
    case 'wait':
      noteFailure(store, transfer, outcome.error, now + BACKOFF_FIRST_MS);
      backInLine(store, transfer, true, now);
      return;
    case 'unknown':
      noteFailure(store, transfer, outcome.error, now);
      markDoubt(attempt, true);
      return;
    case 'split':
      split(attempt, outcome);
      return;
    case 'park':
      noteFailure(store, transfer, outcome.error, 0);
      if (transfer.doubtful) markDoubt(attempt, false);
      else parkTransfer(attempt, outcome);
      return;
    default:
      assertNever(outcome);
  }
}

/**
 * Makes one try of a transfer and writes down its end. Never throws for anything that files, network or service do.
 * Answers the outcome for the lanes, null when the transfer had nothing left to do.
 */
export async function tryTransfer(line: Line, transfer: Transfer): Promise<TransferOutcome | null> {
  const { store, ports } = line;
  const batch = batchByRow(store, transfer.batchRow);
  const items = itemsOfTransfer(store, transfer.id);
  if (batch === null || items.length === 0) return null;
  const attempt: Try = { line, transfer, batch, items };
  if (transfer.doubtful && !usableAddress(attempt)) {
    await store.soon(() => markDoubt(attempt, false));
    line.changed('reconcile');
    return null;
  }
  const reading = new AbortController();
  const body = openBody(line, transfer, items, AbortSignal.any([line.signal, reading.signal]));
  const answer = await send(attempt, body);
  const outcome = decideTransfer(transfer, answer, body.outcome());
  reading.abort(OVER);
  await store.soon(() => settle(attempt, outcome));
  const error = 'error' in outcome ? outcome.error : null;
  ports.log.write(outcome.kind === 'sent' ? 'debug' : 'info', 'transfer.ended', {
    transfer: transfer.id,
    batch: batch.batchId,
    kind: transfer.kind,
    members: items.length,
    outcome: outcome.kind,
    code: error?.code ?? null,
  });
  if (outcome.kind === 'wait') line.wait(outcome.error);
  // A delivery concerns only the service's word about it; every other end may give each step something to do.
  if (outcome.kind === 'sent') line.changed('confirm');
  else line.changed('plan', 'identify', 'reconcile', 'confirm');
  return outcome;
}
