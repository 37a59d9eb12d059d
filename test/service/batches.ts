/** How batches are created and what they accept. */
import { violate, type Service } from './service.ts';
import type { Exchange } from './exchange.ts';
import { Refusal } from './refusal.ts';
import type { Batch } from './state.ts';

export function legalBatchId(batchId: string): string {
  if (!/^[a-z0-9_-]{1,64}$/.test(batchId))
    throw new Refusal(400, 'Batch id must match ^[a-z0-9_-]+$ and have at most 64 characters.');
  return batchId;
}

/** The batch if it exists now; 404 otherwise. */
export function existingBatch(service: Service, batchId: string): Batch {
  const batch = service.state.batch(legalBatchId(batchId));
  if (batch === null) throw new Refusal(404, 'Batch not found.');
  return batch;
}

/** The batch that an upload goes into: created by the first upload, and of one kind forever. The other computer has no exchange. */
export function batchForUpload(
  service: Service,
  exchange: Exchange | null,
  wanted: {
    readonly batchId: string;
    readonly displayName: string | null;
    readonly type: 'simple-batch' | 'sharded-batch';
    readonly contentType: 'images' | 'videos';
  },
): Batch {
  const { state } = service;
  const found = state.batch(legalBatchId(wanted.batchId));
  if (found === null) return makeBatch(service, wanted);
  if (found.type === 'multipart-batch')
    throw new Refusal(400, 'Nothing can be uploaded into the output of a job.');
  if (found.contentType !== wanted.contentType)
    throw new Refusal(400, `The batch holds ${found.contentType} and takes nothing else.`);
  if (found.type !== wanted.type)
    throw new Refusal(400, 'Single uploads and bulk uploads cannot be mixed in one batch.');
  if (found.jobs.length > 0 && exchange !== null)
    violate(service, exchange, 'upload-after-job', found.batchId);
  return found;
}

/** Creates an empty batch, which lives as long as the settings say. */
export function makeBatch(
  service: Service,
  given: Pick<Batch, 'batchId' | 'type' | 'contentType'> & { readonly displayName: string | null },
): Batch {
  const { state } = service;
  const at = state.clock.now();
  const batch: Batch = {
    batchId: given.batchId,
    displayName: given.displayName ?? given.batchId,
    type: given.type,
    contentType: given.contentType,
    createdAt: at,
    expiresAt: at + state.settings.retentionMs,
    objects: [],
    shards: [],
    parts: [],
    jobs: [],
  };
  state.batches.set(batch.batchId, batch);
  return batch;
}

/** Returns the name of an uploaded file if it is plain and of a type that this kind of upload accepts. */
export function legalFileName(fileName: string, problem: string | null): string {
  if (/[/\\\0]/.test(fileName) || fileName === '.' || fileName === '..')
    throw new Refusal(400, 'fileName must be a plain name without directories.');
  if (Buffer.byteLength(fileName) > 255) throw new Refusal(400, 'fileName is too long.');
  if (problem !== null) throw new Refusal(400, problem);
  return fileName;
}
