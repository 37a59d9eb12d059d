import { expect, test } from 'vitest';
import { keepRunning } from '../../../../main/cli/run/keepRunning.ts';
import { createOutput } from '../../../../main/cli/terminal/output.ts';
import { fail, ok } from '../../../../main/engine/core/errors.ts';
import type {
  ErrorCode,
  ErrorContext,
  Result,
  SluiceError,
} from '../../../../preload/contract/errors.ts';
import { createVirtualClock } from '../../engine/pipeline/virtualClock.ts';

type Failed = readonly [code: ErrorCode, context: ErrorContext];

interface Scene {
  readonly end: Promise<Result<number>>;
  readonly stop: AbortController;
  readonly clock: ReturnType<typeof createVirtualClock>;
  /** The codes that it noted. */
  readonly noted: readonly ErrorCode[];
  runs(): number;
  output(): string;
}

/** A long-running command whose runs end one after the other with these codes; null for a normal end. */
function standing(ends: readonly (ErrorCode | Failed | null)[]): Scene {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const texts: string[] = [];
  const sink = { write: (text: string) => texts.push(text), isTTY: false, columns: () => 80 };
  const output = createOutput({ json: false, quiet: false, verbose: false }, sink, sink, clock.now);
  let runs = 0;
  const noted: ErrorCode[] = [];
  const note = { pause: (error: SluiceError) => noted.push(error.code) };
  const run = (): Promise<Result<number>> => {
    const failed = ends[runs] ?? null;
    runs += 1;
    if (failed === null) return Promise.resolve(ok(0));
    return Promise.resolve(typeof failed === 'string' ? fail(failed) : fail(...failed));
  };
  const end = keepRunning({ signal: stop.signal, output, clock }, run, note);
  return { end, stop, clock, noted, runs: () => runs, output: () => texts.join('') };
}

test('a full disk is waited out, reported once, and tried every ten seconds', async () => {
  const scene = standing(['disk.full', 'disk.full', 'disk.failed', null]);
  await scene.clock.advance(10_000);
  expect(scene.runs()).toBe(2);
  await scene.clock.advance(20_000);
  expect(await scene.end).toEqual(ok(0));
  expect(scene.output().match(/disk is full/g)).toHaveLength(1);
  expect(scene.output().match(/Reading from or writing to the disk failed/g)).toHaveLength(1);
  expect(scene.noted).toEqual(['disk.full', 'disk.full', 'disk.failed']);
});

test('the file of the key may be gone for a moment while a valid key is waited for, not before', async () => {
  const gone = { said: 'the key file cannot be read', keyFile: true };
  const scene = standing(['auth.rejected', ['usage.invalid', gone], null]);
  await scene.clock.advance(20_000);
  expect(await scene.end).toEqual(ok(0));
  expect(scene.noted).toEqual(['auth.rejected', 'usage.invalid']);
  expect(await standing([['usage.invalid', gone]]).end).toMatchObject({ ok: false });
});

test('a program that takes the folder between two tries is waited out, too, and speaks for itself', async () => {
  const scene = standing(['auth.rejected', 'store.owned', 'store.owned', null]);
  await scene.clock.advance(30_000);
  expect(await scene.end).toEqual(ok(0));
  expect(scene.noted).toEqual(['auth.rejected']);
  expect(scene.output().match(/Another Sluice/g)).toHaveLength(1);
});

test('the first request to end ends the wait', async () => {
  const scene = standing(['disk.full']);
  await scene.clock.advance(5_000);
  scene.stop.abort();
  expect(await scene.end).toMatchObject({ ok: false, error: { code: 'disk.full' } });
  expect(scene.runs()).toBe(1);
});

test.each(['usage.invalid', 'store.owned', 'bug.unexpected', 'service.notFound'] as const)(
  '%s at the start ends it',
  async (code) => {
    expect(await standing([code]).end).toMatchObject({ error: { code } });
  },
);

test.each(['network.lost', 'network.intercepted', 'auth.rejected', 'service.busy'] as const)(
  '%s is waited out from the first moment on',
  async (code) => {
    const scene = standing([code, code, null]);
    await scene.clock.advance(20_000);
    expect(await scene.end).toEqual(ok(0));
    expect(scene.output().match(/Trying again every 10 seconds/g)).toHaveLength(1);
  },
);
