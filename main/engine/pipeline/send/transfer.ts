/**
 * Step: transfer. One try of one transfer: get an address, save it, send the body, record how it ended. Every state is committed before
 * the bytes that depend on it leave.
 */
import { formatBytes } from '../../core/contract.ts';
import { fail, ok, type Result, shownCode, type SluiceError } from '../../core/errors.ts';
import type { SignedUpload } from '../../core/model.ts';
import { storedFacts } from '../../core/storedFacts.ts';
import { statedChecksums } from '../../evidence/checksums.ts';
import {
  beginRegistration,
  countRegistration,
  endRegistration,
} from '../../store/queue/awaited.ts';
import { rememberLimits } from '../../store/tables/connections.ts';
import { beginSending, dropTransfer, saveUpload } from '../../store/tables/transfers.ts';
import { move } from '../../store/transitions.ts';
import type { Pipeline } from '../context.ts';
import { withAllChanges } from './changedMembers.ts';
import { unlessKept } from './keptAnyway.ts';
import type { Unsent } from './namesCheck.ts';
import { markUncertain, settle, type Attempt } from './transferSettle.ts';
import { compareStored, type Sent } from './transferStored.ts';
import { doubtIfOutdated, type SendRun, type SendTurn } from './sendRun.ts';
import { openBody, type TransferBody } from './transferBody.ts';
import { decideTransfer, type AttemptResult, type TransferOutcome } from './transferOutcome.ts';

/** An address that expires within this time is not used, in ms. */
const ADDRESS_MARGIN_MS = 30_000;
/** Reason for no longer reading the sources; created once, since an Error costs more than sending a small image. */
const OVER = new Error('the try has ended');

/** How a registration can end without an answer although the service may have received it. */
const MAYBE_REGISTERED: readonly unknown[] = ['lost', 'aborted', 'timeout'];

/** A try with the body that it sends. */
interface Try extends Attempt {
  readonly body: TransferBody;
  readonly run: SendRun;
}

/** Where a body goes. */
type Address = Pick<SignedUpload, 'url' | 'headers'>;

/** The saved address of a transfer; null when there is none, or it is about to expire. */
function savedAddress({ pipeline, transfer }: Attempt): Address | null {
  const { uploadUrl: url, uploadHeaders, urlExpiresAt: ends } = transfer;
  if (url === null) return null;
  const isUsable = ends === null || ends > pipeline.time.service() + ADDRESS_MARGIN_MS;
  return isUsable ? { url, headers: parseHeaders(uploadHeaders) } : null;
}

function parseHeaders(json: string | null): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(storedFacts(json)).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text] as const] : [],
    ),
  );
}

function register({ pipeline, transfer, batch, items }: Attempt): Promise<Result<SignedUpload>> {
  const target = { batchId: batch.batchId, displayName: batch.displayName };
  if (transfer.kind === 'shard') return pipeline.client.registerShard(target, pipeline.signal);
  const fileName = items[0]?.name ?? '';
  return pipeline.client.registerVideo({ ...target, fileName }, pipeline.signal);
}

/** Saves limits that the answer states; false when this transfer exceeds them. */
function withinLimits({ pipeline, transfer, items, body }: Try, upload: SignedUpload): boolean {
  const { maxBytes, maxMembers } = upload;
  if (transfer.kind === 'shard' && (maxBytes !== null || maxMembers !== null)) {
    const bytes = maxBytes === null ? null : Math.min(maxBytes, pipeline.storage.acceptsBytes);
    rememberLimits(pipeline.store, pipeline.connectionId, { maxBytes: bytes, maxMembers });
  }
  if (maxBytes !== null && body.body.lengthBytes > maxBytes) return false;
  return maxMembers === null || transfer.kind !== 'shard' || items.length <= maxMembers;
}

/** Nothing was sent, since a lost body must be looked for first. */
const IN_DOUBT: Unsent = { stage: 'unsent', error: null };

/** Makes sure that a signed address exists and is saved; afterwards the transfer is `sending`. Null when nothing may be sent now. */
async function ensureAddress(attempt: Try): Promise<Result<Address> | null> {
  const { pipeline, transfer, batch, run } = attempt;
  const saved = savedAddress(attempt);
  if (saved !== null) return (await run.begin(attempt)) ? ok(saved) : null;
  if (transfer.kind !== 'shard') return freshAddress(attempt, 0);
  // The shard counts as ours from before the service can know it until it is in the ledger, or the answer is lost.
  const { registering, store, time } = pipeline;
  registering.set(batch.id, (registering.get(batch.id) ?? 0) + 1);
  try {
    const beganAt = time.service();
    await store.soon(() => beginRegistration(store, batch.id, beganAt));
    return await freshAddress(attempt, beganAt);
  } finally {
    registering.set(batch.id, (registering.get(batch.id) ?? 1) - 1);
  }
}

/** `beganAt`: when the registration of a shard was noted in the ledger. */
async function freshAddress(attempt: Try, beganAt: number): Promise<Result<Address> | null> {
  const { pipeline, transfer, batch, run } = attempt;
  const { store, ports } = pipeline;
  const answer = await register(attempt);
  const isShard = transfer.kind === 'shard';
  if (!answer.ok) {
    if (isShard && !MAYBE_REGISTERED.includes(answer.error.context['fault']))
      await store.soon(() => endRegistration(store, batch.id, beganAt));
    return answer;
  }
  const upload = answer.value;
  if (!run.ownsAddress(attempt, upload))
    return fail('service.failed', { said: 'it gives one address for two uploads' });
  return store.soon(() => {
    const now = ports.clock.now();
    const fits = withinLimits(attempt, upload);
    if (isShard) {
      countRegistration(store, batch.id);
      endRegistration(store, batch.id, beganAt);
    }
    if (doubtIfOutdated(attempt)) return null;
    if (transfer.state === 'registered') {
      move(store, 'transfers', transfer.id, 'planned', now);
    }
    if (!fits) {
      const { maxBytes, maxMembers } = upload;
      // A shard with too many files is split, so users only see the limit for one with too many bytes.
      const said = maxBytes === null ? {} : { said: `it accepts at most ${formatBytes(maxBytes)}` };
      return fail('service.refused', { status: 413, limit: maxBytes ?? maxMembers, ...said });
    }
    saveUpload(store, transfer.id, upload, now);
    beginSending(store, [transfer.id], now);
    return ok(upload);
  });
}

async function sendImage(attempt: Try): Promise<Sent | Unsent> {
  const { pipeline, batch, items, body, run } = attempt;
  if (!(await run.begin(attempt))) return IN_DOUBT;
  const fileName = items[0]?.name ?? '';
  const target = { batchId: batch.batchId, fileName, displayName: batch.displayName };
  const answer = await pipeline.client.uploadImage(target, body, pipeline.signal);
  return { stage: 'body', answer };
}

async function send(attempt: Try): Promise<Sent | Unsent> {
  const { pipeline, transfer, body, run } = attempt;
  const isShard = transfer.kind === 'shard';
  const isRepeated = transfer.absentAt !== null || transfer.doubtful;
  if (isRepeated && (await pipeline.store.soon(() => doubtIfOutdated(attempt)))) return IN_DOUBT;
  const early = await (isShard ? run.checkPlanned(attempt) : run.check(attempt));
  if (early !== null) return early;
  if (transfer.kind === 'image') return sendImage(attempt);
  const address = await ensureAddress(attempt);
  if (address === null) return IN_DOUBT;
  if (!address.ok) return { stage: 'address', answer: address };
  const late = isShard ? await run.check(attempt) : null;
  if (late !== null) return late;
  const answer = await pipeline.client.putSigned(address.value, body.body, pipeline.signal);
  return { stage: 'body', answer };
}

/** The outcome of a try: if files have changed, after a check of all of them; if the body was refused, after a look at the list. */
async function outcomeOf(attempt: Attempt, result: AttemptResult): Promise<TransferOutcome> {
  const decided = decideTransfer(attempt.transfer, result);
  return decided.kind === 'changed'
    ? withAllChanges(attempt, decided)
    : unlessKept(attempt, result, decided);
}

/** Keeps the checksums of a file until it is listed and compared; a stated MD5, too, if another checksum proved the body. */
function rememberChecksums(
  { pipeline, transfer, body }: Try,
  outcome: TransferOutcome,
  stated: Readonly<Record<string, string>>,
): void {
  if (transfer.kind === 'shard' || outcome.kind !== 'sent' || outcome.proof === 'verify') return;
  const [hash] = outcome.hashes;
  if (hash === undefined) return;
  const computed = body.body.checksums();
  const md5 = outcome.proof === 'checksum' ? statedChecksums(stated).md5 : null;
  pipeline.sentChecksums.note(hash, { ...computed, md5: computed.md5 ?? md5 });
}

/** The hashes of those members that had none; small files were hashed completely when they were identified. */
function missingHashes(
  items: Attempt['items'],
  hashes: readonly string[],
): readonly (readonly [itemId: number, hash: string])[] {
  return items.flatMap(({ id, contentHash }, index) => {
    const hash = hashes[index];
    return contentHash !== null || hash === undefined ? [] : [[id, hash] as const];
  });
}

/** True for a success in a form that this service is known to give. Whether the body arrived is still looked for. */
function isUsual({ storage }: Pipeline, error: SluiceError | null): boolean {
  if (error === null || !storage.answersOddly) return false;
  return shownCode(error) === 'service.unexpectedAnswer' && Number(error.context['status']) < 300;
}

/** Schedules the next try of a transfer after a try that sent nothing. */
async function keepUnsent(attempt: Attempt, { error }: Unsent): Promise<void> {
  const { pipeline } = attempt;
  if (error === null) return pipeline.changed('plan', 'confirm');
  const later = { kind: 'again', error, keepAddress: true, atOnce: false } as const;
  await pipeline.store.soon(() => settle(attempt, later));
  pipeline.wait(error, 'ask');
}

/**
 * Makes one try of a transfer and records how it ended. Never throws for anything that files, network or service do.
 * Returns the outcome for the lanes, or null when nothing was tried.
 */
export async function tryTransfer(
  pipeline: Pipeline,
  given: Omit<Attempt, 'pipeline'>,
  turn: SendTurn,
  run: SendRun,
): Promise<TransferOutcome | null> {
  const { store, ports } = pipeline;
  const { transfer, batch, items } = given;
  if (items.length === 0) {
    // All its members were removed from it: nothing is left to send.
    await store.soon(() => dropTransfer(store, transfer.id, ports.clock.now()));
    return null;
  }
  const due: Attempt = { pipeline, ...given };
  if (transfer.doubtful && savedAddress(due) === null) {
    await store.soon(() => markUncertain(due, false));
    pipeline.changed('confirm');
    return null;
  }
  // When the pipeline stops, so does the request, and the try ends. A signal made of both would cost more than hashing a small image.
  const reading = new AbortController();
  const body = openBody(pipeline, transfer, items, reading.signal);
  const attempt: Try = { ...due, body, run, beganAt: ports.clock.monotonicMs() };
  const sent = await turn(() => send(attempt));
  if (sent === null) return null;
  if (sent.stage === 'unsent') {
    reading.abort(OVER);
    await keepUnsent(attempt, sent);
    return null;
  }
  const comparison = await compareStored(attempt, sent, body);
  const sources = body.body.outcome();
  const outcome = await outcomeOf(attempt, { ...sent, comparison, sources });
  reading.abort(OVER);
  rememberChecksums(attempt, outcome, sent.answer.ok ? sent.answer.value.headers : {});
  if (outcome.kind === 'sent') {
    const { hashes, proof } = outcome;
    await run.delivered({
      id: transfer.id,
      batchRow: batch.id,
      hashes: missingHashes(items, hashes),
      proof,
    });
  } else await store.soon(() => settle(attempt, outcome));
  const error = 'error' in outcome ? outcome.error : null;
  ports.log.write(outcome.kind === 'sent' ? 'debug' : 'info', 'transfer.ended', {
    transfer: transfer.id,
    batch: batch.batchId,
    kind: transfer.kind,
    members: items.length,
    outcome: outcome.kind,
    code: error?.code ?? null,
  });
  // A file that changed while being sent says nothing about the service, nor does a drive that blocks the sending thread.
  if (sent.answer.ok || isUsual(pipeline, error)) pipeline.reached('send');
  else if (error !== null && error.context['fault'] !== 'held') pipeline.wait(error, 'send');
  // A delivery only needs confirming; any other outcome may give every step something to do.
  if (outcome.kind === 'sent') pipeline.changed('confirm');
  else pipeline.changed('plan', 'identify', 'confirm');
  return outcome;
}
