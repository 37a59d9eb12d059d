/** The direct connections to one origin. */
import { CONNECTIONS } from '../connectionLimits.ts';
import type { Transport } from '../transport.ts';
import { DirectConnection, type PreparedRequest } from './directConnection.ts';
import { createSocketOpener } from './openSocket.ts';
import { requestHead } from './requestHead.ts';

const closed = (): Error => new Error('the connections are closed');

/** Creates the pool of an origin; nothing is connected yet. `caPem`: certificates to trust in addition to the usual ones. */
export function createDirectPool(origin: URL, caPem: string | null): Transport {
  const open = createSocketOpener(origin, caPem);
  const all = new Set<DirectConnection>();
  /** The last one was used most recently: the other side is least likely to have closed it. */
  const free: DirectConnection[] = [];
  const waiting: PreparedRequest[] = [];
  let isClosing = false;
  const emptied = Promise.withResolvers<undefined>();

  const noteEmpty = (): void => {
    if (isClosing && all.size === 0) emptied.resolve(undefined);
  };
  const place = (prepared: PreparedRequest): void => {
    const known = free.pop();
    if (known !== undefined) known.start(prepared);
    else if (all.size >= CONNECTIONS) waiting.push(prepared);
    else connect(prepared);
  };
  const connect = (prepared: PreparedRequest): void => {
    all.add(
      new DirectConnection(open, prepared, {
        free(connection) {
          const next = waiting.shift();
          if (next !== undefined) connection.start(next);
          else if (isClosing) connection.retire();
          else free.push(connection);
        },
        unused(prepared) {
          if (all.size >= CONNECTIONS) waiting.unshift(prepared);
          else connect(prepared);
        },
        gone(connection) {
          all.delete(connection);
          const at = free.indexOf(connection);
          if (at >= 0) free.splice(at, 1);
          const next = waiting.shift();
          if (next !== undefined) place(next);
          noteEmpty();
        },
      }),
    );
  };

  return {
    dispatch(request, handler) {
      if (isClosing) throw closed();
      place({ request, head: requestHead(request, origin.host), handler });
    },
    close() {
      isClosing = true;
      for (const connection of free.splice(0)) connection.retire();
      noteEmpty();
      return emptied.promise;
    },
    destroy() {
      isClosing = true;
      for (const { handler } of waiting.splice(0)) handler.onResponseError(closed());
      for (const connection of [...all]) connection.destroy(closed());
      return Promise.resolve();
    },
  };
}
