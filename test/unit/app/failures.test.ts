/** Failures of the program itself: how often it restarts, and with which message; and notices that stay dismissed. */
import { expect, test, vi } from 'vitest';

vi.mock('electron', () => ({ app: {}, dialog: {} }));

const { afterFailure, noticeFailure, restartArguments } =
  await import('../../../main/app/system/failures.ts');
const { createNotices } = await import('../../../main/app/window/notices.ts');

const MINUTE = 60_000;

test('it starts again three times in ten minutes, and not a fourth time', () => {
  let at: readonly number[] = [];
  const again: boolean[] = [];
  for (const now of [100, 101, 102, 103].map((minute) => minute * MINUTE)) {
    const after = afterFailure(at, now);
    at = after.at;
    again.push(after.mayRestart);
  }
  expect(again).toEqual([true, true, true, false]);
  expect(at).toHaveLength(3);
  expect(afterFailure(at, 112 * MINUTE).mayRestart).toBe(true);
  // A clock that was set back must not prevent restarts forever.
  expect(afterFailure(at, 50 * MINUTE)).toEqual({ mayRestart: true, at: [50 * MINUTE] });
});

test('a program whose window was away comes back without one', () => {
  expect(restartArguments(['/bin/sluice', '--hidden', '--x=1'], true)).toEqual(['--x=1']);
  expect(restartArguments(['/bin/sluice', '--x=1'], false)).toEqual(['--x=1', '--hidden']);
});

test('a failure is reported once', async () => {
  let failures = { at: [1], told: false };
  const said: string[] = [];
  const file = {
    read: () => ({ failures }),
    write: (change: { failures?: typeof failures }) => (failures = change.failures ?? failures),
  };
  for (let start = 0; start < 2; start += 1) {
    Reflect.apply(noticeFailure, undefined, [file, (id: string) => said.push(id)]);
  }
  expect(said).toEqual(['failed']);
  expect(failures).toEqual({ at: [1], told: true });
});

test('a permanent notice that was dismissed stays away after restarts, and comes back when it applies again', () => {
  let kept: string[] = [];
  const start = (): ReturnType<typeof createNotices> =>
    createNotices({
      read: () => ({ putAway: kept }),
      write: ({ putAway }) => (kept = putAway),
    });
  const first = start();
  first.add('once', 'words');
  first.addWhile(true, 'open', 'words');
  first.addWhile(true, 'open', 'words');
  expect(first.all().map(({ id }) => id)).toEqual(['once', 'open']);
  first.dismiss('once');
  first.dismiss('open');
  first.addWhile(true, 'open', 'words');
  expect([first.all(), kept]).toEqual([[], ['open']]);

  const second = start();
  second.addWhile(true, 'open', 'words');
  expect(second.all()).toEqual([]);
  second.addWhile(false, 'open', 'words');
  expect(kept).toEqual([]);
  second.addWhile(true, 'open', 'words');
  expect(second.all()).toEqual([{ id: 'open', text: 'words' }]);
  // It was not dismissed: it disappears when it no longer applies, and nothing is stored.
  second.addWhile(false, 'open', 'words');
  expect([second.all(), kept]).toEqual([[], []]);
});
