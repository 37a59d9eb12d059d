/** "Try now" for anything that waits: the same as its next try, only sooner. Sends nothing that would not be sent then. */
import { ok, type Result } from '../core/errors.ts';
import type { WaitView } from '../core/model.ts';
import type { WorkingConnection, ConnectionNow } from '../host/workingConnection.ts';
import { changeNamedBatch, releaseHold } from '../store/tables/batches.ts';
import { dueNow } from '../store/tables/waits.ts';
import { givenPathOf, watchesOf } from '../store/tables/watches.ts';

/** Sends to a held batch now instead of after its pause. Error: usage.invalid for one that is not in the ledger. */
export function tryBatchNow(of: ConnectionNow, batchId: string): Result<null> {
  const { store, connectionId, now } = of;
  return changeNamedBatch(of, batchId, (row) => {
    releaseHold(store, row);
    dueNow(store, connectionId, `hold:${batchId}`, now);
  });
}

/** Tries now what a wait is about. Error: usage.invalid for a batch that is not in the ledger. */
export async function tryNow(
  { runner, watching }: WorkingConnection,
  { kind, name }: Pick<WaitView, 'kind' | 'name'>,
): Promise<Result<null>> {
  const { store, connectionId, time } = runner.pipeline;
  if (kind === 'held' && name !== null) {
    const due = tryBatchNow({ store, connectionId, now: time.now() }, name);
    runner.wake();
    return due;
  }
  if (kind === 'watch') {
    for (const watch of watchesOf(store, connectionId)) {
      if (givenPathOf(watch.rule) === name) watching.watch(watch.id)?.scanNow();
    }
    return ok(null);
  }
  if (kind === 'givenUp' || kind === 'results' || kind === 'outputs')
    watching.retryOutputs(kind === 'givenUp');
  watching.hint();
  await runner.tryNow();
  return ok(null);
}
