/** What the command line says: JSON events on standard output, or words for people. Everything passes redaction. */
import { explain } from '../../preload/errorText.ts';
import type { SluiceError } from '../../preload/errorCodes.ts';
import { redact } from '../engine/redact.ts';

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** A stream as far as output needs it. */
export interface Sink {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Width in characters; 80 when unknown. */
  columns(): number;
}

export interface Output {
  readonly options: OutputOptions;
  /** True when progress may be drawn in place. */
  readonly live: boolean;
  readonly columns: number;
  /** The result of a reading command: one event, or these lines. */
  result(data: unknown, lines: readonly string[]): void;
  /** Rows of a document for another program, line ends included; a terminal gets them without control characters. */
  rows(rows: readonly string[]): void;
  /** A JSON event; people read `line` instead, on stderr, unless it is null or they want quiet. */
  event(event: Readonly<Record<string, unknown>>, line: string | null): void;
  /** A sentence for people, never in the way of results. */
  say(line: string): void;
  error(error: SluiceError): void;
  /** Draws the line of progress in place; an empty one wipes it. */
  progress(line: string): void;
}

/** Control characters of a hostile name must not steer a terminal. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}

/** JSON as one line; keys and signed addresses are hidden inside the values. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'string' ? redact(inner) : inner,
  );
}

/** Makes the output over two streams. `now` stamps the events. */
export function createOutput(
  options: OutputOptions,
  stdout: Sink,
  stderr: Sink,
  now: () => number,
): Output {
  let drawn = false;
  const wipe = (): void => {
    if (drawn) stderr.write('\r\u001b[K');
    drawn = false;
  };
  const say = (line: string): void => {
    wipe();
    stderr.write(`${printable(redact(line))}\n`);
  };
  const emit = (event: Readonly<Record<string, unknown>>): void => {
    wipe();
    const { event: name, ...rest } = event;
    stdout.write(`${toJson({ event: name, at: new Date(now()).toISOString(), ...rest })}\n`);
  };
  return {
    options,
    live: stderr.isTTY && !options.quiet && !options.json,
    columns: stderr.columns(),
    result: (data, lines) => {
      if (options.json) emit({ event: 'result', data });
      else {
        wipe();
        for (const line of lines) stdout.write(`${printable(redact(line))}\n`);
      }
    },
    rows: (rows) => {
      wipe();
      // Row by row: what is hidden in one must not reach into the next.
      const text = rows.map(redact).join('');
      stdout.write(stdout.isTTY ? printable(text.replaceAll('\r\n', '\n')) : text);
    },
    event: (event, line) => {
      if (options.json) emit(event);
      if (line !== null && !options.quiet && !(options.json && !options.verbose)) say(line);
    },
    say: (line) => {
      if (!options.quiet) say(line);
    },
    error: (error) => {
      const { message, hint } = explain(error);
      if (options.json) emit({ event: 'error', code: error.code, message, hint });
      say(`${message} ${hint}`);
      if (options.verbose) say(`  ${error.code} ${JSON.stringify(error.context)}`);
    },
    progress: (line) => {
      if (line === '') wipe();
      else {
        stderr.write(`\r\u001b[K${printable(redact(line)).slice(0, stderr.columns() - 1)}`);
        drawn = true;
      }
    },
  };
}
