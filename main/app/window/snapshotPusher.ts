/** Builds the snapshot and hands it to the window: at most five times a second, less often at rest, and only when something changed. */
import { createRevisions, createSnapshotReader } from '../../engine/host/snapshot.ts';
import { errorOf } from '../../engine/core/errorOf.ts';
import type { Station } from '../../engine/host/host.ts';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';

export interface SnapshotPusher {
  /** The state as it is now. */
  current(): AppSnapshot;
  /** The window has asked for something, so there may be news: looks soon. */
  wake(): void;
  stop(): void;
}

/** The window's own part of the snapshot. */
export type OwnPart = () => Pick<AppSnapshot, 'runtime' | 'notices' | 'settings'>;

const EVERY_MS = 200;
/** While nothing changes a look costs and tells nothing: after so many of them in vain they come less often. */
const LOOKS_IN_VAIN = 25;
const AT_REST_MS = 800;

/** Begins to look; `changed` hears each new snapshot, `opening` tells that keys are still being read. */
export function startSnapshotPusher(
  station: Station,
  own: OwnPart,
  opening: () => boolean,
  changed: (snapshot: AppSnapshot) => void,
): SnapshotPusher {
  const read = createSnapshotReader(station, opening);
  const number = createRevisions();
  const look = (): { snapshot: AppSnapshot; changed: boolean } =>
    number({ ...own(), ...read() }, station.ports.clock.now());
  let last: AppSnapshot | null = null;
  let failed: string | null = null;
  let inVain = 0;
  const push = (): void => {
    const seen = look();
    last = seen.snapshot;
    failed = null;
    inVain = seen.changed ? 0 : inVain + 1;
    if (seen.changed) changed(seen.snapshot);
  };
  const turn = (): void => {
    try {
      push();
    } catch (thrown) {
      // A damaged ledger can break the reading itself: the window keeps what it has, and why.
      const error = errorOf(thrown);
      if (failed !== error.code) {
        failed = error.code;
        station.ports.log.write('error', 'snapshot.failed', { code: error.code });
        if (last !== null) changed({ ...last, line: { ...last.line, hindrance: error } });
      }
    }
    timer = setTimeout(turn, inVain < LOOKS_IN_VAIN ? EVERY_MS : AT_REST_MS);
  };
  let timer = setTimeout(turn, EVERY_MS);
  return {
    current: () => {
      const seen = look();
      if (seen.changed) changed(seen.snapshot);
      return seen.snapshot;
    },
    wake: () => {
      const rested = inVain >= LOOKS_IN_VAIN;
      inVain = 0;
      if (!rested) return;
      clearTimeout(timer);
      timer = setTimeout(turn, 0);
    },
    stop: () => clearTimeout(timer),
  };
}
