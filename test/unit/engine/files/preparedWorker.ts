/** A worker that answers with the types of all requests it has seen. */
import { parentPort } from 'node:worker_threads';

const seen: string[] = [];
parentPort?.on('message', ({ type, id }: { type: string; id: number }) => {
  seen.push(type);
  if (type === 'stat') parentPort?.postMessage({ type, id, seen });
});
