/** A file worker that dies on any path with "poison" in it, and returns facts for the others: for tests of the pool. */
import { parentPort } from 'node:worker_threads';
import { inGroups } from '../../../../main/engine/files/pool/workerMessages.ts';

interface Request {
  readonly type: string;
  readonly id: number;
  readonly paths?: readonly string[];
  readonly path?: string;
  readonly plan?: { readonly frame: { readonly kind: string } };
  readonly turn?: SharedArrayBuffer;
}

const FINISHING = 1;
const reply = inGroups<unknown>((replies) => parentPort?.postMessage(replies));

function handle({ type, id, paths = [], path = '', plan, turn }: Request): void {
  if ([...paths, path].some((one) => one.includes('poison'))) throw new Error('poisoned');
  if (type === 'hash') reply({ type, id, result: { ok: true, value: path } });
  // With a body that is not an archive it dies after the last byte.
  if (turn !== undefined && plan?.frame.kind === 'bare') new Int32Array(turn)[0] = FINISHING;
  if (type === 'send' || type === 'sum') process.exit(1);
  if (paths.length === 0) return;
  const results = paths.map((value) => ({ ok: true, value }));
  reply({ type, id, results });
}

parentPort?.on('message', (requests: readonly Request[]) => requests.forEach(handle));
reply({ type: 'ready' });
