/** What becomes of a transfer after a try. Pure: the tests of exactly-once are tests of this decision. */
import type { Result, SluiceError } from '../../../preload/errorCodes.ts';
import { assertNever } from '../errors.ts';
import { MAX_SERVICE_TRIES } from '../limits.ts';
import type { SourceOutcome } from '../model.ts';
import type { Transfer } from '../store/transfers.ts';

export type TransferOutcome =
  | { readonly kind: 'sent'; readonly sha256: readonly string[] }
  /** A member reads differently than planned; nothing whole left. */
  | {
      readonly kind: 'changed';
      readonly index: number;
      readonly code: 'item.changed' | 'item.gone' | 'item.unreadable';
    }
  /** Back in line: with its address, or asking for a fresh one. */
  | { readonly kind: 'again'; readonly error: SluiceError; readonly keepAddress: boolean }
  /** Too large for the service: cut into smaller shards. */
  | { readonly kind: 'split'; readonly error: SluiceError }
  /** The service must be asked before anything is sent again. */
  | { readonly kind: 'unknown'; readonly error: SluiceError }
  /** The line stops until its cause is gone; the transfer goes back in line. */
  | { readonly kind: 'wait'; readonly error: SluiceError }
  | { readonly kind: 'park'; readonly error: SluiceError };

const TOO_LARGE = 413;

/** How often the same answer came, this one included. */
function timesSeen(transfer: Transfer, error: SluiceError): number {
  return transfer.lastCode === error.code ? transfer.sameAnswers + 1 : 1;
}

function fromService(code: string): boolean {
  return code.startsWith('service.') || code.startsWith('upload.');
}

function afterError(transfer: Transfer, error: SluiceError): TransferOutcome {
  switch (error.next) {
    case 'unknown':
      return { kind: 'unknown', error };
    case 'wait':
      return { kind: 'wait', error };
    case 'retry': {
      if (fromService(error.code) && timesSeen(transfer, error) >= MAX_SERVICE_TRIES) {
        return { kind: 'park', error };
      }
      return { kind: 'again', error, keepAddress: error.code !== 'upload.urlExpired' };
    }
    case 'park':
    case 'skip':
    case 'stop':
      if (transfer.kind === 'shard' && error.context['status'] === TOO_LARGE) {
        return { kind: 'split', error };
      }
      return { kind: 'park', error };
    default:
      return assertNever(error.next);
  }
}

/**
 * Decides from the service's answer and from how the sources were read. The service's "I have it" counts only when the
 * sources were read to their verified end: an answer before that is no proof of anything.
 */
export function decideTransfer(
  transfer: Transfer,
  answer: Result<{ readonly alreadyThere: boolean }>,
  sources: SourceOutcome,
): TransferOutcome {
  if (answer.ok) {
    if (sources.kind === 'complete') return { kind: 'sent', sha256: sources.sha256 };
    // 412: an earlier try arrived whole; the hashes of that try are those of the manifest.
    if (answer.value.alreadyThere) return { kind: 'sent', sha256: [] };
  }
  if (sources.kind === 'changed') {
    return { kind: 'changed', index: sources.index, code: sources.code };
  }
  if (answer.ok) {
    const error: SluiceError = { code: 'service.unexpectedAnswer', next: 'park', context: {} };
    return { kind: 'unknown', error };
  }
  return afterError(transfer, answer.error);
}
