import { describe, expect, it } from 'vitest';
import { createHints } from '../../../../main/engine/core/hints.ts';
import { createVirtualClock, settle } from '../pipeline/virtualClock.ts';

const NEVER = new AbortController().signal;
const job = (jobId: string) => ({ kind: 'job', batchId: null, jobId }) as const;

/** Whether a promise has resolved by now. */
async function isOver(work: Promise<void>): Promise<boolean> {
  let over = false;
  void work.then(() => {
    over = true;
  });
  await settle();
  return over;
}

describe('a bell', () => {
  it('ends a wait when its job is hinted at, and only then', async () => {
    const hints = createHints(createVirtualClock());
    const wait = hints.bellFor('job-1').sleep(1000, NEVER);
    hints.note(job('job-2'));
    expect(await isOver(wait)).toBe(false);
    hints.note(job('job-1'));
    expect(await isOver(wait)).toBe(true);
  });

  it('does not lose a hint that comes between two waits', async () => {
    const hints = createHints(createVirtualClock());
    const bell = hints.bellFor('job-1');
    hints.note(job('job-1'));
    expect(await isOver(bell.sleep(1000, NEVER))).toBe(true);
    expect(await isOver(bell.sleep(1000, NEVER))).toBe(false);
  });

  it('lets time and its caller end a wait', async () => {
    const clock = createVirtualClock();
    const bell = createHints(clock).bellFor('job-1');
    const wait = bell.sleep(1000, NEVER);
    await clock.advance(1000);
    expect(await isOver(wait)).toBe(true);
    const stop = new AbortController();
    const stopped = bell.sleep(1000, stop.signal);
    stop.abort();
    expect(await isOver(stopped)).toBe(true);
  });
});

it('hints arrive until none came for half an hour', async () => {
  const clock = createVirtualClock();
  const hints = createHints(clock);
  expect(hints.arrive()).toBe(false);
  hints.note({ kind: 'files', batchId: 'b1', jobId: null });
  await clock.advance(29 * 60_000);
  expect(hints.arrive()).toBe(true);
  await clock.advance(60_000);
  expect(hints.arrive()).toBe(false);
});
