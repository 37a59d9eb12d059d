/** A worker that answers each request and then takes a while before it can end, as one that waits for a disk does. */
import { spawnSync } from 'node:child_process';
import { parentPort } from 'node:worker_threads';

const LINGER_MS = 500;

parentPort?.on('message', (requests: readonly { type: string; id: number }[]) => {
  for (const { type, id } of requests) parentPort?.postMessage([{ type, id, results: [] }]);
  spawnSync(process.execPath, ['--eval', `setTimeout(() => {}, ${LINGER_MS})`]);
});
parentPort?.postMessage([{ type: 'ready' }]);
