/** The log of every request. It holds secrets: it is a test tool, and is never printed as is. */

export interface LogEntry {
  readonly id: number;
  /** Epoch ms on the service's clock. */
  readonly at: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly queryNames: readonly string[];
  readonly query: URLSearchParams;
  /** Names and values as received, alternating. */
  readonly rawHeaders: readonly string[];
  /** Numbers the connections: requests with the same number shared one. */
  readonly connection: number;
  /** From Content-Length; null when the request declared none. */
  readonly declaredBytes: number | null;
  /** Body bytes read by the operation; 0 if it read none. */
  receivedBytes: number;
  /** null if never answered. */
  status: number | null;
  durationMs: number;
  /** The kind of fault it met. */
  fault: string | null;
}

/** Creates an empty log. */
export function createRequestLog() {
  const requests: LogEntry[] = [];
  const inFlight = { now: 0, most: 0 };
  const find = (method: string, path: RegExp): readonly LogEntry[] =>
    requests.filter(
      (entry) => (method === '*' || entry.method === method) && entry.path.search(path) >= 0,
    );
  return {
    requests,
    /** Requests in progress now, and the highest number so far. */
    inFlight,
    add: (entry: LogEntry) => {
      requests.push(entry);
    },
    /** Requests of this method (`*` for any) whose path matches. */
    find,
    count: (method: string, path: RegExp) => find(method, path).length,
    /** How many connections carried these requests. */
    connections: () => new Set(requests.map((entry) => entry.connection)).size,
    clear: () => {
      requests.length = 0;
      inFlight.most = inFlight.now;
    },
  };
}

export type RequestLog = ReturnType<typeof createRequestLog>;

/** Value of a header of a logged request; null when it had none. */
export function headerOf(entry: LogEntry, name: string): string | null {
  for (let index = 0; index + 1 < entry.rawHeaders.length; index += 2) {
    if (entry.rawHeaders[index]?.toLowerCase() === name.toLowerCase())
      return entry.rawHeaders[index + 1] ?? null;
  }
  return null;
}
