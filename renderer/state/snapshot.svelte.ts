/** The state that main pushes: replaced as a whole, never patched. */
import type { SluiceError } from '../../preload/contract/errors.ts';
import type { AppSnapshot, ConnectionView } from '../../preload/contract/snapshot.ts';
import { inUse } from '../text/statusSentence.ts';
import { type SaidLeft, steadyLeft } from '../text/timeLeft.ts';
import { isAtRest, pausedFolders } from '../text/uploadProgress.ts';
import { onPush, request } from './bridge.ts';

let current = $state.raw<AppSnapshot | null>(null);
let said: SaidLeft | null = null;
let failure = $state.raw<SluiceError | null>(null);

export function snapshotOrNull(): AppSnapshot | null {
  return current;
}

export function snapshotFailure(): SluiceError | null {
  return failure;
}

/** The newest snapshot. Views are mounted only when there is one. */
export function snapshot(): AppSnapshot {
  if (current === null) throw new Error('a view was drawn before the first snapshot');
  return current;
}

export function connectionInUse(): ConnectionView | null {
  return inUse(current?.connections ?? []) ?? null;
}

/** Takes a snapshot unless a newer one has arrived: the first answer and the first push may cross. */
function takeSnapshot(next: AppSnapshot): void {
  if (current !== null && next.revision < current.revision) return;
  said = steadyLeft(said, next.pipeline.leftMs, next.at);
  current = { ...next, pipeline: { ...next.pipeline, leftMs: said?.leftMs ?? null } };
  failure = null;
}

/** Starts listening; returns a function that stops it. */
export function followSnapshots(): () => void {
  const stop = onPush('snapshot', takeSnapshot);
  void loadSnapshot();
  return stop;
}

export async function loadSnapshot(): Promise<void> {
  const answer = await request('snapshot.get', {});
  if (answer.ok) takeSnapshot(answer.value);
  else failure = answer.error;
}

/** True while nothing is sent: no network, a refused key, a full disk, a pause. */
export function isHeld(): boolean {
  const now = snapshot();
  return (
    isAtRest(now.pipeline) || pausedFolders(now).length > 0 || connectionInUse()?.state !== 'ready'
  );
}
