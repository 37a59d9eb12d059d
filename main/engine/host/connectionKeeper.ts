/**
 * The lines of a station: one for each connection at work. What is asked of a connection happens in turn, so that two starts at once
 * never give two lines, and a line that broke on the disk starts again.
 */
import type { SluiceError } from '../../../preload/contract/errors.ts';
import { drop } from '../core/drop.ts';
import { errorOf } from '../core/errorOf.ts';
import type { Clock, Log } from '../core/ports.ts';

export interface LineKeeper<Line> {
  /** Lines at work, by connection. */
  readonly lines: ReadonlyMap<number, Line>;
  /** Puts a connection to work with its key, anew when it works already. Rejects with what making the line throws. */
  start(connectionId: number, apiKey: string): Promise<void>;
  /** Takes a connection off; it does not start again by itself. */
  end(connectionId: number): Promise<void>;
  /** Why the last line broke, until a line starts again; null when none did. */
  failure(): SluiceError | null;
  /** Ends every line. Nothing starts afterwards. */
  stop(): Promise<void>;
}

/** What lines are made with. */
export interface LineMaker<Line> {
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the station stops. */
  readonly signal: AbortSignal;
  /** Makes a line that works at once; null when there is no such connection. No other line of the connection runs. `broke` is for a lane that threw. */
  make(connectionId: number, apiKey: string, broke: (thrown: unknown) => void): Line | null;
}

const START_AGAIN_MS = 10_000;

/** A full disk may have room again; a bug or a damaged ledger would only break once more. */
function isOfDisk(error: SluiceError): boolean {
  return error.code.startsWith('disk.');
}

/** Runs what is asked of each key one after the other. */
function createTurns(): { run(key: number, work: () => Promise<void>): Promise<void> } {
  const last = new Map<number, Promise<void>>();
  return {
    run: (key, work) => {
      const turn = (last.get(key) ?? Promise.resolve()).catch(() => undefined).then(work);
      last.set(key, turn);
      return turn;
    },
  };
}

function logged(log: Log, connection: number, error: SluiceError): SluiceError {
  const said = String(error.context['said'] ?? '');
  log.write('error', 'line.broke', { connection, code: error.code, said });
  return error;
}

/** Repeats the work until it answers true or the station stops. */
async function untilDone(
  { clock, signal }: Pick<LineMaker<unknown>, 'clock' | 'signal'>,
  work: () => Promise<boolean>,
): Promise<void> {
  for (;;) {
    await clock.sleep(START_AGAIN_MS, signal);
    if (signal.aborted || (await work())) return;
  }
}

/** Makes a keeper without lines. */
export function createLineKeeper<Line extends { stop(): Promise<void> }>(
  maker: LineMaker<Line>,
): LineKeeper<Line> {
  const lines = new Map<number, Line>();
  const keys = new Map<number, string>();
  const turns = createTurns();
  let failure: SluiceError | null = null;

  const takeOff = async (id: number): Promise<void> => {
    const line = lines.get(id);
    lines.delete(id);
    await line?.stop();
  };

  const begin = async (id: number, apiKey: string): Promise<void> => {
    await takeOff(id);
    if (maker.signal.aborted) return;
    const made: { line: Line | null } = { line: null };
    let broken = false;
    made.line = maker.make(id, apiKey, (thrown) => {
      if (broken) return;
      broken = true;
      // In turn: it is asked about the line that this start gave.
      drop(turns.run(id, () => fix(id, made.line, thrown)));
    });
    failure = null;
    if (made.line !== null) lines.set(id, made.line);
  };

  /** Takes a line off that threw. A key given meanwhile has replaced it already. */
  const fix = async (id: number, line: Line | null, thrown: unknown): Promise<void> => {
    if (line === null || lines.get(id) !== line) return;
    failure = logged(maker.log, id, errorOf(thrown));
    const isPassing = isOfDisk(failure);
    await takeOff(id);
    if (isPassing) drop(untilDone(maker, () => startAgain(id)));
  };

  const startAgain = async (id: number): Promise<boolean> => {
    const key = keys.get(id);
    if (key === undefined || lines.has(id)) return true;
    try {
      await turns.run(id, () => (lines.has(id) ? Promise.resolve() : begin(id, key)));
      return true;
    } catch (thrown) {
      failure = errorOf(thrown);
      return !isOfDisk(failure);
    }
  };

  return {
    lines,
    start: (id, apiKey) => {
      keys.set(id, apiKey);
      return turns.run(id, () => begin(id, apiKey));
    },
    end: (id) => {
      keys.delete(id);
      return turns.run(id, () => takeOff(id));
    },
    failure: () => failure,
    stop: async () => {
      const ids = new Set([...keys.keys(), ...lines.keys()]);
      await Promise.all([...ids].map((id) => turns.run(id, () => takeOff(id))));
    },
  };
}
