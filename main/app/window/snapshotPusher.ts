/** Pushes the snapshot to the window when it has changed: polls five times a second, less often while nothing changes. */
import { createRevisionCounter, createSnapshotReader } from '../../engine/host/snapshot.ts';
import { errorOf } from '../../engine/core/errors.ts';
import type { EngineHost } from '../../engine/host/host.ts';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';

export type WindowSnapshot = () => Pick<AppSnapshot, 'runtime' | 'notices' | 'settings'>;

const POLL_MS = 200;
/** After this many unchanged snapshots, polling slows down. */
const IDLE_POLLS = 25;
const IDLE_POLL_MS = 800;

/** Starts polling. `onChange` gets each new snapshot; `areKeysPending` is true while keys are still being read. */
export function startSnapshotPusher(
  host: EngineHost,
  windowPart: WindowSnapshot,
  areKeysPending: () => boolean,
  onChange: (snapshot: AppSnapshot) => void,
) {
  const read = createSnapshotReader(host, areKeysPending);
  const number = createRevisionCounter();
  let last: AppSnapshot | null = null;
  let failed: string | null = null;
  let unchanged = 0;
  const push = (): AppSnapshot => {
    const { snapshot, changed } = number({ ...windowPart(), ...read() }, host.ports.clock.now());
    last = snapshot;
    failed = null;
    unchanged = changed ? 0 : unchanged + 1;
    if (changed) onChange(snapshot);
    return snapshot;
  };
  const poll = (): void => {
    try {
      push();
    } catch (thrown) {
      // With a damaged ledger even reading fails: the window keeps the last state and shows the reason.
      const error = errorOf(thrown);
      if (failed !== error.code) {
        failed = error.code;
        host.ports.log.write('error', 'snapshot.failed', { code: error.code });
        if (last !== null) onChange({ ...last, pipeline: { ...last.pipeline, blockedBy: error } });
      }
    }
    timer = setTimeout(poll, unchanged < IDLE_POLLS ? POLL_MS : IDLE_POLL_MS);
  };
  let timer = setTimeout(poll, POLL_MS);
  return {
    /** Builds a snapshot now. */
    current: push,
    /** Polls soon: a request may have changed something. */
    pollSoon: () => {
      const wasIdle = unchanged >= IDLE_POLLS;
      unchanged = 0;
      if (!wasIdle) return;
      clearTimeout(timer);
      timer = setTimeout(poll, 0);
    },
    stop: () => clearTimeout(timer),
  };
}
