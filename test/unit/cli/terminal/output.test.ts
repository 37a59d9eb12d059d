import { describe, expect, test } from 'vitest';
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

describe('a long result', () => {
  const written = async (ends: boolean): Promise<string> => {
    let text = '';
    const columns = (): number => 80;
    const sink = { write: (more: string) => void (text += more), isTTY: false, columns };
    const output = createOutput({ json: true, quiet: false, verbose: false }, sink, sink, () => 0);
    await output.longResult({ batch: 'b' }, 'lines', (add) => {
      add([{ path: '/a' }, { said: 'é\u001b' }]);
      add([]);
      add([{ path: '/b' }]);
      return Promise.resolve(ends ? { files: 3 } : null);
    });
    return text;
  };

  test('is the same event as any other', async () => {
    expect(JSON.parse(await written(true))).toEqual({
      event: 'result',
      at: '1970-01-01T00:00:00.000Z',
      data: {
        batch: 'b',
        lines: [{ path: '/a' }, { said: 'é\u001b' }, { path: '/b' }],
        files: 3,
      },
    });
  });

  test.each([
    [{}, {}],
    [{}, { files: 1 }],
    [{ batch: 'b' }, {}],
  ])('is valid with nothing before or after its list: %j, %j', async (before, after) => {
    let text = '';
    const sink = { write: (more: string) => void (text += more), isTTY: false, columns: () => 80 };
    const output = createOutput({ json: true, quiet: false, verbose: false }, sink, sink, () => 0);
    await output.longResult(before, 'lines', () => Promise.resolve(after));
    const data = { ...before, lines: [], ...after };
    const event = { event: 'result', at: '1970-01-01T00:00:00.000Z', data };
    expect(text).toBe(`${JSON.stringify(event)}\n`);
  });

  test('that is cut short is a line of its own, and no JSON', async () => {
    const text = await written(false);
    expect(text).toMatch(/^[^\n]*"\/b"\}\n$/);
    expect(() => void JSON.parse(text)).toThrow(SyntaxError);
  });
});
