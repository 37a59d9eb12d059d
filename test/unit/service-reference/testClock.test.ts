import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClock } from '../../service/testClock.ts';

describe('a manual clock', () => {
  test('stands still until it is advanced', async () => {
    const clock = createClock('manual', 1000);
    const seen: number[] = [];
    clock.after(10, () => void seen.push(clock.now()));
    clock.after(5, () => void seen.push(clock.now()));
    clock.after(5, () => void seen.push(-1));
    expect(clock.now()).toBe(1000);
    await clock.advance(9);
    expect([seen, clock.now()]).toEqual([[1005, -1], 1009]);
    await clock.advance(1);
    expect(seen).toEqual([1005, -1, 1010]);
  });

  test('waits for what it sets off, and for what that sets off within the time', async () => {
    const clock = createClock('manual', 0);
    const seen: string[] = [];
    clock.after(1, async () => {
      await Promise.resolve();
      seen.push('first');
      clock.after(1, () => void seen.push('second'));
      clock.after(100, () => void seen.push('too late'));
    });
    await clock.advance(10);
    expect(seen).toEqual(['first', 'second']);
  });

  test('hands failures to the caller that advances it', async () => {
    const clock = createClock('manual', 0);
    clock.after(1, () => {
      throw new Error('broken');
    });
    await expect(clock.advance(1)).rejects.toThrow('broken');
    await clock.settled();
  });

  test('forgets everything when stopped', async () => {
    const clock = createClock('manual', 0);
    const due = vi.fn();
    clock.after(1, due);
    clock.stop();
    clock.after(1, due);
    await clock.advance(10);
    expect(due).not.toHaveBeenCalled();
  });
});

describe('a real clock', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
  afterEach(() => void vi.useRealTimers());

  test('runs by itself, in order', async () => {
    const clock = createClock('real');
    const seen: string[] = [];
    clock.after(20, () => void seen.push('later'));
    clock.after(10, () => void seen.push('sooner'));
    await vi.advanceTimersByTimeAsync(10);
    expect(seen).toEqual(['sooner']);
    await vi.advanceTimersByTimeAsync(10);
    expect(seen).toEqual(['sooner', 'later']);
  });

  test('can be moved ahead', async () => {
    const clock = createClock('real');
    const due = vi.fn();
    clock.after(7 * 24 * 3600 * 1000, due);
    await clock.advance(7 * 24 * 3600 * 1000);
    expect(due).toHaveBeenCalledOnce();
    expect(clock.now()).toBe(1000 + 7 * 24 * 3600 * 1000);
  });
});
