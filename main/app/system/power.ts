/** Power: sleep, battery, and keeping the computer awake while files are sent. */
import type { WindowSettings } from './settingsFile.ts';
import { powerMonitor, powerSaveBlocker } from 'electron';
import type { EngineHost } from '../../engine/host/host.ts';

type PowerHost = Pick<EngineHost, 'paused' | 'busy' | 'onHold' | 'setHold' | 'rescan'>;

/** Starts power management. After sleep every socket is dead and every directory may have changed. */
export function managePower(
  host: PowerHost,
  settings: () => Pick<WindowSettings, 'keepAwake' | 'pauseOnBattery'>,
  resetSockets: () => void,
  log: (event: string) => void,
) {
  let blocker: number | null = null;
  const release = (): void => {
    if (blocker !== null) powerSaveBlocker.stop(blocker);
    blocker = null;
  };
  const apply = (): void => {
    const { keepAwake, pauseOnBattery } = settings();
    const onHold = pauseOnBattery && powerMonitor.isOnBatteryPower();
    if (onHold !== host.onHold()) {
      log(onHold ? 'power.held' : 'power.released');
      host.setHold(onHold);
    }
    // Transfers still in progress during a hold end soon and must not be cut off by sleep.
    if (!keepAwake || host.paused() || !host.busy()) release();
    else blocker ??= powerSaveBlocker.start('prevent-app-suspension');
  };
  const resume = (): void => {
    log('power.resume');
    resetSockets();
    // The charger may have been unplugged during sleep.
    apply();
    host.rescan();
  };
  const suspend = (): void => log('power.suspend');
  powerMonitor.on('suspend', suspend);
  powerMonitor.on('resume', resume);
  powerMonitor.on('on-battery', apply);
  powerMonitor.on('on-ac', apply);
  return {
    /** Applies settings and power state: whether to keep the computer awake, and whether to hold uploads. Idempotent. */
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
