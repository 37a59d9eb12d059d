import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paced } from '../../../../main/engine/core/paced.ts';
import { Bandwidth } from '../../../../main/engine/pipeline/bandwidth.ts';
import { createVirtualClock, settle, type VirtualClock } from './virtualClock.ts';

const NEVER = new AbortController().signal;
const WINDOW_MS = 10_000;

interface Passed {
  readonly at: number;
  readonly bytes: number;
}

/** Chunks of these sizes, over and over. */
async function* endless(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const chunks = sizes.map((size) => new Uint8Array(size));
  for (;;) yield* chunks;
}

/** A lane that takes all it can get, and records when it got how much. */
function drain(
  bandwidth: Bandwidth,
  clock: VirtualClock,
  sizes: readonly number[],
  signal: AbortSignal,
): Passed[] {
  const passed: Passed[] = [];
  const run = async (): Promise<void> => {
    for await (const slice of paced(bandwidth, endless(sizes), signal)) {
      passed.push({ at: clock.monotonicMs(), bytes: slice.length });
    }
  };
  run().catch(() => undefined);
  return passed;
}

function bytesBetween(passed: readonly Passed[], from: number, until: number): number {
  return passed.reduce((sum, one) => (one.at > from && one.at <= until ? sum + one.bytes : sum), 0);
}

/** The minimum and maximum that passed in any 10 s, as factors of the limit. */
function extremes(passed: readonly Passed[], cap: number, from: number, until: number): number[] {
  const rates: number[] = [];
  for (let start = from; start + WINDOW_MS <= until; start += 137) {
    rates.push(bytesBetween(passed, start, start + WINDOW_MS) / (cap * (WINDOW_MS / 1000)));
  }
  return [Math.min(...rates), Math.max(...rates)];
}

const sum = (passed: readonly Passed[]): number =>
  passed.reduce((total, { bytes }) => total + bytes, 0);

describe('a bound', () => {
  it('holds to 5 % over every 10 s, for odd chunks, several lanes and late timers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1000, max: 3_000_000 }),
        fc.array(fc.array(fc.integer({ min: 1, max: 1_048_576 }), { minLength: 1 }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.integer({ min: 0, max: 60 }),
        async (cap, lanes, lateMs) => {
          const clock = createVirtualClock(1_000_000, () => lateMs);
          const bandwidth = new Bandwidth(clock, () => cap);
          const over = new AbortController();
          // A lane with only single bytes would need a minute of steps: a larger chunk follows each run of them.
          const passed = lanes.map((sizes) =>
            drain(bandwidth, clock, [...sizes, 65_537], over.signal),
          );
          await clock.advance(24_000);
          over.abort();
          await settle();
          const [least, most] = extremes(passed.flat(), cap, 1_000_500, 1_024_000);
          expect(least).toBeGreaterThan(0.95);
          expect(most).toBeLessThan(1.05);
        },
      ),
      { numRuns: 12 },
    );
  }, 60_000);

  it('is shared fairly, whatever the chunks of the lanes are', async () => {
    const clock = createVirtualClock();
    const bandwidth = new Bandwidth(clock, () => 500_000);
    const over = new AbortController();
    const big = drain(bandwidth, clock, [1_048_576], over.signal);
    const odd = drain(bandwidth, clock, [65_537, 99_991], over.signal);
    await clock.advance(10_000);
    over.abort();
    expect(sum(big) / sum(odd)).toBeGreaterThan(0.9);
    expect(sum(big) / sum(odd)).toBeLessThan(1.1);
  });

  it('never releases more than a fiftieth of a second at once', async () => {
    const clock = createVirtualClock();
    const over = new AbortController();
    const passed = drain(new Bandwidth(clock, () => 1_000_000), clock, [1_048_576], over.signal);
    await clock.advance(5000);
    over.abort();
    expect(Math.max(...passed.map(({ bytes }) => bytes))).toBeLessThanOrEqual(20_000);
  });

  it('that changes applies within a second, also when it is removed', async () => {
    const clock = createVirtualClock();
    let cap: number | null = 1000;
    const bandwidth = new Bandwidth(clock, () => cap);
    const over = new AbortController();
    const passed = drain(bandwidth, clock, [1_048_576], over.signal);
    await clock.advance(5000);
    cap = 1_000_000;
    await clock.advance(1000);
    expect(bytesBetween(passed, 5500, 6000)).toBeGreaterThan(400_000);
    cap = 2000;
    await clock.advance(1000);
    const low = sum(passed);
    await clock.advance(10_000);
    expect(sum(passed) - low).toBeLessThan(21_000);
    expect(sum(passed) - low).toBeGreaterThan(19_000);
    over.abort();
  });
});

describe('waiting', () => {
  it('sleeps at most once per slice', async () => {
    const clock = createVirtualClock();
    const over = new AbortController();
    const passed = drain(new Bandwidth(clock, () => 100_000), clock, [1_048_576], over.signal);
    await clock.advance(10_000);
    over.abort();
    expect(clock.sleeps()).toBeLessThanOrEqual(passed.length + 1);
  });

  it('ends at once for a lane that is stopped, and the others get its share', async () => {
    const clock = createVirtualClock();
    const bandwidth = new Bandwidth(clock, () => 10_000);
    const [one, two] = [new AbortController(), new AbortController()];
    const stopped = drain(bandwidth, clock, [1000], one.signal);
    const other = drain(bandwidth, clock, [1000], two.signal);
    await clock.advance(5000);
    one.abort();
    const before = [sum(stopped), sum(other)] as const;
    await clock.advance(10_000);
    expect(sum(stopped)).toBe(before[0]);
    expect(sum(other) - before[1]).toBeGreaterThan(95_000);
    two.abort();
    await clock.advance(1000);
    expect(clock.sleeping()).toBe(0);
  });

  it('is not done for a lane that takes nothing', async () => {
    const clock = createVirtualClock();
    const bandwidth = new Bandwidth(clock, () => 10_000);
    const idle = paced(bandwidth, endless([1000]), NEVER)[Symbol.asyncIterator]();
    const first = idle.next();
    await clock.advance(1000);
    expect((await first).done).toBe(false);
    const over = new AbortController();
    const passed = drain(bandwidth, clock, [1000], over.signal);
    await clock.advance(10_000);
    expect(sum(passed)).toBeGreaterThan(95_000);
    over.abort();
  });

  it('that is stopped ends with an error, so that nothing cut off looks complete', async () => {
    const clock = createVirtualClock();
    const over = new AbortController();
    const bandwidth = new Bandwidth(clock, () => 1000);
    const chunks = paced(bandwidth, endless([5000]), over.signal);
    const reading = chunks[Symbol.asyncIterator]();
    let cut = reading.next();
    for (await settle(); clock.sleeping() === 0; await settle()) {
      await cut;
      cut = reading.next();
    }
    over.abort();
    await expect(cut).rejects.toMatchObject({ error: { code: 'network.lost' } });
  });
});

describe('without a bound', () => {
  it('chunks pass as they are, and nothing sleeps', async () => {
    const clock = createVirtualClock();
    const chunk = new Uint8Array(1_048_576);
    async function* one(): AsyncGenerator<Uint8Array> {
      yield chunk;
    }
    const got: Uint8Array[] = [];
    const bandwidth = new Bandwidth(clock, () => null);
    for await (const slice of paced(bandwidth, one(), NEVER)) {
      got.push(slice);
    }
    expect(got).toHaveLength(1);
    expect(got[0]).toBe(chunk);
    expect(clock.sleeps()).toBe(0);
  });

  it('the bytes are the same with a bound as without', async () => {
    const clock = createVirtualClock();
    const chunks = [1, 65_537, 300_001].map((size) =>
      new Uint8Array(size).map((_, at) => (at * 7 + size) % 251),
    );
    async function* all(): AsyncGenerator<Uint8Array> {
      yield* chunks;
    }
    const got: Uint8Array[] = [];
    const reading = (async () => {
      const bandwidth = new Bandwidth(clock, () => 200_000);
      for await (const slice of paced(bandwidth, all(), NEVER)) got.push(slice);
    })();
    await clock.advance(3000);
    await reading;
    expect(Buffer.concat(got).equals(Buffer.concat(chunks))).toBe(true);
  });
});
