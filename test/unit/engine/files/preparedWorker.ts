/** A worker that answers with the types of all requests it has seen, and where its compiled code is kept. */
import { getCompileCacheDir } from 'node:module';
import { parentPort } from 'node:worker_threads';

const seen: string[] = [];
parentPort?.on('message', ({ type, id }: { type: string; id: number }) => {
  seen.push(type);
  if (type === 'stat') parentPort?.postMessage({ type, id, seen, cache: getCompileCacheDir() });
});
parentPort?.postMessage({ type: 'ready' });
