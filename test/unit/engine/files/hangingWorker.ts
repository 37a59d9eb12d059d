/** A file worker that hangs on any path with "hang" in it, as on a drive that does not answer, and returns facts for the others. */
import { parentPort } from 'node:worker_threads';

interface Request {
  readonly type: string;
  readonly id: number;
  readonly paths?: readonly string[];
  readonly path?: string;
  readonly plan?: { readonly members: readonly { readonly path: string }[] };
}

function handle({ type, id, paths = [], path = '', plan }: Request): void {
  const all = [...paths, path, ...(plan?.members.map((member) => member.path) ?? [])];
  if (all.some((one) => one.includes('hang'))) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  const results = paths.map((value) => ({ ok: true, value }));
  parentPort?.postMessage([{ type, id, results }]);
}

parentPort?.on('message', (requests: readonly Request[]) => requests.forEach(handle));
parentPort?.postMessage([{ type: 'ready' }]);
