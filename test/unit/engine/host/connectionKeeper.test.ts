/** Runners of a host: one per connection, even with concurrent requests, and again after the disk was full. */
import { expect, test } from 'vitest';
import { sluiceError, SluiceFailure } from '../../../../main/engine/core/errors.ts';
import {
  createConnectionKeeper,
  type ConnectionKeeper,
} from '../../../../main/engine/host/connectionKeeper.ts';
import { createManualClock, type ManualClock } from '../../../helpers/manualClock.ts';

interface FakeLine {
  readonly key: string;
  running: boolean;
  broke(thrown: unknown): void;
  stop(): Promise<void>;
}

interface Scene {
  readonly keeper: ConnectionKeeper<FakeLine>;
  readonly clock: ManualClock;
  readonly made: readonly FakeLine[];
  readonly stopping: AbortController;
  running(): readonly string[];
  failNext(error: unknown): void;
}

/** Lets everything run that does not wait for time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

function scene(): Scene {
  const clock = createManualClock();
  const stopping = new AbortController();
  const made: FakeLine[] = [];
  let failing: unknown = null;
  const keeper = createConnectionKeeper<FakeLine>({
    clock,
    signal: stopping.signal,
    log: { write: () => undefined },
    make: (_id, key, broke) => {
      if (failing !== null) {
        const thrown = failing;
        failing = null;
        throw thrown instanceof Error ? thrown : new Error(String(thrown));
      }
      const line: FakeLine = {
        key,
        broke,
        running: true,
        stop: async () => {
          // Stopping takes a while: requests end, workers close.
          await settle();
          line.running = false;
        },
      };
      made.push(line);
      return line;
    },
  });
  return {
    keeper,
    clock,
    made,
    stopping,
    running: () => made.filter((line) => line.running).map(({ key }) => key),
    failNext: (error) => (failing = error),
  };
}

const full = (): SluiceFailure => new SluiceFailure(sluiceError('disk.full'));

test('two concurrent starts give one runner, the later one', async () => {
  const { keeper, running } = scene();
  await Promise.all([keeper.start(1, 'a'), keeper.start(1, 'b'), keeper.start(2, 'c')]);
  expect(running().toSorted()).toEqual(['b', 'c']);
  expect(keeper.get(1)?.key).toBe('b');
  await Promise.all([keeper.start(1, 'd'), keeper.end(1)]);
  expect(running()).toEqual(['c']);
});

test('a connection that broke on the disk starts again, also when the disk is full for longer', async () => {
  const { keeper, clock, running, failNext } = scene();
  await keeper.start(1, 'a');
  keeper.get(1)?.broke(full());
  await settle();
  await settle();
  expect(running()).toEqual([]);
  expect(keeper.failure()?.code).toBe('disk.full');
  failNext(full());
  clock.advance(10_000);
  await settle();
  expect(running()).toEqual([]);
  clock.advance(10_000);
  await settle();
  expect(running()).toEqual(['a']);
  expect(keeper.failure()).toBeNull();
});

test('a connection that broke for a bug stays off and says so', async () => {
  const { keeper, clock, running } = scene();
  await keeper.start(1, 'a');
  keeper.get(1)?.broke(new Error('a bug'));
  await settle();
  await settle();
  clock.advance(60_000);
  await settle();
  expect(running()).toEqual([]);
  expect(keeper.failure()?.code).toBe('bug.unexpected');
});

test('what a person starts or ends meanwhile is not undone', async () => {
  const { keeper, clock, running } = scene();
  await keeper.start(1, 'old');
  await keeper.start(2, 'other');
  keeper.get(1)?.broke(full());
  keeper.get(2)?.broke(full());
  await keeper.start(1, 'new');
  await keeper.end(2);
  await settle();
  clock.advance(30_000);
  await settle();
  expect(running()).toEqual(['new']);
});

test('nothing starts once the host stops', async () => {
  const { keeper, clock, running, stopping } = scene();
  await keeper.start(1, 'a');
  keeper.get(1)?.broke(full());
  await settle();
  stopping.abort();
  await keeper.stop();
  await keeper.start(1, 'a');
  clock.advance(30_000);
  await settle();
  expect(running()).toEqual([]);
});
