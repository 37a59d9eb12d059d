/** Where the bars of a job's timeline are, and which tasks count as silent. */
import { describe, expect, it } from 'vitest';
import { laneFigures, stackOf } from '../../../renderer/views/jobs/jobLane.ts';
import {
  jobSilenceMs,
  type JobTimes,
  silenceText,
  taskSilenceMs,
} from '../../../preload/contract/silence.ts';
import { axisWords, ticksOf, timelineOf } from '../../../renderer/views/jobs/jobTimeline.ts';
import { MINUTE, stage, START, task } from './records.ts';

describe('the time line', () => {
  it('puts a finished task from the start of its stage to its last word', () => {
    const ended = task('t', { status: 'succeeded', eventAt: START + 5 * MINUTE });
    const line = timelineOf([stage([ended])], START + 10 * MINUTE);
    const bar = line.lanes[0]?.bars[0];
    expect(bar).toMatchObject({ state: 'succeeded', x: 0, width: 0.5, tailWidth: 0 });
  });

  it('draws the silence of a running task from its last word to now', () => {
    const line = timelineOf(
      [stage([task('t', { eventAt: START + 5 * MINUTE })])],
      START + 20 * MINUTE,
    );
    const bar = line.lanes[0]?.bars[0];
    expect(bar).toMatchObject({ state: 'silent', silentMs: 15 * MINUTE, width: 0.25 });
    expect(bar?.tailWidth).toBeCloseTo(0.75);
  });

  it('shows the silent first, then the failed, then the running, then the done', () => {
    const now = START + 30 * MINUTE;
    const tasks = [
      task('done', { status: 'succeeded' }),
      task('runs', { eventAt: now }),
      task('failed', { status: 'failed' }),
      task('silent', { eventAt: START }),
    ];
    const order = timelineOf([stage(tasks)], now).lanes[0]?.bars.map((bar) => bar.task.taskId);
    expect(order).toEqual(['silent', 'failed', 'runs', 'done']);
  });

  it('counts a task without progress, and one not registered, as waiting', () => {
    const waits = task('waits', { progressFraction: null });
    const lane = timelineOf([stage([waits, task('runs')], { tasksNumber: 5 })], START).lanes[0];
    expect(lane).toMatchObject({ waiting: 4, running: 1, leftOut: 0 });
    expect(lane?.bars).toHaveLength(1);
  });

  it('has nobody waiting in a stage that has ended', () => {
    const ended = stage([], { tasksNumber: 4, status: 'succeeded' });
    expect(timelineOf([ended], START).lanes[0]).toMatchObject({ waiting: 0 });
  });

  it('does not guess who waits when the list of tasks was cut', () => {
    const tasks = Array.from({ length: 500 }, (_, index) => task(`t-${index}`));
    const lane = timelineOf([stage(tasks, { tasksNumber: 20_000 })], START).lanes[0];
    expect(lane).toMatchObject({ waiting: 0, leftOut: 19_500 });
  });

  it('does not count a task as done when the service has a word of its own for it', () => {
    const [lane] = timelineOf([stage([task('t', { status: 'unknown' })])], START).lanes;
    expect(lane).toMatchObject({ done: 0, failed: 0, running: 0 });
    expect(lane === undefined ? '' : laneFigures(lane)).toBe('1 task: 1 unknown');
  });

  it('stays within the picture for a clock that is ahead, events before the start and no times', () => {
    const tasks = [
      task('ahead', { eventAt: START + 999 * MINUTE }),
      task('before', { eventAt: START - 999 * MINUTE }),
      task('never', { eventAt: 0 }),
      task('broken', { eventAt: Number.NaN }),
    ];
    const stages = [
      stage(tasks),
      stage([task('x')], { stageId: 'st-2', startedAt: 0, eventAt: 0 }),
    ];
    for (const lane of timelineOf(stages, START).lanes) {
      for (const bar of lane.bars) {
        expect(bar.x).toBeGreaterThanOrEqual(0);
        expect(bar.width).toBeGreaterThanOrEqual(0);
        expect(bar.x + bar.width + bar.tailWidth).toBeLessThanOrEqual(1 + 1e-9);
      }
    }
  });

  it('is an empty axis without stages', () => {
    const line = timelineOf([], START);
    expect(line.lanes).toEqual([]);
    expect(line.until).toBeGreaterThan(line.from);
  });
});

describe('the axis', () => {
  it.each([10_000, 45 * MINUTE, 7 * 60 * MINUTE, 9 * 86_400_000, 4000 * 86_400_000])(
    'has few marks at round times over %d ms',
    (span) => {
      const ticks = ticksOf(span);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect(ticks[0]).toEqual({ x: 0, afterMs: 0 });
      expect(ticks.every(({ x }) => x <= 1)).toBe(true);
    },
  );

  it('says times short', () => {
    expect(
      [0, 30_000, 5 * MINUTE, 60 * MINUTE, 90 * MINUTE, 2 * 86_400_000].map(axisWords),
    ).toEqual(['0 s', '30 s', '5 min', '1 h', '1 h 30 min', '2 d']);
  });
});

function times(stages: JobTimes['stages'], state: JobTimes['state']): JobTimes {
  return { jobId: 'j', state, createdAt: START, updatedAt: START, stages };
}

describe('silence', () => {
  it('begins at twelve minutes and not before', () => {
    const one = task('t', { eventAt: START });
    expect(taskSilenceMs(one, START + 12 * MINUTE - 1)).toBeNull();
    expect(taskSilenceMs(one, START + 12 * MINUTE)).toBe(12 * MINUTE);
  });

  it('is not said of a task that waits for a machine or has ended', () => {
    const now = START + 99 * MINUTE;
    expect(taskSilenceMs(task('t', { progressFraction: null }), now)).toBeNull();
    expect(taskSilenceMs(task('t', { status: 'failed' }), now)).toBeNull();
  });

  it('of a job is broken by any of its tasks, and no matter once it ended', () => {
    const now = START + 60 * MINUTE;
    const speaks = stage([task('t', { eventAt: now - MINUTE })]);
    expect(jobSilenceMs(times([speaks], 'running'), now)).toBeNull();
    expect(jobSilenceMs(times([stage([])], 'running'), now)).toBe(59 * MINUTE);
    expect(jobSilenceMs(times([stage([])], 'succeeded'), now)).toBeNull();
  });

  it('has words for minutes, hours and days', () => {
    expect(silenceText(12 * MINUTE)).toBe('no news for 12 min');
    expect(silenceText(150 * MINUTE)).toBe('no news for 2 h');
    expect(silenceText(72 * 60 * MINUTE)).toBe('no news for 3 days');
  });
});

describe('a lane as it is drawn', () => {
  it('says its figures, and only those that are known and not zero', () => {
    const tasks = [task('a', { status: 'succeeded' }), task('b'), task('c', { status: 'failed' })];
    const [lane] = timelineOf([stage(tasks, { tasksNumber: 5 })], START + 2 * MINUTE).lanes;
    expect(lane === undefined ? '' : laneFigures(lane)).toBe(
      '5 tasks: 1 done · 1 running · 1 failed · 2 waiting',
    );
    const [empty] = timelineOf([stage([], { tasksNumber: 0 })], START).lanes;
    expect(empty === undefined ? '' : laneFigures(empty)).toBe('');
  });

  it('stands below each other without touching, thinner when there are many, higher when one is silent', () => {
    const few = stackOf([{ state: 'silent' }, { state: 'running' }, { state: 'succeeded' }]);
    const bottoms = few.places.map(({ top, height }) => top + height);
    expect(
      few.places.every(({ top }, index) => index === 0 || top > (bottoms[index - 1] ?? 0)),
    ).toBe(true);
    expect(few.tall).toBeGreaterThanOrEqual(bottoms[2] ?? Infinity);
    expect(few.places[0]?.height).toBeGreaterThan(few.thickness);
    const many = stackOf(Array.from({ length: 500 }, () => ({ state: 'running' }) as const));
    expect(many.thickness).toBeLessThan(few.thickness);
  });
});
