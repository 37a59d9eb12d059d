/** A connection at work in a station: recovered, started, with its one-off uploads. */
import { withShortageNoted } from '../runner/openFiles.ts';
import type { Ports } from '../core/ports.ts';
import { ledgerConnections } from './connections.ts';
import { type StationLine, startStationLine } from './hostConnection.ts';
import { newsOf, type StationNews } from './events.ts';
import type { StationReceiver } from '../webhooks/receiverFromSettings.ts';
import type { EngineSettings } from '../settings/engineSettings.ts';
import { startStationUploads, type StationUploads } from '../uploads/pendingUploads.ts';
import type { Store } from '../store/store.ts';

/** A connection at work, with its uploads. */
export interface WorkingLine extends StationLine {
  readonly uploads: StationUploads;
}

/** What a station gives each of its lines. */
export interface LineGround {
  readonly store: Store;
  readonly ports: Ports;
  readonly dataDirectory: string;
  readonly receiver: StationReceiver;
  readonly settings: () => EngineSettings;
  /** True while nothing new may begin. */
  readonly still: () => boolean;
  readonly tell: (news: StationNews) => void;
}

/**
 * Makes the line of a connection; null when there is none of this id. No other line of it may run. `broke` is told once when a lane throws.
 */
export function makeWorkingLine(
  ground: LineGround,
  id: number,
  apiKey: string,
  broke: (thrown: unknown) => void,
): WorkingLine | null {
  const { store, ports, dataDirectory, receiver, settings } = ground;
  const row = ledgerConnections(store).find((one) => one.id === id);
  if (row === undefined) return null;
  const line = startStationLine({
    ports: withShortageNoted(ports, store, id, () => undefined),
    store,
    dataDirectory,
    row,
    apiKey,
    settings,
    notificationsUrl: receiver.url,
    notification: receiver.notification,
    tell: (news) => {
      const told = newsOf(news);
      if (told !== null) ground.tell(told);
    },
    broke,
  });
  if (ground.still()) line.running.pause();
  const uploads = startStationUploads(line.running, broke);
  try {
    uploads.ensureTargets();
  } catch (thrown) {
    broke(thrown);
  }
  return { ...line, uploads };
}
