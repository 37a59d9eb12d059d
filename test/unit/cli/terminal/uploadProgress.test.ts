import { expect, test } from 'vitest';
import { createOutput } from '../../../../main/cli/terminal/output.ts';
import { createUploadReporter } from '../../../../main/cli/terminal/progress.ts';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import type { OneShotProgress } from '../../../../main/engine/uploads/oneShot.ts';

test('an upload that is paused says so, and how it continues', () => {
  let said = '';
  const sink = { write: (text: string) => void (said += text), isTTY: false, columns: () => 80 };
  const shown = { json: false, quiet: false, verbose: false };
  let now = 0;
  const report = createUploadReporter(
    createOutput(shown, sink, sink, () => now),
    () => now,
  );
  const counts = { found: 10, confirmed: 4, skipped: 0, attention: 0, sent: 0, open: 6 };
  const progress: OneShotProgress = {
    tally: { ...counts, queued: 6, confirmedBytes: 0, openBytes: 0 },
    scanned: true,
    sentBytes: 0,
    blockedBy: null,
    pausedBy: () => 'batch',
    silentMs: 0,
  };
  now = 10_000;
  report(progress);
  expect(said).toContain('4 of 10 confirmed · paused; to continue: sluice resume --batch ID');
  now = 20_000;
  report({ ...progress, pausedBy: () => null });
  expect(said.trim().split('\n').at(-1)).not.toContain('paused');
});

test.each([
  ['a pause', 'all', null, 'paused'],
  ['an error', null, sluiceError('net.offline'), 'net.offline'],
  ['nothing', null, null, null],
] as const)(
  'as an event, an upload says that it waits for %s',
  (_, paused, blockedBy, expected) => {
    let said = '';
    const sink = { write: (text: string) => void (said += text), isTTY: false, columns: () => 80 };
    const shown = { json: true, quiet: false, verbose: false };
    let now = 0;
    const report = createUploadReporter(
      createOutput(shown, sink, sink, () => now),
      () => now,
    );
    now = 10_000;
    const counts = { found: 10, confirmed: 4, skipped: 0, attention: 0, sent: 0, open: 6 };
    const tally = { ...counts, queued: 6, confirmedBytes: 0, openBytes: 0 };
    const waiting = { blockedBy, pausedBy: () => paused, silentMs: 0 };
    report({ tally, scanned: true, sentBytes: 0, ...waiting });
    expect(JSON.parse(said.split('\n')[0] ?? '')).toMatchObject({
      event: 'progress',
      waitsFor: expected,
    });
  },
);
