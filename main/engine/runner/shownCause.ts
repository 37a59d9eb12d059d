/** Why nothing of a run moves, for the people who watch it. */
import { sluiceError, type SluiceError } from '../core/errors.ts';
import { failingCode } from '../store/queue/failing.ts';
import type { ConnectionRunner } from './connectionRunner.ts';

/** What blocks the run, or why each of its transfers waits for another try; null while something moves. */
export function shownCause({ pipeline, blockedBy }: ConnectionRunner): SluiceError | null {
  const blocked = blockedBy();
  if (blocked !== null) return blocked;
  const code = failingCode(pipeline.store, pipeline.connectionId);
  return code === null ? null : sluiceError(code);
}
