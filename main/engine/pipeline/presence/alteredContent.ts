/**
 * A storage may deliver other bytes than it received, for example when it re-encodes images: then each file under its own name looks as if
 * another computer had replaced it. So one file is sent again as a trial, under a name that only its content can have. An altering storage
 * turns it into the same bytes as before. The other files wait, so that such a storage gets only one file twice.
 */
import { ODD_BATCH_MS } from '../../core/limits.ts';
import { deleteMeta, readMeta, writeMeta } from '../../store/meta.ts';
import type { Batch } from '../../store/tables/batches.ts';
import { itemById } from '../../store/tables/items.ts';
import { transferById } from '../../store/tables/transfers.ts';
import type { Pipeline } from '../context.ts';
import { shareBatch } from './shareBatch.ts';

/**
 * True once the storage was seen to alter files of this kind: then their content proves nothing, and only names that no other file can have
 * prove something.
 */
export function altersContent(
  { store, connectionId }: Pipeline,
  { kind }: Pick<Batch, 'kind'>,
): boolean {
  return readMeta(store, `altersContent:${connectionId}:${kind}`) !== null;
}

/**
 * For a storage that alters files: whether all our names in a batch count as proof. They do when the storage was seen to alter files of
 * this batch, or when nothing shows another computer there. `surplus`: the batch holds more than we know of.
 */
export function trustsNames({ store }: Pipeline, batch: Batch, surplus: boolean): boolean {
  return (batch.isExclusive && !surplus) || readMeta(store, `altered:${batch.id}`) !== null;
}

/** A batch with files that were altered or replaced. */
interface Trial {
  /** The item that was sent again and is not compared yet; null until one is chosen. */
  readonly itemId: number | null;
}

/** null when no file of the batch looks altered. */
export function trialOf({ store }: Pipeline, batchRow: number): Trial | null {
  const item = readMeta(store, `trial:${batchRow}`);
  return item === null ? null : { itemId: item === '' ? null : Number(item) };
}

/** Remembers that files of a batch look altered, until a trial has shown why. To be called in a transaction. */
export function noteTrial({ store }: Pipeline, batch: Batch, { itemId }: Trial): void {
  writeMeta(store, `trial:${batch.id}`, String(itemId ?? ''));
}

/**
 * What a trial showed. `altered`: the storage altered the files. `mixed`: it alters files, but some may have been replaced by another
 * computer. `intact`: it does not alter files, so another computer replaced them. `failed`: nothing, because the trial can no longer arrive
 * in this batch.
 */
export type Verdict = 'altered' | 'mixed' | 'intact' | 'failed';

/**
 * What a list shows under the trial's names. `intact`: its own bytes. `altered`: other bytes, and the same ones under its earlier name.
 * `shared`: the same, and a name of another computer that differs from one of ours only in case. `replaced`: other bytes, and different ones
 * under its earlier name. `missing`: other bytes, and nothing under its earlier name.
 */
export type TrialSight = 'intact' | 'altered' | 'shared' | 'replaced' | 'missing';

/** What a list shows of a trial and of others. */
export interface TrialFacts {
  readonly sight: TrialSight | null;
  /** How many names are not ours; one of them is the earlier name of the trial. */
  readonly others: number;
  /** When the listing began, in engine time. */
  readonly listedAt: number;
}

/**
 * The verdict; null while the trial is on its way, cannot be compared, or was sent so recently that files of another computer may still
 * appear.
 */
export function verdictOf(
  { store, times }: Pipeline,
  batch: Batch,
  trial: number,
  { sight, others, listedAt }: TrialFacts,
): Verdict | null {
  if (sight === 'intact') return 'intact';
  const item = itemById(store, trial);
  if (sight !== null) {
    const { sentAt = null, lastByteAt = null } = transferById(store, item?.transferId ?? 0) ?? {};
    // A trial whose answer was lost has no `sentAt`.
    const ageMs = listedAt - Math.max(sentAt ?? 0, lastByteAt ?? 0);
    // The earlier name was listed before the trial was sent: a list without it is incomplete. Counted over all runs: `lastByteAt` may
    // begin again with each of them, and none of them may be this long.
    const missingMs = listedAt - (sentAt ?? lastByteAt ?? 0);
    if (sight === 'missing' && missingMs < ODD_BATCH_MS) return null;
    if (sight !== 'altered' || others > 1) return 'mixed';
    return ageMs >= times.trialPatienceMs ? 'altered' : null;
  }
  const hasLeft = item?.batchRow !== null && item?.batchRow !== batch.id;
  return hasLeft || item?.state === 'parked' || item?.state === 'skipped' ? 'failed' : null;
}

/**
 * Ends a trial. From now on the batch counts as filled by others, because its list has one more name than we have files in it. To be called
 * in a transaction.
 */
export function endTrial(pipeline: Pipeline, batch: Batch, verdict: Verdict): void {
  const { store, connectionId, ports } = pipeline;
  deleteMeta(store, `trial:${batch.id}`);
  if (verdict === 'altered' || verdict === 'mixed')
    writeMeta(store, `altersContent:${connectionId}:${batch.kind}`, batch.batchId);
  if (verdict === 'altered') writeMeta(store, `altered:${batch.id}`, '');
  ports.log.write('warn', 'batch.trialEnded', { batch: batch.batchId, verdict });
  shareBatch(pipeline, batch);
}
