/** The output of the command line: JSON events on standard output, or text for people. Everything passes redaction. */
import { ok } from '../../engine/core/errors.ts';
import { EXIT } from './exitCode.ts';
import type { SluiceError } from '../../../preload/contract/errors.ts';
import { explainEnd } from '../../../preload/contract/messages.ts';
import { hideSecrets, redact } from '../../engine/core/redact.ts';
import { clean, cutTo, exact, harmlessJson } from './shownText.ts';

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** The part of a stream that output needs. */
export interface Sink {
  write(text: string): void;
  /** Resolves once its reader has taken what was written, or is gone. */
  drained?(): Promise<void>;
  readonly isTTY: boolean;
  /** True for a terminal that can only add lines, such as TERM=dumb. */
  readonly isDumb?: boolean;
  /** Width in characters; 80 when unknown. */
  columns(): number;
}

/** Fields that hold a local path, or the name of a file or of something on the service. */
const EXACT_FIELDS = new Set([
  'path',
  'relativePath',
  'directory',
  'to',
  'downloadTo',
  'moveTo',
  'example',
  'name',
  'fileName',
  'root',
]);

const isExactField = (name: string): boolean => EXACT_FIELDS.has(name);

/** JSON on one line; keys and signed addresses inside the values are hidden, paths and names are unchanged. */
function toJson(value: unknown, isExact = isExactField): string {
  const json = JSON.stringify(value, (name, inner: unknown) => {
    if (typeof inner !== 'string') return inner;
    return isExact(name) ? hideSecrets(inner) : redact(inner);
  });
  return harmlessJson(json);
}

type Event = Readonly<Record<string, unknown>>;

function stamped({ event, ...rest }: Event, at: number): Event {
  return { event, at: new Date(at).toISOString(), ...rest };
}

/** Adds the items of a list and returns what is known only then; null if it was cut short. */
type FillList = (add: (items: readonly object[]) => void) => Promise<object | null>;

/**
 * Writes an event that ends with its data, and adds to these a list, item by item, and then the rest. If the list is cut short, the line is
 * no valid JSON, so that no program takes it for complete.
 */
async function writeLong(stdout: Sink, event: object, list: string, fill: FillList): Promise<void> {
  const head = toJson(event).slice(0, -2);
  stdout.write(`${head}${head.endsWith('{') ? '' : ','}"${list}":[`);
  let comma = '';
  let rest: object | null = null;
  try {
    rest = await fill((items) => {
      for (const item of items) {
        stdout.write(comma + toJson(item));
        comma = ',';
      }
    });
  } finally {
    const tail = rest === null ? '' : toJson(rest).slice(1);
    stdout.write(rest === null ? '\n' : `]${tail === '}' ? '' : ','}${tail}}\n`);
  }
}

/** A row holds only figures and file names; a program that reads them needs them unchanged. */
function rowFor(sink: Sink, row: string): string {
  return sink.isTTY ? `${clean(exact(row.replace(/\r\n$/, '')))}\n` : hideSecrets(row);
}

function explainFor(error: SluiceError, command: string): { message: string; hint: string } {
  const { message, hint } = explainEnd(error);
  const isUsage = error.code === 'usage.invalid' && command !== '';
  return { message, hint: isUsage ? `See sluice help ${command}.` : hint };
}

/** Creates the output over two streams. `now` provides the timestamps of events. */
export function createOutput(
  options: OutputOptions,
  stdout: Sink,
  stderr: Sink,
  now: () => number,
) {
  let drawn = false;
  const wipe = (): void => {
    if (drawn) stderr.write('\r\u001b[K');
    drawn = false;
  };
  const say = (line: string): void => {
    wipe();
    stderr.write(`${clean(line)}\n`);
  };
  const emit = (event: Event, isExact = isExactField): void => {
    wipe();
    stdout.write(`${toJson(stamped(event, now()), isExact)}\n`);
  };
  const print = (lines: readonly string[]): void => {
    wipe();
    for (const line of lines) stdout.write(`${clean(line)}\n`);
  };
  return {
    options,
    /** True when progress may be drawn in place. */
    live: stderr.isTTY && stderr.isDumb !== true && !options.quiet && !options.json,
    /** The result of a reading command: one event, or these lines. Returns the exit code of a command that is done. */
    result: (data: unknown, lines: readonly string[]) => {
      if (options.json) emit({ event: 'result', data });
      else print(lines);
      return ok(EXIT.done);
    },
    /** Some lines of a result for people. */
    lines: print,
    drained: () => stdout.drained?.(),
    /** A result in JSON with a list that is too long to be held; see writeLong. */
    longResult: (data: object, list: string, fill: FillList) =>
      writeLong(stdout, stamped({ event: 'result', data }, now()), list, fill),
    /** Rows of a document for another program, including line ends; on a terminal, control characters are removed. */
    rows: (rows: readonly string[]) => {
      wipe();
      for (const row of rows) stdout.write(rowFor(stdout, row));
    },
    /** A JSON event; people get `line` on stderr instead, unless it is null or they chose quiet. */
    event: (event: Event, line: string | null) => {
      if (options.json) emit(event);
      if (line !== null && !options.quiet && !(options.json && !options.verbose)) say(line);
    },
    /** A sentence for people, kept apart from results. */
    say: (line: string) => {
      if (!options.quiet) say(line);
    },
    /** `command`: the one that failed, whose help explains wrong usage; '' for none. */
    error: (error: SluiceError, command = '') => {
      // An error hides its secrets when it is created; hiding twice would mistake paths for addresses.
      const { message, hint } = explainFor(error, command);
      if (options.json) emit({ event: 'error', code: error.code, message, hint }, () => true);
      say(exact(`${message} ${hint}`));
      if (options.verbose) say(exact(`  ${error.code} ${JSON.stringify(error.context)}`));
    },
    /** Draws the progress line in place; an empty one clears it. */
    progress: (line: string) => {
      if (line === '') return wipe();
      stderr.write(`\r\u001b[K${cutTo(clean(line), stderr.columns() - 1)}`);
      drawn = true;
    },
  };
}

export type Output = ReturnType<typeof createOutput>;

/** A notice for people and programs. `shown`: the same for people, where a path in it is marked as exact. */
export function notify(output: Output, text: string, shown: string = text): void {
  output.event({ event: 'notice', text }, shown);
}
