/**
 * Decides whether operations of a connection may start, and how long they must wait. A cause holds back only what it
 * concerns: a lost network, everything; a quota, the family of operations that hit it. A family that keeps failing is tested
 * with a single operation after a growing pause, and continues when that one succeeds.
 */
import type { ErrorCode, SluiceError } from '../core/errors.ts';
import type { PipelineTimes } from '../core/limits.ts';

/** Operations that fail together: sending bodies, reading for the pipeline, work on jobs, fetching outputs. */
export const FAMILIES = ['send', 'ask', 'job', 'fetch'] as const;
export type OperationFamily = (typeof FAMILIES)[number];

/** Why something may not start. Times are monotonic ms. */
interface Blocked {
  readonly error: SluiceError;
  readonly since: number;
  readonly nextAt: number;
}

export type GateTimes = Pick<PipelineTimes, 'gateFirstMs' | 'gateMaxMs' | 'probeMaxMs'>;

/** Causes that affect everything on this connection. */
const CONNECTION: readonly ErrorCode[] = [
  'network.tls',
  'network.unresolved',
  'network.proxyAuth',
  'network.proxy',
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
/** Causes that block a family when several operations in a row hit them. */
const IN_A_ROW: readonly ErrorCode[] = [
  ...CONNECTION,
  'network.lost',
  'network.timeout',
  'system.openFiles',
  'system.replaced',
  'service.busy',
  'service.failed',
  'service.noAnswer',
  'service.notFound',
  'batch.gone',
];
const ROW = 3;
const GROWTH = 2;

/** What the parts of a gate use. `now` is in monotonic ms; `fraction` returns random fractions in [0, 1). */
interface Tools {
  readonly times: GateTimes;
  readonly now: () => number;
  readonly fraction: () => number;
}

function jittered({ fraction }: Tools, ms: number): number {
  return Math.round(ms * (0.7 + 0.3 * fraction()));
}

/** The connection as a whole: closed by a cause that affects everything, opened by an answer. */
function createConnection(tools: Tools) {
  const { times, now } = tools;
  let state: { readonly blocked: Blocked; readonly pauseMs: number } | null = null;
  /** The first pause after closing, in ms. Grows while probes are answered but no other operation is, so that probes become rarer. */
  let firstMs = times.gateFirstMs;
  const open = (): boolean => {
    const wasBlocked = state !== null;
    state = null;
    return wasBlocked;
  };
  return {
    blocked: () => state?.blocked ?? null,
    /** When the next probe may start. */
    probeAt: () => state?.blocked.nextAt ?? now() + firstMs,
    block: (error: SluiceError): void => {
      const same = state?.blocked.error.code === error.code ? state.blocked : null;
      const pauseMs = state?.pauseMs ?? firstMs;
      // Operations that were in progress when it closed do not delay the next probe.
      const nextAt = state?.blocked.nextAt ?? now() + jittered(tools, pauseMs);
      state = { blocked: { error, since: same?.since ?? now(), nextAt }, pauseMs };
    },
    unreached: (error: SluiceError): void => {
      const pauseMs = Math.min(times.probeMaxMs, (state?.pauseMs ?? firstMs) * GROWTH);
      const since = state?.blocked.since ?? now();
      const nextAt = now() + jittered(tools, pauseMs);
      state = { blocked: { error, since, nextAt }, pauseMs };
    },
    due: (): void => {
      if (state !== null) state = { ...state, blocked: { ...state.blocked, nextAt: now() } };
    },
    /** An operation other than a probe was answered. Returns true when the connection was closed before. */
    open: (): boolean => {
      firstMs = times.gateFirstMs;
      return open();
    },
    /** A probe was answered, which does not prove that other operations are. Returns true when the connection was closed before. */
    reached: (): boolean => {
      firstMs = Math.min(times.probeMaxMs, firstMs * GROWTH);
      return open();
    },
  };
}

interface FamilyState {
  failures: number;
  blocked: Blocked | null;
  pauseMs: number;
}

/** Families of operations: closed by their own failures, then tested with one operation. */
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
      // Operations that were in progress when the family closed add no news.
      if (state.blocked !== null && now() < state.blocked.nextAt) return;
      state.failures += 1;
      if (atOnce || state.blocked !== null || state.failures >= ROW) block(state, error);
    },
    due: (): void => {
      for (const state of families.values()) {
        if (state.blocked !== null) state.blocked = { ...state.blocked, nextAt: now() };
      }
    },
    /** Returns true when the family was closed before. */
    open: (family: OperationFamily): boolean => {
      const blocked = families.get(family)?.blocked ?? null;
      // When the service named a time, a success before that time belongs to an operation that was in progress when the family closed.
      if (blocked?.error.retryAfterMs !== undefined && now() < blocked.nextAt) return false;
      families.delete(family);
      return blocked !== null;
    },
  };
}

/** Creates the gate of a connection. `now` is in monotonic ms; `fraction` returns random fractions in [0, 1) for the jitter. */
export function createGate(times: GateTimes, now: () => number, fraction: () => number) {
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
    /** Why a family waits, even while a single operation tests whether that is over; null when it does not wait. */
    cause,
    /** Why operations of a family may not start now; null when at least one may. */
    blocked,
    /** How many operations of a family may run: any number, one while the family is being tested, none while it is blocked. */
    room: (family: OperationFamily) => {
      if (blocked(family) !== null) return 0;
      return cause(family) === null ? Number.POSITIVE_INFINITY : 1;
    },
    failed: (family: OperationFamily, error: SluiceError) => {
      if (CONNECTION.includes(error.code)) connection.block(error);
      families.failed(family, error);
    },
    /** An operation of the family reached the service. Returns true when that opened something. */
    succeeded: (family: OperationFamily) => {
      const wasClosed = families.open(family);
      return connection.open() || wasClosed;
    },
    /** Why the whole connection waits; null when it does not. Only an answer of the service opens it, never time alone. */
    connection: connection.blocked,
    /** The service answered a probe of the connection itself. Returns true when that opened it. */
    reached: connection.reached,
    /** When the connection may be probed next, in monotonic ms. */
    probeAt: connection.probeAt,
    /** The probe failed: it is repeated later. */
    unreached: connection.unreached,
    /** A person asked: one operation tests what is blocked now instead of after its pause. */
    tryNow: () => {
      connection.due();
      families.due();
    },
    /** Everything that is blocked, and why. */
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

export type Gate = ReturnType<typeof createGate>;
