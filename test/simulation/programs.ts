/** `sluice upload`, put together from the engine as the command line does. */
import { sourceIds } from '../../main/engine/core/batchNames.ts';
import { createClient, ensureConnection } from '../../main/engine/runner/connect.ts';
import { uploadOnce } from '../../main/engine/uploads/oneShot.ts';
import {
  type ConnectionRunner,
  startConnectionRunner,
} from '../../main/engine/runner/connectionRunner.ts';
import { downloadBatch } from '../../main/engine/jobs/downloads.ts';
import type { Process, Program } from './computer.ts';
import { simConnection } from './connection.ts';
import type { ComputerPlan } from './plan.ts';
import { ROOT } from './plan.ts';

/** Starts the pipeline of a process; `bases` as the command line passes them. */
export function startRunner(
  { ports, store }: Process,
  bases: readonly string[] | null,
  isOnHold: () => boolean = () => false,
): ConnectionRunner {
  const connection = simConnection();
  const connectionId = ensureConnection(store, connection);
  const memory = { store, connectionId };
  return startConnectionRunner({
    ports,
    store,
    connectionId,
    createClient: (watched, observe) => createClient(watched, connection, memory, observe),
    bases,
    isOnHold,
  });
}

/** `sluice upload ROOT --batch ID`. Returns how it ended: settled, unreachable, stalled, blocked:CODE. */
export function uploadProgram({ batch, mode }: ComputerPlan): Program {
  return async (process) => {
    const running = startRunner(process, sourceIds(batch));
    try {
      const { end } = await uploadOnce(running, {
        places: [{ path: ROOT, root: ROOT }],
        target: { baseId: batch, displayName: null, mode, mainKind: null, notification: null },
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
      return end.kind === 'blocked' ? `blocked:${end.error.code}` : end.kind;
    } finally {
      await running.stop();
    }
  };
}

/**
 * `sluice batch download RESULTS --to DIR` for every job whose results were fetched, if they still exist. Returns `fetched`,
 * or why one could not be fetched.
 */
export function fetchProgram(isThere: (batchId: string) => boolean): Program {
  return async (process) => {
    const running = startRunner(process, null);
    try {
      const jobs = process.store.all(
        `SELECT results_batch, download_to FROM jobs WHERE fetched = 1 AND download_to IS NOT NULL ORDER BY id`,
      );
      for (const job of jobs) {
        const [batchId, target] = [String(job['results_batch']), String(job['download_to'])];
        if (!isThere(batchId)) continue;
        const order = { batchId, target, part: null, unpack: false };
        const { signal } = new AbortController();
        const end = await downloadBatch(running.pipeline, order, signal, () => undefined);
        if (!end.ok) return `${batchId}: ${end.error.code}`;
        const [parked] = end.value.parked;
        if (parked !== undefined) return `${parked.path}: ${parked.error.code}`;
      }
      return 'fetched';
    } finally {
      await running.stop();
    }
  };
}
