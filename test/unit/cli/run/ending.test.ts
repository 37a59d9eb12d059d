/** The last line of a run. */
import { expect, test } from 'vitest';
import { noneFound, summarize } from '../../../../main/cli/run/ending.ts';
import { createOutput } from '../../../../main/cli/terminal/output.ts';

test('large figures are written alike', () => {
  let said = '';
  const sink = { write: (text: string) => void (said += text), isTTY: false, columns: () => 80 };
  const output = createOutput({ json: false, quiet: false, verbose: false }, sink, sink, () => 0);
  const tally = {
    ...{ found: 12_000, confirmed: 4000, skipped: 3000, attention: 2000 },
    ...{
      open: 3000,
      queued: 3000,
      sent: 0,
      unanswered: 0,
      confirmedBytes: 5_000_000,
      openBytes: 1,
    },
  };
  summarize(output, tally, 61_000, null);
  expect(said).toBe(
    '4,000 of 12,000 files confirmed by the service, 3,000 skipped, 2,000 need you (sluice problems), 3,000 still on their way; 5 MB in 1 min.\n',
  );
});

test('that no files were found is said only after everything was searched', () => {
  expect(noneFound({ kind: 'settled' })).toBe('No files were found.');
  expect(noneFound({ kind: 'interrupted' })).toBeNull();
});
