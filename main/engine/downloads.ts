/** Fetching outputs, for those outside the engine. */
import type { Result } from '../../preload/errorCodes.ts';
import { download, type Downloaded, type DownloadProgress } from './pipeline/download.ts';
import type { Line } from './pipeline/line.ts';
import type { Order } from './pipeline/listOutputs.ts';
import type { JobView } from './pipeline/follow.ts';

export type { Downloaded, DownloadProgress } from './pipeline/download.ts';

/** Fetches every output file of a batch; the signal breaks it off, and the same call later goes on. */
export async function downloadBatch(
  line: Line,
  order: Order,
  signal: AbortSignal,
  onProgress: DownloadProgress,
): Promise<Result<Downloaded>> {
  return download({ ...line, signal: AbortSignal.any([line.signal, signal]) }, order, onProgress);
}

/** Batches that may hold the outputs of a job, the likeliest first. Pure. */
export function resultBatches(view: JobView, inputBatch: string): readonly string[] {
  const exporting = view.stages.filter(({ stage }) => stage.name === 'export');
  const others = view.stages.filter(({ stage }) => stage.name !== 'export');
  const named = [
    ...exporting.flatMap(({ stage }) => stage.outputBatches),
    ...view.status.resultsBatches,
    ...others.flatMap(({ stage }) => stage.outputBatches),
    `${view.status.jobId}-export`,
    inputBatch,
  ];
  return [...new Set(named)];
}

/** The first of the batches that has parts or files; null when none has. */
export async function findResults(
  line: Line,
  candidates: readonly string[],
): Promise<Result<string | null>> {
  for (const batchId of candidates) {
    const parts = await line.client.batchParts(batchId, line.signal);
    if (!parts.ok) return parts;
    if (parts.value.length > 0) return { ok: true, value: batchId };
    const page = await line.client.batchFilesPage(batchId, null, null, line.signal);
    if (!page.ok) return page;
    if (page.value.items.length > 0) return { ok: true, value: batchId };
  }
  return { ok: true, value: null };
}
