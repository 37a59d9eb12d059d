/**
 * Parts of a batch that stayed empty while a command waited for their files. The service does not say whether a part is really empty or
 * not listed yet; the answer is kept, so that a later command does not wait for it again.
 */
import type { Pipeline } from '../pipeline/context.ts';
import type { DownloadOrder, EmptyParts } from '../pipeline/download/listOutputs.ts';
import { deleteMeta, readMeta, writeMeta } from '../store/meta.ts';

function keyOf({ connectionId }: Pipeline, batchId: string): `emptyParts:${string}` {
  return `emptyParts:${connectionId}:${batchId}`;
}

/**
 * The empty parts that earlier commands found. Their ages are set so that a part counts as really empty if another part has files, or if
 * only this part was requested.
 */
export function knownEmptyParts(
  pipeline: Pipeline,
  { batchId, part }: Pick<DownloadOrder, 'batchId' | 'part'>,
): EmptyParts {
  const { store, ports, times } = pipeline;
  const agoMs = part === null ? times.resultsPatienceMs : Number.POSITIVE_INFINITY;
  const since = ports.clock.monotonicMs() - agoMs;
  const keys = readMeta(store, keyOf(pipeline, batchId))?.split('\0') ?? [];
  return new Map(keys.map((key) => [key, since]));
}

/** Keeps which parts were empty in a download that is complete. */
export function noteEmptyParts(pipeline: Pipeline, batchId: string, empty: EmptyParts): void {
  const key = keyOf(pipeline, batchId);
  const found = empty.size === 0 ? null : [...empty.keys()].join('\0');
  if (found === readMeta(pipeline.store, key)) return;
  if (found === null) forgetEmptyParts(pipeline, batchId);
  else pipeline.store.transaction(() => writeMeta(pipeline.store, key, found));
}

/** A job has just filled the batch: earlier observations of empty parts say nothing now. */
export function forgetEmptyParts(pipeline: Pipeline, batchId: string): void {
  pipeline.store.transaction(() => deleteMeta(pipeline.store, keyOf(pipeline, batchId)));
}
