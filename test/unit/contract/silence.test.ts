import { describe, expect, it } from 'vitest';
import {
  jobQuietMs,
  type JobTimes,
  silences,
  silenceText,
  type StageTimes,
} from '../../../preload/contract/silence.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const ago = (minutes: number): number => NOW - minutes * MINUTE;

function view(
  state: JobTimes['state'],
  updatedAt: number,
  stages: readonly StageTimes[] = [],
): JobTimes {
  return { jobId: 'job-1', state, createdAt: ago(600), updatedAt, stages };
}

function stage(name: string, eventAt: number, tasks: StageTimes['tasks'] = []): StageTimes {
  return { name, status: 'running', startedAt: ago(300), eventAt, tasks };
}

const task = (taskId: string, eventAt: number, progressFraction: number | null = 0.5) =>
  ({ taskId, status: 'running', progressFraction, eventAt }) as const;

describe('a job', () => {
  it('is silent from twelve minutes on', () => {
    expect(silences(view('running', ago(11.9)), NOW)).toEqual([]);
    expect(silences(view('running', ago(12)), NOW)).toEqual([
      { what: 'job', name: 'job-1', silentMs: 12 * MINUTE },
    ]);
  });

  it('speaks through its stages and tasks', () => {
    expect(jobQuietMs(view('running', ago(60), [stage('export', ago(3))]), NOW)).toBe(3 * MINUTE);
    const tasks = [task('t1', ago(1))];
    expect(jobQuietMs(view('running', ago(60), [stage('export', ago(50), tasks)]), NOW)).toBe(
      MINUTE,
    );
  });

  it('that has ended is not expected to speak', () => {
    for (const state of ['succeeded', 'failed'] as const) {
      expect(silences(view(state, ago(500)), NOW)).toEqual([]);
    }
  });

  it('whose service is ahead of our clock has just spoken', () => {
    expect(jobQuietMs(view('running', ago(-30)), NOW)).toBe(0);
  });

  it('that states no times is not called silent', () => {
    const unknown = { ...view('running', 0), createdAt: 0 };
    expect(silences(unknown, NOW)).toEqual([]);
  });
});

describe('its parts', () => {
  it('fall silent one by one', () => {
    const stages = [
      stage('processing', ago(90), [task('t1', ago(40)), task('t2', ago(13), null)]),
      stage('export', ago(2), [task('t3', ago(2))]),
    ];
    expect(silences(view('running', ago(1), stages), NOW)).toEqual([
      { what: 'stage', name: 'processing', silentMs: 13 * MINUTE },
      { what: 'task', name: 't1', silentMs: 40 * MINUTE },
    ]);
  });

  it('that have ended are not asked', () => {
    const done = { ...stage('processing', ago(90)), status: 'succeeded' } as const;
    expect(silences(view('running', ago(1), [done]), NOW)).toEqual([]);
  });
});

it.each([
  [12 * MINUTE, 'no news for 12 min'],
  [90 * MINUTE, 'no news for 90 min'],
  [119.9 * MINUTE, 'no news for 119 min'],
  [120 * MINUTE, 'no news for 2 h'],
  [47 * 60 * MINUTE, 'no news for 47 h'],
  [72 * 60 * MINUTE, 'no news for 3 days'],
  [MINUTE, 'no news for 1 min'],
])('%d ms read as "%s"', (ms, text) => {
  expect(silenceText(ms)).toBe(text);
});
