/** The last line of a run. */
import { expect, test } from 'vitest';
import { noneFound, NOTHING, summarize } from '../../../../main/cli/run/ending.ts';
import { reportDownloaded } from '../../../../main/cli/run/fetchOutputs.ts';
import { createOutput, type Output } from '../../../../main/cli/terminal/output.ts';

function heard(): { output: Output; said(): string } {
  let said = '';
  const sink = { write: (text: string) => void (said += text), isTTY: false, columns: () => 80 };
  const plain = { json: false, quiet: false, verbose: false };
  return { output: createOutput(plain, sink, sink, () => 0), said: () => said };
}

test('large figures are written alike', () => {
  const { output, said } = heard();
  const tally = {
    found: 12_000,
    confirmed: 4000,
    skipped: 3000,
    attention: 2000,
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
  expect(said()).toBe(
    '4,000 of 12,000 files confirmed by the service, 3,000 skipped, 2,000 need attention (sluice problems), 3,000 still on their way; 5 MB in 1 min.\n',
  );
});

test('that no files were found is said only after everything was searched', () => {
  expect(noneFound({ kind: 'settled' })).toBe('No files were found.');
  expect(noneFound({ kind: 'interrupted' })).toBeNull();
});

test('a repeated command says that it sent nothing, instead of a size and a time', () => {
  const { output, said } = heard();
  const tally = { ...NOTHING, found: 2, confirmed: 2, confirmedBytes: 5_000_000 };
  summarize(output, tally, 1000, null, { sentBytes: 0, batches: ['cups'] });
  expect(said()).toBe('2 of 2 files confirmed by the service; nothing was sent this time.\n');
});

test('that nothing was downloaded is said without a directory', () => {
  const { output, said } = heard();
  reportDownloaded(output, { files: 0, bytes: 0, to: '/results' }, 'result file');
  expect(said()).toBe('No result files.\n');
});

test('files from unpacked archives are not counted, and it is said that there are some', () => {
  const { output, said } = heard();
  reportDownloaded(output, { files: 4, bytes: 8_000, to: '/results' }, 'result file', true);
  expect(said()).toBe('4 result files, 8 kB, in /results (archives unpacked)\n');
});
