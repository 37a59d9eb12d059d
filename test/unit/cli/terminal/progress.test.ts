import { expect, test } from 'vitest';
import { createOutput, type Output } from '../../../../main/cli/terminal/output.ts';
import {
  createUploadReporter,
  createWatchReporter,
} from '../../../../main/cli/terminal/progress.ts';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import type { OneShotProgress } from '../../../../main/engine/uploads/oneShot.ts';

const COUNTS = {
  found: 10,
  confirmed: 4,
  skipped: 0,
  attention: 0,
  sent: 0,
  unanswered: 0,
  open: 6,
};
const PROGRESS: OneShotProgress = {
  tally: { ...COUNTS, queued: 6, confirmedBytes: 0, openBytes: 0 },
  scanned: true,
  sentBytes: 0,
  blockedBy: null,
  pausedBy: () => null,
  silentMs: 0,
};

/** Reports progress every ten seconds, and returns the last line that was written about it. */
function reportingOf<T>(
  createReporter: (output: Output, now: () => number) => (progress: T) => void,
  json: boolean,
): (progress: T) => string {
  let said = '';
  const sink = { write: (text: string) => void (said += text), isTTY: false, columns: () => 80 };
  const shown = { json, quiet: false, verbose: false };
  let now = 0;
  // People's text does not go where the events go.
  const silent = { ...sink, write: () => undefined };
  const report = createReporter(
    createOutput(shown, sink, json ? silent : sink, () => now),
    () => now,
  );
  return (progress) => {
    now += 10_000;
    report(progress);
    return said.trim().split('\n').at(-1) ?? '';
  };
}

function reporting(json: boolean) {
  return reportingOf(createUploadReporter, json);
}

test('a watch shows what is still to be sent and what was sent, and says that it is paused', () => {
  const report = reportingOf(createWatchReporter, false);
  const rest = { settling: 0, notices: [], sentBytes: 0, blockedBy: null, silentMs: 0 };
  const moment = { ...rest, tally: { ...PROGRESS.tally, sent: 2 }, isPaused: false };
  expect(report(moment)).toBe('4 of 10 confirmed · 4 to send · 2 sent, waiting for the service');
  expect(report({ ...moment, isPaused: true })).toContain(' · paused; to continue: sluice resume');
  const tally = { ...moment.tally, sent: 6 };
  expect(report({ ...moment, tally, isPaused: true })).not.toMatch(/to send|paused/);
  const done = { ...tally, confirmed: 8, skipped: 2, open: 0, sent: 0 };
  expect(report({ ...moment, tally: done })).toBe('8 of 10 confirmed · 2 skipped');
  const none = { ...moment, tally: { ...tally, found: 0, confirmed: 0, open: 0, sent: 0 } };
  expect(report(none)).toBe('no files yet');
});

test('a watch says once what keeps it', () => {
  const said: string[] = [];
  const sink = { write: (text: string) => void said.push(text), isTTY: false, columns: () => 80 };
  const shown = { json: false, quiet: false, verbose: false };
  const output = createOutput(shown, sink, sink, () => 0);
  const report = createWatchReporter(output, () => 0);
  const rest = { settling: 0, sentBytes: 0, blockedBy: null, silentMs: 0, isPaused: false };
  const moment = { ...rest, tally: PROGRESS.tally };
  for (const notices of [['a: away'], ['a: away', 'b: away'], ['b: away'], ['a: away']])
    report({ ...moment, notices });
  expect(said.filter((text) => text.includes('away'))).toEqual([
    'a: away\n',
    'b: away\n',
    'a: away\n',
  ]);
});

test('an upload that is paused says so, and how it continues', () => {
  const report = reporting(false);
  expect(report({ ...PROGRESS, pausedBy: () => 'batch' })).toContain(
    '4 of 10 confirmed · paused; to continue: sluice resume --batch ID',
  );
  expect(report(PROGRESS)).not.toContain('paused');
});

test('an upload that cannot move says what to do', () => {
  const blockedBy = sluiceError('service.notFound', { said: 'no such workspace' });
  expect(reporting(false)({ ...PROGRESS, blockedBy })).toMatch(
    / · The service does not know this \(no such workspace\)\. Check the id and the workspace\.$/,
  );
});

test('what was sent without a clear answer is not counted as waiting for its confirmation', () => {
  const report = reporting(false);
  const tally = { ...PROGRESS.tally, sent: 3, unanswered: 1 };
  expect(report({ ...PROGRESS, tally })).toContain(
    '4 of 10 confirmed · 2 sent, waiting for the service · 1 sent without a clear answer: checked for some minutes before anything is sent again',
  );
  expect(report({ ...PROGRESS, tally: { ...tally, sent: 1 } })).not.toContain('waiting for');
});

test('what was sent and is not listed for long says since when, and what comes next', () => {
  const report = reporting(false);
  const sent = { ...PROGRESS, tally: { ...PROGRESS.tally, sent: 1 } };
  const next = 'Sluice keeps looking, and sends again only what proves to be missing';
  /** The line after this time without news. */
  const later = (progress: OneShotProgress, seconds: number): string =>
    Array.from({ length: seconds / 10 }, () => report(progress)).at(-1) ?? '';
  later(PROGRESS, 600);
  // Before it was sent, nothing waited for the service.
  expect(later(sent, 20)).toMatch(/1 sent, waiting for the service · 5 to send$/);
  expect(later(sent, 10)).toContain(
    `4 of 10 confirmed · 1 sent, waiting for the service: nothing confirmed for 30 s; ${next}`,
  );
  expect(later(sent, 150)).toContain(`nothing confirmed for 3 min; ${next}`);
  // Another file is confirmed: the service lists what it takes.
  const moved = { ...sent, tally: { ...sent.tally, confirmed: 5 } };
  expect(later(moved, 30)).toMatch(/1 sent, waiting for the service · 5 to send$/);
  const doubtful = { ...moved, tally: { ...moved.tally, unanswered: 1 } };
  expect(later(doubtful, 60)).not.toContain('nothing confirmed');
  expect(later(moved, 10)).not.toContain('nothing confirmed');
});

test.each([
  ['a pause', 'all', null, 6, 'paused'],
  ['an error', null, sluiceError('net.offline'), 6, 'net.offline'],
  ['what was sent without an answer', null, null, 6, 'service.noAnswer'],
  ['nothing', null, null, 5, null],
] as const)(
  'as an event, an upload says that it waits for %s',
  (_, paused, blockedBy, unanswered, expected) => {
    const tally = { ...PROGRESS.tally, sent: 6, unanswered };
    const line = reporting(true)({ ...PROGRESS, tally, blockedBy, pausedBy: () => paused });
    expect(JSON.parse(line)).toMatchObject({ event: 'progress', waitsFor: expected });
  },
);

test.each([
  [1, '1 needs attention'],
  [2, '2 need attention'],
])('%i that needs attention is reported in correct English', (attention, said) => {
  const report = reportingOf(createUploadReporter, false);
  const tally = { ...PROGRESS.tally, attention };
  expect(report({ ...PROGRESS, tally })).toContain(said);
});
