/** The conditions of the computer: sleep, and keeping awake while something is sent. */
import { powerMonitor, powerSaveBlocker } from 'electron';
import type { Station } from '../engine/station.ts';

export interface Conditions {
  /** Keeps the computer awake or lets it sleep, as things are. Safe to call again and again. */
  apply(wanted: boolean): void;
  stop(): void;
}

/** Begins to watch. After sleep every socket is dead and every directory may have changed. */
export function watchConditions(station: Station, resetSockets: () => void): Conditions {
  let blocker: number | null = null;
  const log = (event: string): void => station.ports.log.write('info', event);
  const resume = (): void => {
    log('power.resume');
    resetSockets();
    station.rescan();
  };
  const suspend = (): void => log('power.suspend');
  powerMonitor.on('suspend', suspend);
  powerMonitor.on('resume', resume);
  const release = (): void => {
    if (blocker !== null) powerSaveBlocker.stop(blocker);
    blocker = null;
  };
  return {
    apply: (wanted) => {
      const keep = wanted && !station.paused() && station.busy();
      if (!keep) release();
      else blocker ??= powerSaveBlocker.start('prevent-app-suspension');
    },
    stop: () => {
      release();
      powerMonitor.off('suspend', suspend);
      powerMonitor.off('resume', resume);
    },
  };
}
