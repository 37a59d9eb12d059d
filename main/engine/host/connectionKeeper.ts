/** Keeps one working connection per id. A connection that failed with a disk error restarts. */
import { drop, errorOf, type SluiceError } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import { createSlots, type Stoppable } from '../watches/slots.ts';

export interface ConnectionMaker<Connection> {
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the host stops. */
  readonly signal: AbortSignal;
  /**
   * Makes a connection that starts working at once; null when there is none with this id. Never called while another one with
   * the same id works. `onFailure` is for a lane that threw.
   */
  make(
    connectionId: number,
    apiKey: string,
    onFailure: (thrown: unknown) => void,
  ): Connection | null;
}

const RESTART_DELAY_MS = 10_000;

/** A full disk may get free space again; a bug or a damaged ledger would fail again at once. */
function isDiskError(error: SluiceError): boolean {
  return error.code.startsWith('disk.');
}

export function createConnectionKeeper<Connection extends Stoppable>(
  maker: ConnectionMaker<Connection>,
) {
  const slots = createSlots<Connection>();
  const keys = new Map<number, string>();
  let failure: SluiceError | null = null;
  const start = (id: number, apiKey: string): Promise<void> =>
    slots.replace(id, () => {
      const made = maker.make(id, apiKey, (thrown) => {
        // Handled later, because `make` may still be running.
        queueMicrotask(() => drop(handleFailure(id, made, thrown)));
      });
      failure = null;
      return made;
    });
  /** Stops a connection that threw, unless it has already been stopped or replaced. */
  const handleFailure = async (id: number, one: Connection | null, why: unknown): Promise<void> => {
    if (one === null || slots.get(id) !== one) return;
    failure = errorOf(why);
    const said = String(failure.context['said'] ?? '');
    maker.log.write('error', 'connection.broke', { connection: id, code: failure.code, said });
    const mayRestart = isDiskError(failure);
    await slots.replace(id, null);
    if (mayRestart) drop(restart(id));
  };
  /** Tries again, with a delay before each try, as long as a disk error prevents the start. */
  const restart = async (id: number): Promise<void> => {
    for (;;) {
      await maker.clock.sleep(RESTART_DELAY_MS, maker.signal);
      const key = keys.get(id);
      if (maker.signal.aborted || key === undefined || slots.get(id) !== null) return;
      try {
        return await start(id, key);
      } catch (thrown) {
        failure = errorOf(thrown);
        if (!isDiskError(failure)) return;
      }
    }
  };
  return {
    /** The working connection with this id; null when there is none. */
    get: slots.get,
    all: slots.all,
    /** Starts a connection with its key, or restarts a working one. Rejects with what `make` throws. */
    start: (id: number, apiKey: string) => {
      keys.set(id, apiKey);
      return start(id, apiKey);
    },
    /** Stops a connection; it does not restart by itself. */
    end: (id: number) => {
      keys.delete(id);
      return slots.replace(id, null);
    },
    /** Why the last connection failed, until one starts again; null when none failed. */
    failure: () => failure,
    /** Stops every connection. Nothing starts afterwards. */
    stop: slots.close,
  };
}

export type ConnectionKeeper<Connection extends Stoppable> = ReturnType<
  typeof createConnectionKeeper<Connection>
>;
