import { expect, test } from 'vitest';
import { createOutput } from '../../../../main/cli/terminal/output.ts';
import { createUploadReporter } from '../../../../main/cli/terminal/progress.ts';
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
function reporting(json: boolean): (progress: OneShotProgress) => string {
  let said = '';
  const sink = { write: (text: string) => void (said += text), isTTY: false, columns: () => 80 };
  const shown = { json, quiet: false, verbose: false };
  let now = 0;
  // People's text does not go where the events go.
  const silent = { ...sink, write: () => undefined };
  const report = createUploadReporter(
    createOutput(shown, sink, json ? silent : sink, () => now),
    () => now,
  );
  return (progress) => {
    now += 10_000;
    report(progress);
    return said.trim().split('\n').at(-1) ?? '';
  };
}

test('an upload that is paused says so, and how it continues', () => {
  const report = reporting(false);
  expect(report({ ...PROGRESS, pausedBy: () => 'batch' })).toContain(
    '4 of 10 confirmed · paused; to continue: sluice resume --batch ID',
  );
  expect(report(PROGRESS)).not.toContain('paused');
});

test('what was sent without a clear answer is told apart from what waits for its confirmation', () => {
  const report = reporting(false);
  const tally = { ...PROGRESS.tally, sent: 3, unanswered: 1 };
  expect(report({ ...PROGRESS, tally })).toContain(
    '4 of 10 confirmed · 2 sent, waiting for the service · 1 sent without a clear answer: checked for some minutes before anything is sent again',
  );
  expect(report({ ...PROGRESS, tally: { ...tally, sent: 1 } })).not.toContain('waiting for');
});

test.each([
  ['a pause', 'all', null, 'paused'],
  ['an error', null, sluiceError('net.offline'), 'net.offline'],
  ['nothing', null, null, null],
] as const)(
  'as an event, an upload says that it waits for %s',
  (_, paused, blockedBy, expected) => {
    const line = reporting(true)({ ...PROGRESS, blockedBy, pausedBy: () => paused });
    expect(JSON.parse(line)).toMatchObject({ event: 'progress', waitsFor: expected });
  },
);
