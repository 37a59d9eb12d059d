import { expect, test } from 'vitest';
import { createOutput } from '../../../../main/cli/terminal/output.ts';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { ERROR_CODES } from '../../../../preload/contract/errors.ts';

// Only the window waits for a battery.
const ENDING = ERROR_CODES.filter((code) => code !== 'power.battery');

test.each(ENDING)(
  'the error %s of a command that has ended does not promise that it goes on',
  (code) => {
    let events = '';
    let said = '';
    const columns = (): number => 80;
    const output = createOutput(
      { json: true, quiet: false, verbose: false },
      { write: (text) => void (events += text), isTTY: false, columns },
      { write: (text) => void (said += text), isTTY: false, columns },
      () => 0,
    );
    output.error(sluiceError(code));
    expect(JSON.parse(events)).toMatchObject({ event: 'error', code, hint: expect.any(String) });
    expect(events + said).not.toMatch(/continues by itself|keeps trying|checks every/);
  },
);

test.each([
  { isDumb: false, live: true },
  { isDumb: true, live: false },
])('progress is drawn in place on a terminal, unless it can only add lines: %j', (terminal) => {
  const columns = (): number => 80;
  const stderr = { write: () => undefined, isTTY: true, isDumb: terminal.isDumb, columns };
  const options = { json: false, quiet: false, verbose: false };
  const output = createOutput(options, { ...stderr, isTTY: false }, stderr, () => 0);
  expect(output.live).toBe(terminal.live);
});
