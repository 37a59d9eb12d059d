/** The conditions of the computer: sleep, battery, and keeping awake while something is sent. */
import { powerMonitor, powerSaveBlocker } from 'electron';
import type { Station } from '../../engine/host/host.ts';

/** What a person wishes. */
export interface PowerWishes {
  readonly keepAwake: boolean;
  readonly pauseOnBattery: boolean;
}

export interface Conditions {
  /** Keeps the computer awake or lets it sleep, sends or waits, as things are. Safe to call again and again. */
  apply(): void;
  stop(): void;
}

type Watched = Pick<Station, 'paused' | 'busy' | 'held' | 'hold' | 'rescan'>;

/** Begins to watch. After sleep every socket is dead and every directory may have changed. */
export function watchConditions(
  station: Watched,
  wishes: () => PowerWishes,
  resetSockets: () => void,
  log: (event: string) => void,
): Conditions {
  let blocker: number | null = null;
  const release = (): void => {
    if (blocker !== null) powerSaveBlocker.stop(blocker);
    blocker = null;
  };
  const apply = (): void => {
    const { keepAwake, pauseOnBattery } = wishes();
    const hold = pauseOnBattery && powerMonitor.isOnBatteryPower();
    if (hold !== station.held()) {
      log(hold ? 'power.held' : 'power.released');
      station.hold(hold);
    }
    // What runs while held ends soon, and must not be cut by sleep.
    if (!keepAwake || station.paused() || !station.busy()) release();
    else blocker ??= powerSaveBlocker.start('prevent-app-suspension');
  };
  const resume = (): void => {
    log('power.resume');
    resetSockets();
    // The plug may have been pulled while the computer slept.
    apply();
    station.rescan();
  };
  const suspend = (): void => log('power.suspend');
  powerMonitor.on('suspend', suspend);
  powerMonitor.on('resume', resume);
  powerMonitor.on('on-battery', apply);
  powerMonitor.on('on-ac', apply);
  return {
    apply,
    stop: () => {
      release();
      powerMonitor.off('suspend', suspend);
      powerMonitor.off('resume', resume);
      powerMonitor.off('on-battery', apply);
      powerMonitor.off('on-ac', apply);
    },
  };
}
