/** How the command line shows names and paths: exact in JSON, harmless on a terminal, and no key in either. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { registerSecret } from '../../../../main/engine/core/redact.ts';
import { formatTable } from '../../../../main/cli/terminal/format.ts';
import { createOutput, type Output } from '../../../../main/cli/terminal/output.ts';
import { clean, cutTo, exact, exactIn, widthOf } from '../../../../main/cli/terminal/shownText.ts';
import { anyText } from '../../../helpers/anyText.ts';

const KEY = 'kEy-0f-7he-w0rk5pace';
registerSecret(KEY);

interface Told {
  readonly output: Output;
  readonly out: () => string;
  readonly err: () => string;
}

function told(json: boolean, isTTY = false): Told {
  let out = '';
  let err = '';
  const sink = (write: (text: string) => void) => ({ write, isTTY, columns: () => 80 });
  const output = createOutput(
    { json, quiet: false, verbose: false },
    sink((text) => (out += text)),
    sink((text) => (err += text)),
    () => 0,
  );
  return { output, out: () => out, err: () => err };
}

/** Names that try to be more than a name, of every known kind. */
const HOSTILE = [
  'a?x=1&token=abc.jpg',
  'token=abc.jpg',
  'password: none.jpg',
  'line\nbreak.jpg',
  'bell\u0007\u001b[2J\u001b]0;title\u0007.jpg',
  'c1\u009b31m.jpg',
  'turned\u202egpj.exe',
  'separators\u2028\u2029.jpg',
  'half\ud800.jpg',
  'tab\tand\rreturn.jpg',
  '日本語 é ü.jpg',
];

describe('a name in JSON is exact', () => {
  test.each(HOSTILE)('%j', (name) => {
    const { output, out } = told(true);
    output.result({ path: `/x/${name}`, files: [{ fileName: name }], to: name }, []);
    const event: unknown = JSON.parse(out());
    const data = { path: `/x/${name}`, files: [{ fileName: name }], to: name };
    expect(event).toMatchObject({ data });
    expect(out().trimEnd()).not.toMatch(/[\p{Cc}\p{Zl}\p{Cs}\u202a-\u202e]/u);
  });
});

describe('a name within a text is complete, on one line, and controls nothing', () => {
  test.each([
    ['a?x=1&token=abc.jpg', 'a?x=1&token=abc.jpg'],
    ['line\nbreak.jpg', 'line\\nbreak.jpg'],
    ['tab\tand\rreturn.jpg', 'tab\\tand\\rreturn.jpg'],
    ['\u001b[2J\u0007', '\\x1b[2J\\x07'],
    ['c1\u009b31m.jpg', 'c1\\x9b31m.jpg'],
    ['turned\u202egpj.exe', 'turned\\u202egpj.exe'],
    ['separators\u2028.jpg', 'separators\\u2028.jpg'],
    ['half\ud800.jpg', 'half\\ud800.jpg'],
    ['日本語 é ü.jpg', '日本語 é ü.jpg'],
  ])('%j', (name, shown) => {
    expect(clean(`at ${exact(name)}: no`)).toBe(`at ${shown}: no`);
    expect(clean(exactIn(`${name} and ${name}`, ['', name]))).toBe(`${shown} and ${shown}`);
    const { output, out, err } = told(false, true);
    output.result({}, [exact(name)]);
    output.say(exact(name));
    output.progress(exact(name));
    expect(out()).toBe(`${shown}\n`);
    expect(err().startsWith(`${shown}\n`)).toBe(true);
    // The two sequences that draw the progress are our own.
    expect(
      err()
        .replaceAll('\r\u001b[K', '')
        .slice(shown.length + 1),
    ).toBe(shown);
  });

  test('whatever it is made of', () => {
    fc.assert(
      fc.property(anyText(), (name) => {
        const { output, out } = told(false, true);
        output.result({}, [...formatTable([name], null, [['name', exact]]), name, exact(name)]);
        output.rows([`${name}\r\n`]);
        const lines = out().split('\n');
        expect(lines).toHaveLength(6);
        expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e]/u);
      }),
    );
  });
});

test('the key is hidden wherever it is, also in a path', () => {
  for (const json of [true, false]) {
    const { output, out, err } = told(json);
    const path = `/pictures/${KEY}/a?x=1.jpg`;
    output.result({ path, said: path }, [
      exact(path),
      ...formatTable([path], null, [['p', exact]]),
    ]);
    output.event({ event: 'reason', example: path }, exact(path));
    output.say(`https://b.example/o?sig=abc ${exact(path)} https://b.example/o?sig=abc`);
    output.error(sluiceError('usage.invalid', { said: 'there is nothing at', path }));
    output.rows([`${path}\r\n`]);
    const all = out() + err();
    expect(all).not.toContain(KEY);
    expect(all).not.toContain('sig=abc');
    expect(all).toContain('/pictures/[hidden]/a?x=1.jpg');
  }
});

test('what the service says cannot claim to be a path', () => {
  const ours = exact('x');
  const forged = `${ours[0]}${ours.slice(-1)}https://b.example/o?sig=abc${ours[0]}${ours.slice(-1)}`;
  expect(clean(forged)).not.toContain('sig=abc');
});

test('an error names the path that was asked for as it is', () => {
  const { output, out } = told(true);
  const path = '/x/a?token=1\n.jpg';
  output.error(sluiceError('usage.invalid', { said: 'there is nothing at', path }));
  const message = `The command is not valid (there is nothing at ${path}).`;
  expect(JSON.parse(out())).toMatchObject({ event: 'error', message });
});

describe('columns', () => {
  test('stand under each other however wide their letters are', () => {
    const names = ['日本', 'e\u0301', 'a\nb'];
    const lines = formatTable(names, null, [
      ['name', (name) => name],
      ['n', (name) => names.indexOf(name) + 1],
    ]);
    expect(lines).toHaveLength(4);
    expect(lines.map(clean)).toEqual(['name  n', '日本  1', 'e\u0301     2', 'a\\nb  3']);
  });

  test('are counted and cut by what a terminal shows', () => {
    expect(['', 'abc', '日本', 'e\u0301', '\u{1f600}'].map(widthOf)).toEqual([0, 3, 4, 1, 2]);
    expect(cutTo('日本語', 5)).toBe('日本');
    expect(cutTo('\u{1f600}\u{1f600}', 3)).toBe('\u{1f600}');
    expect(cutTo('short', 80)).toBe('short');
  });

  test('are generated for a great many rows', () => {
    const rows = Array.from({ length: 130_000 }, (_, number) => number);
    const lines = formatTable(rows, null, [
      ['number', (row) => row],
      ['letter', () => 'x'],
    ]);
    expect(lines).toHaveLength(130_001);
  });
});
