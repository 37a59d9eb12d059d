import { describe, expect, test } from 'vitest';
import { formatTable } from '../../../../main/cli/terminal/format.ts';
import { showList } from '../../../../main/cli/terminal/longList.ts';
import { createOutput } from '../../../../main/cli/terminal/output.ts';

const thingsOf = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    fileName: `${String(number).padStart(6, '0')}.jpg`,
    createdAt: number + 1,
  }));
const COLUMNS = [['file', (thing: ReturnType<typeof thingsOf>[number]) => thing.fileName]] as const;

/** What is written, and how much of it at most between two pauses for the reader. */
async function shown(count: number, json: boolean): Promise<{ text: string; most: number }> {
  let [text, sincePause, most] = ['', 0, 0];
  const sink = {
    write: (more: string) => {
      text += more;
      sincePause += more.length;
      most = Math.max(most, sincePause);
    },
    drained: () => {
      sincePause = 0;
      return Promise.resolve();
    },
    ...{ isTTY: false, columns: () => 80 },
  };
  const output = createOutput({ json, quiet: false, verbose: false }, sink, sink, () => 0);
  const end = await showList(output, { batch: 'b' }, ['files', thingsOf(count), 'none'], COLUMNS);
  expect(end).toEqual({ ok: true, value: 0 });
  return { text, most };
}

describe.each([0, 1, 1000, 2500])('a list of %d things', (count) => {
  test('is in JSON what any other result is', async () => {
    const files = thingsOf(count).map(({ fileName, createdAt }) => ({
      ...{ fileName, createdAt: new Date(createdAt).toISOString() },
    }));
    const whole = { event: 'result', at: new Date(0).toISOString(), data: { batch: 'b', files } };
    expect((await shown(count, true)).text).toBe(`${JSON.stringify(whole)}\n`);
  });

  test('is one table for people', async () => {
    let text = '';
    const sink = { write: (more: string) => void (text += more), isTTY: false, columns: () => 80 };
    const output = createOutput({ json: false, quiet: false, verbose: false }, sink, sink, () => 0);
    output.lines(formatTable(thingsOf(count), 'none', COLUMNS));
    expect((await shown(count, false)).text).toBe(text);
  });
});

test.each([true, false])(
  'no more of it is written than its reader takes; JSON: %s',
  async (json) => {
    const [few, many] = [await shown(1000, json), await shown(10_000, json)];
    expect(many.most).toBeLessThan(2 * few.text.length);
  },
);
