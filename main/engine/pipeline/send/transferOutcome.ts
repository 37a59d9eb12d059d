/** Decides what happens to a transfer after a try. Pure: the tests of exactly-once are tests of this decision. */
import { assertNever, type Result, sluiceError, type SluiceError } from '../../core/errors.ts';
import { saysTaken } from '../../evidence/answers.ts';
import type { Comparison } from '../../evidence/checksums.ts';
import { QUICK_ADDRESSES } from '../../core/limits.ts';
import type { SourceOutcome } from '../../core/model.ts';
import type { Transfer } from '../../store/tables/transfers.ts';

/** A member, by its place in the manifest, that no longer reads as planned. */
export type ChangedMember = Pick<Extract<SourceOutcome, { kind: 'changed' }>, 'index' | 'code'>;

export type TransferOutcome =
  | {
      readonly kind: 'sent';
      /** Hash of each member, in order; empty when nothing was read. */
      readonly hashes: readonly string[];
      /** `verify`: an object of this name exists, and each member must be compared before it is confirmed. */
      readonly proof: 'checksum' | 'verify' | null;
    }
  /** Members no longer read as planned; no complete body was sent. */
  | { readonly kind: 'changed'; readonly members: readonly ChangedMember[] }
  /** Back to the queue, with the same address or for a fresh one, at once or after a pause. The gate may hold it back longer. */
  | {
      readonly kind: 'again';
      readonly error: SluiceError;
      readonly keepAddress: boolean;
      readonly atOnce: boolean;
    }
  /** The storage holds other bytes than were sent: the same body is sent again. */
  | { readonly kind: 'damaged'; readonly error: SluiceError }
  /** An object of this name exists, although no earlier try can have put it there. */
  | { readonly kind: 'taken'; readonly error: SluiceError }
  /** Too large for the service: split into smaller shards. */
  | { readonly kind: 'split'; readonly error: SluiceError }
  /** The service must be asked before anything is sent again. */
  | { readonly kind: 'unknown'; readonly error: SluiceError }
  /** The service refuses this very file. */
  | { readonly kind: 'refused'; readonly error: SluiceError }
  /** The service refuses the batch: its files wait. */
  | { readonly kind: 'hold'; readonly error: SluiceError };

export interface AttemptResult {
  /** What the last request was for: an address, or sending the body. */
  readonly stage: 'address' | 'body';
  readonly answer: Result<{ readonly alreadyThere: boolean }>;
  readonly sources: SourceOutcome;
  /** What the storage states about what it stored, compared with what was sent. */
  readonly comparison: Comparison;
}

/** If the comparison is doubtful, each member is compared by its content. */
const PROOF = { equal: 'checksum', doubtful: 'verify', 'nothing stated': null } as const;
const TOO_LARGE = 413;
const NAME_TAKEN = 409;
/** Answers that can be about one file; any other refusal is about all of them. */
const ABOUT_A_FILE: readonly unknown[] = [400, NAME_TAKEN, TOO_LARGE, 422];

/** Whether a refusal is about one file, or would be the same for every other file. */
function afterRefusal(
  transfer: Transfer,
  stage: AttemptResult['stage'],
  error: SluiceError,
): TransferOutcome {
  const { status } = error.context;
  const isTooLarge = status === TOO_LARGE || (stage === 'body' && transfer.kind === 'shard');
  if (transfer.kind === 'shard') return { kind: isTooLarge ? 'split' : 'hold', error };
  // The storage judges only the body, and with other statuses than the service.
  const isAboutFile =
    (ABOUT_A_FILE.includes(status) && error.context['ofBatch'] !== true) ||
    (stage === 'body' && transfer.kind === 'video');
  return { kind: isAboutFile ? 'refused' : 'hold', error };
}

function afterError(
  transfer: Transfer,
  stage: AttemptResult['stage'],
  error: SluiceError,
): TransferOutcome {
  switch (error.next) {
    case 'unknown':
      return { kind: 'unknown', error };
    case 'wait':
    case 'retry': {
      const isAddress = error.code === 'upload.urlExpired';
      const atOnce = isAddress && transfer.addresses < QUICK_ADDRESSES;
      return { kind: 'again', error, keepAddress: !isAddress, atOnce };
    }
    case 'park':
    case 'skip':
    case 'stop':
      return afterRefusal(transfer, stage, error);
    default:
      return assertNever(error.next);
  }
}

/**
 * The error if an object of this name exists: 412 from the storage, 409 for an image, or for the registration of a video in words that say
 * so. Null for any other answer.
 */
function alreadyThere(transfer: Transfer, { stage, answer }: AttemptResult): SluiceError | null {
  if (answer.ok)
    return answer.value.alreadyThere ? sluiceError('service.refused', { status: 412 }) : null;
  const { code, context } = answer.error;
  const isTaken =
    code === 'service.refused' && context['status'] === NAME_TAKEN && context['ofBatch'] !== true;
  const isOfName =
    stage === 'body'
      ? transfer.kind === 'image'
      : transfer.kind === 'video' && saysTaken(context['said']);
  return isTaken && isOfName ? answer.error : null;
}

/**
 * Decides what a try means. An answer counts as success only when the sources were read to their verified end. An existing object of this
 * name can be ours only after an earlier try that may have arrived; it is compared before it is confirmed.
 */
export function decideTransfer(transfer: Transfer, result: AttemptResult): TransferOutcome {
  const { stage, answer, sources, comparison } = result;
  const error = alreadyThere(transfer, result);
  if (error !== null) {
    if (!transfer.doubtful) return { kind: 'taken', error };
    const hashes = sources.kind === 'complete' ? sources.hashes : [];
    // Each shard has its own address: an object that is there came from an earlier try of this transfer.
    const isOurs = transfer.kind === 'shard' && transfer.proof !== 'verify';
    return { kind: 'sent', hashes, proof: isOurs ? null : 'verify' };
  }
  if (answer.ok && sources.kind === 'complete') {
    if (comparison === 'different')
      return { kind: 'damaged', error: sluiceError('upload.damaged') };
    return { kind: 'sent', hashes: sources.hashes, proof: PROOF[comparison] };
  }
  if (sources.kind === 'changed') {
    const { index, code } = sources;
    return { kind: 'changed', members: [{ index, code }] };
  }
  // The body was accepted before its last byte was sent: that proves nothing.
  if (answer.ok) return { kind: 'unknown', error: sluiceError('service.unexpectedAnswer') };
  return afterError(transfer, stage, answer.error);
}
