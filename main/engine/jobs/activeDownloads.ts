/** Downloads started in the window: one at a time per batch and directory, shown while they run and after they end. */
import { drop, errorOf, sluiceError, type SluiceError } from '../core/errors.ts';
import type { DownloadView } from '../core/model.ts';
import { downloadBatch, type DownloadProgress } from './downloads.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { jobByServiceId } from '../store/tables/jobs.ts';

type DownloadRequest = Pick<DownloadView, 'batchId' | 'jobId' | 'to'>;

const MOST_SHOWN = 20;

interface ActiveDownload extends DownloadView {
  readonly connectionId: number;
}

/** Creates the list of downloads. `ended` is called with each one that has ended. */
export function createActiveDownloads(ended: (view: ActiveDownload) => void) {
  const views = new Map<string, ActiveDownload>();
  const set = (key: string, change: Partial<DownloadView>): void => {
    const view = views.get(key);
    if (view !== undefined) views.set(key, { ...view, ...change });
  };
  const finish = (key: string, error: SluiceError | null): void => {
    set(key, { state: error === null ? 'done' : 'failed', error });
    const view = views.get(key);
    if (view !== undefined) ended(view);
  };
  const run = async (pipeline: Pipeline, key: string, order: DownloadRequest): Promise<void> => {
    const { signal, store, connectionId } = pipeline;
    const job = order.jobId === null ? null : jobByServiceId(store, connectionId, order.jobId);
    // The rule of its watched folder also applies to downloads that a person starts.
    const unpack = job?.unpack ?? false;
    const wanted = { batchId: order.batchId, target: order.to, part: null, unpack };
    const show: DownloadProgress = ({ bytes, done, files }) => set(key, { bytes, done, files });
    const fetched = await downloadBatch(pipeline, wanted, signal, show, 'midway');
    if (!fetched.ok) return finish(key, fetched.error);
    const { files, bytes, parked } = fetched.value;
    set(key, { files: files + parked.length, bytes, done: files });
    const none = sluiceError('results.incomplete', { batch: order.batchId, said: 'no files' });
    finish(key, parked[0]?.error ?? (files === 0 ? none : null));
  };
  return {
    /** Starts a download unless the same one is already running. Files that are already in the directory are not downloaded again. */
    start: (pipeline: Pipeline, order: DownloadRequest) => {
      const { connectionId } = pipeline;
      const key = `${String(connectionId)}\n${order.batchId}\n${order.to}`;
      if (views.get(key)?.state === 'running') return;
      views.delete(key);
      const none = { done: 0, files: 0, bytes: 0, error: null };
      const { batchId, jobId, to } = order;
      views.set(key, { connectionId, batchId, jobId, to, state: 'running', ...none });
      for (const [old, view] of [...views]) {
        if (views.size > MOST_SHOWN && view.state !== 'running') views.delete(old);
      }
      drop(run(pipeline, key, order).catch((thrown: unknown) => finish(key, errorOf(thrown))));
    },
    /** The downloads of a connection, newest first, at most 20. */
    views: (connectionId: number): readonly DownloadView[] =>
      [...views.values()]
        .filter((view) => view.connectionId === connectionId)
        .reverse()
        .slice(0, MOST_SHOWN),
    /** True while a download runs. */
    busy: () => [...views.values()].some(({ state }) => state === 'running'),
  };
}

export type ActiveDownloads = ReturnType<typeof createActiveDownloads>;
