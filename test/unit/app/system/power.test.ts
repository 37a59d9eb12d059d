/** Sleep, battery and keeping awake: what the application does about them. */
import { beforeEach, expect, test, vi } from 'vitest';

const power = vi.hoisted(() => ({ onBattery: false, blockers: new Set<number>(), started: 0 }));
const { monitor } = await vi.hoisted(async () => {
  const { EventEmitter } = await import('node:events');
  return { monitor: new EventEmitter() };
});

vi.mock('electron', () => {
  const isOnBatteryPower = (): boolean => power.onBattery;
  return {
    powerMonitor: Object.assign(monitor, { isOnBatteryPower }),
    powerSaveBlocker: {
      start: () => {
        power.started += 1;
        power.blockers.add(power.started);
        return power.started;
      },
      stop: (id: number) => power.blockers.delete(id),
    },
  };
});

const { managePower } = await import('../../../../main/app/system/power.ts');

const state = { paused: false, busy: false, held: false };
const done: string[] = [];
const settings = { keepAwake: true, pauseOnBattery: false };
const host = {
  paused: () => state.paused,
  busy: () => state.busy,
  onHold: () => state.held,
  setHold: (held: boolean) => {
    state.held = held;
    done.push(`hold ${String(held)}`);
  },
  rescan: () => void done.push('rescan'),
};

function start(): ReturnType<typeof managePower> {
  return managePower(
    host,
    () => settings,
    () => void done.push('sockets'),
    () => undefined,
  );
}

function happen(event: string): void {
  monitor.emit(event);
}

beforeEach(() => {
  Object.assign(state, { paused: false, busy: false, held: false });
  Object.assign(settings, { keepAwake: true, pauseOnBattery: false });
  power.onBattery = false;
  done.length = 0;
});

test('the computer is kept awake only while something is sent, and never while paused', () => {
  const conditions = start();
  conditions.apply();
  expect(power.blockers.size).toBe(0);
  state.busy = true;
  conditions.apply();
  conditions.apply();
  expect(power.blockers.size).toBe(1);
  state.paused = true;
  conditions.apply();
  expect(power.blockers.size).toBe(0);
  state.paused = false;
  settings.keepAwake = false;
  conditions.apply();
  expect(power.blockers.size).toBe(0);
  settings.keepAwake = true;
  conditions.apply();
  conditions.stop();
  expect(power.blockers.size).toBe(0);
});

test('after sleep the sockets are dropped before every directory is looked at again', () => {
  const conditions = start();
  happen('suspend');
  expect(done).toEqual([]);
  happen('resume');
  expect(done).toEqual(['sockets', 'rescan']);
  conditions.stop();
  happen('resume');
  expect(done).toHaveLength(2);
});

test('on battery everything waits if a person wants that, and continues when plugged in', () => {
  const conditions = start();
  power.onBattery = true;
  happen('on-battery');
  expect(done).toEqual([]);
  settings.pauseOnBattery = true;
  conditions.apply();
  conditions.apply();
  expect(done).toEqual(['hold true']);
  power.onBattery = false;
  happen('on-ac');
  expect(done).toEqual(['hold true', 'hold false']);
  power.onBattery = true;
  happen('resume');
  expect(done.slice(2)).toEqual(['sockets', 'hold true', 'rescan']);
  settings.pauseOnBattery = false;
  conditions.apply();
  expect(state.held).toBe(false);
  conditions.stop();
});
