/** A worker that answers with the types of all requests it has seen, in the groups in which they came, and where its compiled code is kept. */
import { getCompileCacheDir } from 'node:module';
import { parentPort } from 'node:worker_threads';

const seen: string[][] = [];
parentPort?.on('message', (requests: readonly { type: string; id: number }[]) => {
  seen.push(requests.map(({ type }) => type));
  const replies = requests.filter(({ type }) => type === 'stat');
  const cache = getCompileCacheDir();
  parentPort?.postMessage(replies.map(({ type, id }) => ({ type, id, seen, cache })));
});
parentPort?.postMessage([{ type: 'ready' }]);
