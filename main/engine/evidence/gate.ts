/**
 * What keeps the operations of a connection from beginning, and for how long. One cause holds back only what it
 * concerns: a network that is gone, everything; a quota, the family of operations that met it. A family that fails again
 * and again is tried with a single operation after a growing pause, and goes on when that one succeeds.
 */
import type { ErrorCode, SluiceError } from '../core/errors.ts';

/** Operations that share their troubles: sending bodies, reading for the pipeline, work on jobs, fetching outputs. */
export const FAMILIES = ['send', 'ask', 'job', 'fetch'] as const;
export type OperationFamily = (typeof FAMILIES)[number];

/** Why something may not begin. Instants are monotonic, ms. */
interface Blocked {
  readonly error: SluiceError;
  readonly since: number;
  readonly nextAt: number;
}

export interface GateTimes {
  /** The first and the longest pause of a family. */
  readonly gateFirstMs: number;
  readonly gateMaxMs: number;
  /** The longest pause while the connection itself is down. */
  readonly probeMaxMs: number;
}

export interface Gate {
  /** Why operations of a family may not begin at this instant; null when at least one may. */
  blocked(family: OperationFamily): Blocked | null;
  /** Why a family waits, also while a single operation tries whether that is over; null when it does not wait. */
  cause(family: OperationFamily): Blocked | null;
  /** How many operations of a family may run: any number, one while the family is tried again, none while it is blocked. */
  room(family: OperationFamily): number;
  /** An operation of the family failed. */
  failed(family: OperationFamily, error: SluiceError): void;
  /** An operation of the family reached the service. Answers true when that opened something. */
  succeeded(family: OperationFamily): boolean;
  /** Why the whole connection waits; null when it does not. It opens by `reached`, not by time. */
  connection(): Blocked | null;
  /** The service answered a question about the connection itself. Answers true when that opened it. */
  reached(): boolean;
  /** The same question failed: it is asked again later. */
  unreached(error: SluiceError): void;
  /** A person asks: what is blocked is tried by one operation now, and not after its pause. */
  tryNow(): void;
  /** Everything that is blocked, by what is blocked. */
  all(): readonly (readonly ['connection' | OperationFamily, Blocked])[];
}

/** Causes that concern everything that goes over this connection. */
const CONNECTION: readonly ErrorCode[] = [
  'network.tls',
  'network.unresolved',
  'network.proxyAuth',
  'network.intercepted',
  'net.offline',
  'auth.rejected',
];
/** Causes that block a family at once: trying more operations cannot help. */
const AT_ONCE: readonly ErrorCode[] = [
  'service.quota',
  'service.forbidden',
  'disk.full',
  'disk.failed',
];
/** Causes that block a family when several operations in a row meet them. */
const IN_A_ROW: readonly ErrorCode[] = [
  ...CONNECTION,
  'network.lost',
  'network.timeout',
  'system.openFiles',
  'service.busy',
  'service.failed',
  'service.noAnswer',
  'service.notFound',
];
const ROW = 3;
const GROWTH = 2;

/** What the parts of a gate work with. `now` is monotonic, ms; `fraction` gives random fractions in [0, 1). */
interface Tools {
  readonly times: GateTimes;
  readonly now: () => number;
  readonly fraction: () => number;
}

function jittered({ fraction }: Tools, ms: number): number {
  return Math.round(ms * (0.7 + 0.3 * fraction()));
}

/** The connection as a whole: closed by a cause, opened by an answer. */
function createConnection(tools: Tools) {
  const { times, now } = tools;
  let state: { readonly blocked: Blocked; readonly pauseMs: number } | null = null;
  return {
    blocked: () => state?.blocked ?? null,
    block: (error: SluiceError): void => {
      const same = state?.blocked.error.code === error.code ? state.blocked : null;
      const pauseMs = state?.pauseMs ?? times.gateFirstMs;
      // What was on its way when it closed does not put the next question off.
      const nextAt = state?.blocked.nextAt ?? now() + jittered(tools, pauseMs);
      state = { blocked: { error, since: same?.since ?? now(), nextAt }, pauseMs };
    },
    unreached: (error: SluiceError): void => {
      const pauseMs = Math.min(times.probeMaxMs, (state?.pauseMs ?? times.gateFirstMs) * GROWTH);
      const since = state?.blocked.since ?? now();
      const nextAt = now() + jittered(tools, pauseMs);
      state = { blocked: { error, since, nextAt }, pauseMs };
    },
    due: (): void => {
      if (state !== null) state = { ...state, blocked: { ...state.blocked, nextAt: now() } };
    },
    /** Answers true when it was closed. */
    open: (): boolean => {
      const wasBlocked = state !== null;
      state = null;
      return wasBlocked;
    },
  };
}

interface FamilyState {
  failures: number;
  blocked: Blocked | null;
  pauseMs: number;
}

/** Families of operations: closed by their own failures, tried again by one operation. */
function createFamilies(tools: Tools) {
  const { times, now } = tools;
  const families = new Map<OperationFamily, FamilyState>();

  const block = (state: FamilyState, error: SluiceError): void => {
    const isNetwork = /^net(work)?\./.test(error.code);
    const grown = state.pauseMs === 0 ? times.gateFirstMs : state.pauseMs * GROWTH;
    state.pauseMs = Math.min(isNetwork ? times.probeMaxMs : times.gateMaxMs, grown);
    const pause = Math.max(jittered(tools, state.pauseMs), error.retryAfterMs ?? 0);
    const same = state.blocked?.error.code === error.code ? state.blocked : null;
    state.blocked = { error, since: same?.since ?? now(), nextAt: now() + pause };
  };

  return {
    cause: (family: OperationFamily) => families.get(family)?.blocked ?? null,
    failed: (family: OperationFamily, error: SluiceError): void => {
      const atOnce = AT_ONCE.includes(error.code);
      if (!atOnce && !IN_A_ROW.includes(error.code)) return;
      const state = families.get(family) ?? { failures: 0, blocked: null, pauseMs: 0 };
      families.set(family, state);
      // What was on its way when the family was closed says nothing new.
      if (state.blocked !== null && now() < state.blocked.nextAt) return;
      state.failures += 1;
      if (atOnce || state.blocked !== null || state.failures >= ROW) block(state, error);
    },
    due: (): void => {
      for (const state of families.values()) {
        if (state.blocked !== null) state.blocked = { ...state.blocked, nextAt: now() };
      }
    },
    /** Answers true when it was closed. */
    open: (family: OperationFamily): boolean => {
      const wasBlocked = (families.get(family)?.blocked ?? null) !== null;
      families.delete(family);
      return wasBlocked;
    },
  };
}

/** Makes the gate of a connection. `now` is monotonic, ms; `fraction` gives random fractions in [0, 1) for the jitter. */
export function createGate(times: GateTimes, now: () => number, fraction: () => number): Gate {
  const tools = { times, now, fraction };
  const connection = createConnection(tools);
  const families = createFamilies(tools);
  const cause = (family: OperationFamily): Blocked | null =>
    connection.blocked() ?? families.cause(family);
  const blocked = (family: OperationFamily): Blocked | null => {
    if (connection.blocked() !== null) return connection.blocked();
    const own = families.cause(family);
    return own === null || now() >= own.nextAt ? null : own;
  };
  return {
    cause,
    blocked,
    room: (family) => {
      if (blocked(family) !== null) return 0;
      return cause(family) === null ? Number.POSITIVE_INFINITY : 1;
    },
    failed: (family, error) => {
      if (CONNECTION.includes(error.code)) connection.block(error);
      families.failed(family, error);
    },
    succeeded: (family) => {
      const wasClosed = families.open(family);
      return connection.open() || wasClosed;
    },
    connection: connection.blocked,
    reached: connection.open,
    unreached: connection.unreached,
    tryNow: () => {
      connection.due();
      families.due();
    },
    all: () => {
      const whole = connection.blocked();
      return [
        ...(whole === null ? [] : [['connection', whole] as const]),
        ...FAMILIES.flatMap((family) => {
          const own = families.cause(family);
          return own === null ? [] : [[family, own] as const];
        }),
      ];
    },
  };
}
