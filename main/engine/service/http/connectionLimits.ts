/** Limits of the connections to one origin, whichever way they take. */

/** Most connections: more than all lanes together, so that nothing waits here. Our choice. */
export const CONNECTIONS = 64;
/** How long an idle connection is kept, in ms: well under the 5 s after which common servers close theirs. */
export const IDLE_MS = 4000;
/** Upper limit for a server's own keep-alive hint, in ms. Our choice. */
export const IDLE_MAX_MS = 60_000;
/** A connection must be established within this time, in ms. Our choice. */
export const CONNECT_MS = 30_000;
