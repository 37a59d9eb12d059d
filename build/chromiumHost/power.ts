/** `powerMonitor` and `powerSaveBlocker`: the computer's power state, as set by tests. */
import type { PowerSaveBlocker } from 'electron';
import { HostEmitter, strictModule } from './notOnHost.ts';
import { records } from './records.ts';

class PowerMonitor extends HostEmitter {
  onBatteryPower = false;
  #locked = false;
  #idleSeconds = 0;

  isOnBatteryPower = (): boolean => this.onBatteryPower;
  getSystemIdleTime = (): number => this.#idleSeconds;
  getSystemIdleState = (threshold: number): 'active' | 'idle' | 'locked' => {
    if (this.#locked) return 'locked';
    return this.#idleSeconds >= threshold ? 'idle' : 'active';
  };
  getCurrentThermalState = (): 'unknown' => 'unknown';

  /** Emits an event, and sets the state that goes with it. */
  happen(event: string): void {
    if (event === 'on-battery' || event === 'on-ac') this.onBatteryPower = event === 'on-battery';
    if (event === 'lock-screen' || event === 'unlock-screen')
      this.#locked = event === 'lock-screen';
    this.emit(event, {});
  }

  /** Sets for how long the computer has been idle. */
  setIdleSeconds(seconds: number): void {
    this.#idleSeconds = seconds;
  }
}

/** The export `powerMonitor`. */
export const powerMonitor = new PowerMonitor();

let lastBlocker = 0;

/** The export `powerSaveBlocker`. */
export const powerSaveBlocker = strictModule('powerSaveBlocker', {
  start(type: string): number {
    lastBlocker += 1;
    records.powerBlockers.set(lastBlocker, type);
    return lastBlocker;
  },
  stop: (id: number): boolean => records.powerBlockers.delete(id),
  isStarted: (id: number): boolean => records.powerBlockers.has(id),
} satisfies Partial<PowerSaveBlocker>);
