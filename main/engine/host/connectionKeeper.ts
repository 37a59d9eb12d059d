/** Keeps one working connection per id: requests for an id run in turn. A connection that failed with a disk error restarts. */
import { drop, errorOf, type SluiceError } from '../core/errors.ts';
import type { Clock, Log } from '../core/ports.ts';
import { createKeyedQueue } from '../core/serialQueue.ts';

export interface ConnectionKeeper<Connection> {
  /** Working connections by id. */
  readonly connections: ReadonlyMap<number, Connection>;
  /** Starts a connection with its key, or restarts a working one. Rejects with what `make` throws. */
  start(connectionId: number, apiKey: string): Promise<void>;
  /** Stops a connection; it does not restart by itself. */
  end(connectionId: number): Promise<void>;
  /** Why the last connection failed, until one starts again; null when none failed. */
  failure(): SluiceError | null;
  /** Stops every connection. Nothing starts afterwards. */
  stop(): Promise<void>;
}

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

function logFailure(log: Log, connection: number, error: SluiceError): SluiceError {
  const said = String(error.context['said'] ?? '');
  log.write('error', 'connection.broke', { connection, code: error.code, said });
  return error;
}

/** Repeats the work, with a delay before each try, until it returns true or the host stops. */
async function retryUntilDone(
  { clock, signal }: Pick<ConnectionMaker<unknown>, 'clock' | 'signal'>,
  work: () => Promise<boolean>,
): Promise<void> {
  for (;;) {
    await clock.sleep(RESTART_DELAY_MS, signal);
    if (signal.aborted || (await work())) return;
  }
}

export function createConnectionKeeper<Connection extends { stop(): Promise<void> }>(
  maker: ConnectionMaker<Connection>,
): ConnectionKeeper<Connection> {
  const connections = new Map<number, Connection>();
  const keys = new Map<number, string>();
  const inTurn = createKeyedQueue<number>();
  let failure: SluiceError | null = null;

  const stopOne = async (id: number): Promise<void> => {
    const connection = connections.get(id);
    connections.delete(id);
    await connection?.stop();
  };

  const startOne = async (id: number, apiKey: string): Promise<void> => {
    await stopOne(id);
    if (maker.signal.aborted) return;
    const made: { connection: Connection | null } = { connection: null };
    made.connection = maker.make(id, apiKey, (thrown) => {
      // Queued: `make` may still be running.
      drop(inTurn(id, () => handleFailure(id, made.connection, thrown)));
    });
    failure = null;
    if (made.connection !== null) connections.set(id, made.connection);
  };

  /** Stops a connection that threw, unless it has already been stopped or replaced. */
  const handleFailure = async (id: number, one: Connection | null, why: unknown): Promise<void> => {
    if (one === null || connections.get(id) !== one) return;
    failure = logFailure(maker.log, id, errorOf(why));
    const mayRestart = isDiskError(failure);
    await stopOne(id);
    if (mayRestart) drop(retryUntilDone(maker, () => restartOne(id)));
  };

  const restartOne = async (id: number): Promise<boolean> => {
    const key = keys.get(id);
    if (key === undefined || connections.has(id)) return true;
    try {
      await inTurn(id, () => (connections.has(id) ? Promise.resolve() : startOne(id, key)));
      return true;
    } catch (thrown) {
      failure = errorOf(thrown);
      return !isDiskError(failure);
    }
  };

  return {
    connections,
    start: (id, apiKey) => {
      keys.set(id, apiKey);
      return inTurn(id, () => startOne(id, apiKey));
    },
    end: (id) => {
      keys.delete(id);
      return inTurn(id, () => stopOne(id));
    },
    failure: () => failure,
    stop: async () => {
      const ids = [...keys.keys(), ...connections.keys()];
      await Promise.all(ids.map((id) => inTurn(id, () => stopOne(id))));
    },
  };
}
