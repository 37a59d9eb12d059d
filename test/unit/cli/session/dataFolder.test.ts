import { expect, test } from 'vitest';
import { askDataFolder } from '../../../../main/cli/session/dataFolder.ts';
import { DRIVE_ANSWER_MS } from '../../../../main/engine/core/limits.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { codeOf } from '../../../helpers/results.ts';

const never = (): Promise<never> => new Promise(() => undefined);

function ask(answer: () => Promise<unknown>) {
  const clock = createManualClock();
  const interruption = new AbortController();
  const asked = askDataFolder(
    { dataDirectory: '/nas/sluice', clock, signal: interruption.signal },
    answer,
  );
  return { asked, clock, interruption };
}

test('a data folder that does not answer ends the command', async () => {
  const { asked, clock } = ask(never);
  clock.advance(DRIVE_ANSWER_MS);
  expect(codeOf(await asked)).toBe('disk.missing');
});

test('Ctrl-C ends a command that waits for its data folder', async () => {
  const { asked, interruption } = ask(never);
  interruption.abort();
  expect(codeOf(await asked)).toBe('disk.missing');
});

test('a data folder that is not there yet answers, too', async () => {
  const { asked } = ask(() => Promise.reject(new Error('ENOENT')));
  expect((await asked).ok).toBe(true);
});
