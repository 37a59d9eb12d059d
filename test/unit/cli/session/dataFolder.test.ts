import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askDataFolder } from '../../../../main/cli/session/dataFolder.ts';
import { DRIVE_ANSWER_MS } from '../../../../main/engine/core/limits.ts';
import { createManualClock } from '../../../helpers/manualClock.ts';
import { codeOf } from '../../../helpers/results.ts';
import { scratch } from '../../../helpers/scratch.ts';

const never = (): Promise<never> => new Promise(() => undefined);

function ask(answer?: () => Promise<null>, dataDirectory = '/nas/sluice') {
  const clock = createManualClock();
  const interruption = new AbortController();
  const asked = askDataFolder({ dataDirectory, clock, signal: interruption.signal }, answer);
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

test('a data folder that is not there yet answers; a link to a drive that is not mounted is no new folder', async () => {
  const directory = join(scratch(), 'sluice');
  expect((await ask(undefined, directory).asked).ok).toBe(true);
  symlinkSync(join(directory, 'nowhere'), directory);
  expect(await ask(undefined, directory).asked).toMatchObject({
    error: {
      code: 'disk.missing',
      context: { said: `${directory} is a link to a folder that is not there` },
    },
  });
});
