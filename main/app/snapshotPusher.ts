/** Builds the snapshot and hands it to the window: at most five times a second, and only when something changed. */
import { createRevisions, createSnapshotReader } from '../engine/snapshot.ts';
import type { Station } from '../engine/station.ts';
import type { AppSnapshot } from '../../preload/views.ts';

export interface SnapshotPusher {
  /** The state as it is now. */
  current(): AppSnapshot;
  stop(): void;
}

/** The window's own part of the snapshot. */
export type OwnPart = () => Pick<AppSnapshot, 'runtime' | 'notices' | 'settings'>;

const EVERY_MS = 200;

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
  const timer = setInterval(() => {
    const seen = look();
    if (seen.changed) changed(seen.snapshot);
  }, EVERY_MS);
  return {
    current: () => {
      const seen = look();
      if (seen.changed) changed(seen.snapshot);
      return seen.snapshot;
    },
    stop: () => clearInterval(timer),
  };
}
