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
