/** A transfer as the ledger returns it, for tests of decisions. */
import type { Transfer } from '../../main/engine/store/tables/transfers.ts';

/** A shard on its first try, overridden by what a test gives. */
export function transferOf(given: Partial<Transfer> = {}): Transfer {
  return {
    id: 1,
    batchRow: 1,
    kind: 'shard',
    state: 'sending',
    sizeBytes: 1000,
    notification: null,
    uploadUrl: null,
    uploadHeaders: null,
    urlExpiresAt: null,
    lastCode: null,
    retryAt: 0,
    attempts: 1,
    doubtful: false,
    lastByteAt: null,
    absentAt: null,
    sentAt: null,
    proof: null,
    addresses: 0,
    failingSince: null,
    ...given,
  };
}
