/** The service's clock: real time by default, driven by a test when manual; `advance` moves either of them forward. */

/** A scheduled action; when a test advances the clock, the clock waits for it. */
type Due = () => void | Promise<void>;

interface Appointment {
  readonly at: number;
  readonly order: number;
  readonly due: Due;
}

export interface ServiceClock {
  /** Epoch ms. */
  now(): number;
  /** Calls back once after the time has passed on this clock. Failures are kept for `settled`. */
  after(ms: number, due: Due): void;
  /** Resolves after the time has passed on this clock. */
  wait(ms: number): Promise<void>;
  /** Moves time forward, runs everything that falls due in order, and waits for it. */
  advance(ms: number): Promise<void>;
  /** Resolves when no due action is still running; throws their failures. */
  settled(): Promise<void>;
  /** Drops all scheduled actions. */
  stop(): void;
}

export type ClockMode = 'real' | 'manual';

/** Longest timer that Node supports, ms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Creates a clock, which is `skewMs` ahead of this computer's. A manual one starts at `startAt` (by default the skewed time of this
 * computer) and stands still until a test advances it.
 */
export function createClock(mode: ClockMode, startAt?: number, skewMs = 0): ServiceClock {
  const startedAt = startAt ?? Date.now() + skewMs;
  let appointments: Appointment[] = [];
  let counter = 0;
  let shiftMs = 0;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];

  const now = (): number => (mode === 'real' ? Date.now() + skewMs : startedAt) + shiftMs;

  const start = (due: Due): Promise<void> => {
    const work = (async () => due())().catch((problem: unknown) => {
      failures.push(problem);
    });
    underWay.add(work);
    return work.finally(() => underWay.delete(work));
  };

  const takeDue = (until: number): Appointment | null => {
    const first = appointments[0];
    if (first === undefined || first.at > until) return null;
    appointments.shift();
    return first;
  };

  const arm = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const first = appointments[0];
    if (mode === 'manual' || stopped || first === undefined) return;
    timer = setTimeout(ring, Math.min(LONGEST_TIMER_MS, Math.max(0, first.at - now())));
    timer.unref();
  };

  function ring(): void {
    for (let next = takeDue(now()); next !== null; next = takeDue(now())) void start(next.due);
    arm();
  }

  const after = (ms: number, due: Due): void => {
    if (stopped) return;
    counter += 1;
    const appointment = { at: now() + ms, order: counter, due };
    let place = appointments.length;
    while (place > 0) {
      const before = appointments[place - 1];
      if (before === undefined || before.at <= appointment.at) break;
      place -= 1;
    }
    appointments.splice(place, 0, appointment);
    if (place === 0) arm();
  };

  const settled = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay);
    if (failures.length > 0) throw failures.shift();
  };

  const advance = async (ms: number): Promise<void> => {
    const target = now() + ms;
    for (let next = takeDue(target); next !== null; next = takeDue(target)) {
      shiftMs += Math.max(0, next.at - now());
      await start(next.due);
    }
    shiftMs += Math.max(0, target - now());
    arm();
    await settled();
  };

  return {
    now,
    after,
    wait: (ms) => new Promise((resolve) => after(ms, resolve)),
    advance,
    settled,
    stop: () => {
      stopped = true;
      appointments = [];
      arm();
    },
  };
}
