/** Compares what the storage states about a body it just stored with what was sent. */
import {
  compareChecksums,
  type Comparison,
  type StatedChecksums,
  statedChecksums,
} from '../../evidence/checksums.ts';
import type { Pipeline } from '../context.ts';
import type { TransferBody } from './transferBody.ts';

/** After this many wrong MD5-like ETags in a row they are ignored. Our choice: damage does not come in a row. */
const ODD_ETAGS = 2;

function needsMd5(stated: StatedChecksums): boolean {
  return stated.crc32c === null && (stated.md5 !== null || stated.etagMd5 !== null);
}

/**
 * Compares a stored body. If only an MD5 is stated and none was computed while sending, the sources are read once more; from then on, MD5
 * is computed while sending.
 */
export async function compareStored(
  pipeline: Pipeline,
  headers: Readonly<Record<string, string>>,
  { body, plan }: TransferBody,
): Promise<Comparison> {
  const { storage } = pipeline;
  const found = statedChecksums(headers);
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
