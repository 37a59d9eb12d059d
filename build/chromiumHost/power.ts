/** `powerMonitor` and `powerSaveBlocker`: the computer's power state, as set by tests. */
import type { PowerSaveBlocker } from 'electron';
import { HostEmitter, strictModule } from './notOnHost.ts';

class PowerMonitor extends HostEmitter {
  onBatteryPower = false;

  isOnBatteryPower = (): boolean => this.onBatteryPower;

  /** Emits an event, and sets the state that goes with it. */
  happen(event: string): void {
    if (event === 'on-battery' || event === 'on-ac') this.onBatteryPower = event === 'on-battery';
    this.emit(event, {});
  }
}

/** The export `powerMonitor`. */
export const powerMonitor = new PowerMonitor();

let lastBlocker = 0;

/** The export `powerSaveBlocker`. */
export const powerSaveBlocker = strictModule('powerSaveBlocker', {
  start: (_type: string): number => (lastBlocker += 1),
  stop: (_id: number): boolean => true,
} satisfies Partial<PowerSaveBlocker>);
