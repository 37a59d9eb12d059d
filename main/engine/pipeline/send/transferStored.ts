/** Compares what the storage states about a body it just stored with what was sent. */
import type { Result } from '../../core/errors.ts';
import {
  compareChecksums,
  type Comparison,
  type StatedChecksums,
  statedChecksums,
} from '../../evidence/checksums.ts';
import type { Delivered } from '../../service/serviceClient.ts';
import type { TransferBody } from './transferBody.ts';
import type { AttemptResult } from './transferOutcome.ts';
import type { Attempt } from './transferSettle.ts';

/** How a request for an address, or with the body, ended. */
export type Sent = Pick<AttemptResult, 'stage'> & { readonly answer: Result<Delivered> };

/** After this many wrong MD5-like ETags in a row they are ignored. Our choice: damage does not come in a row. */
const ODD_ETAGS = 2;

function needsMd5(stated: StatedChecksums): boolean {
  return stated.crc32c === null && (stated.md5 !== null || stated.etagMd5 !== null);
}

/**
 * Compares a body that the storage accepted completely. If only an MD5 is stated and none was computed while sending, the sources are read
 * once more; from then on, MD5 is computed while sending.
 */
export async function compareStored(
  { pipeline, transfer }: Attempt,
  { stage, answer }: Sent,
  { body, plan }: TransferBody,
): Promise<Comparison> {
  const isStored = stage === 'body' && answer.ok && !answer.value.alreadyThere;
  if (!isStored || transfer.kind === 'image' || body.outcome().kind !== 'complete')
    return 'nothing stated';
  const { storage } = pipeline;
  const found = statedChecksums(answer.value.headers);
  const isOdd = storage.oddEtags >= ODD_ETAGS;
  const stated = isOdd ? { ...found, etagMd5: null } : found;
  let computed = body.checksums();
  if (needsMd5(stated) && computed.md5 === null) {
    storage.statesOnlyMd5 = true;
    const sums = await pipeline.ports.files.sumSources(plan, pipeline.signal);
    computed = { ...computed, md5: sums?.md5 ?? null };
  }
  const comparison = compareChecksums(stated, computed);
  if (comparison === 'doubtful') storage.oddEtags += 1;
  if (comparison === 'equal' && !isOdd) storage.oddEtags = 0;
  return comparison;
}
