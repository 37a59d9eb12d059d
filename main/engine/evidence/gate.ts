/**
 * Decides whether operations of a connection may start, and how long they must wait. A cause holds back only what it
 * concerns: a lost network, everything; a quota, the family of operations that hit it. A family that keeps failing is tested
 * with a single operation after a growing pause, and continues when that one succeeds.
 */
import type { ErrorCode, SluiceError } from '../core/errors.ts';
import type { PipelineTimes } from '../core/limits.ts';
import type { Clock, Random } from '../core/ports.ts';

/** Operations that fail together: sending bodies, reading for the pipeline, work on jobs, fetching outputs. */
export const FAMILIES = ['send', 'ask', 'job', 'fetch'] as const;
export type OperationFamily = (typeof FAMILIES)[number];

/** Why something may not start. Times are monotonic ms. */
interface Blocked {
  readonly error: SluiceError;
  readonly since: number;
  readonly nextAt: number;
  /** The pause before `nextAt`, without jitter. */
  readonly pauseMs: number;
}

/** A family of operations: closed by its own failures, then tested with one operation. */
interface FamilyState {
  failures: number;
  blocked: Blocked | null;
}

type GateTimes = Pick<PipelineTimes, 'gateFirstMs' | 'gateMaxMs' | 'probeMaxMs'>;

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

/** The gate of a connection. */
export class Gate {
  readonly #times: GateTimes;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #random: Pick<Random, 'fraction'>;
  /** The connection as a whole: closed by a cause that affects everything, opened by an answer. */
  #whole: Blocked | null = null;
  /** The first pause after closing, in ms. Grows while probes are answered but no other operation is, so that probes become rarer. */
  #firstMs: number;
  readonly #families = new Map<OperationFamily, FamilyState>();

  constructor(
    times: GateTimes,
    clock: Pick<Clock, 'monotonicMs'>,
    random: Pick<Random, 'fraction'>,
  ) {
    this.#times = times;
    this.#clock = clock;
    this.#random = random;
    this.#firstMs = times.gateFirstMs;
  }

  /** Why a family waits, even while a single operation tests whether that is over; null when it does not wait. */
  cause(family: OperationFamily): Blocked | null {
    return this.#whole ?? this.#families.get(family)?.blocked ?? null;
  }

  /** Why operations of a family may not start now; null when at least one may. */
  blocked(family: OperationFamily): Blocked | null {
    const cause = this.cause(family);
    const isTested = cause !== null && cause !== this.#whole && this.#now() >= cause.nextAt;
    return isTested ? null : cause;
  }

  /** How many operations of a family may run: any number, one while the family is being tested, none while it is blocked. */
  room(family: OperationFamily): number {
    if (this.blocked(family) !== null) return 0;
    return this.cause(family) === null ? Number.POSITIVE_INFINITY : 1;
  }

  failed(family: OperationFamily, error: SluiceError): void {
    if (CONNECTION.includes(error.code)) this.#close(error);
    const isAtOnce = AT_ONCE.includes(error.code);
    if (!isAtOnce && !IN_A_ROW.includes(error.code)) return;
    const state = this.#families.get(family) ?? { failures: 0, blocked: null };
    this.#families.set(family, state);
    const before = state.blocked;
    // Operations that were in progress when the family closed add no news.
    if (before !== null && this.#now() < before.nextAt) return;
    state.failures += 1;
    if (!isAtOnce && before === null && state.failures < ROW) return;
    const mostMs = /^net(work)?\./.test(error.code)
      ? this.#times.probeMaxMs
      : this.#times.gateMaxMs;
    const grown = before === null ? this.#times.gateFirstMs : before.pauseMs * GROWTH;
    const pauseMs = Math.min(mostMs, grown);
    const nextAt = this.#now() + Math.max(this.#jittered(pauseMs), error.retryAfterMs ?? 0);
    state.blocked = { error, since: this.#sinceOf(before, error), nextAt, pauseMs };
  }

  /** An operation of the family, other than a probe, reached the service. Returns true when that opened something. */
  succeeded(family: OperationFamily): boolean {
    this.#firstMs = this.#times.gateFirstMs;
    const wasFamilyClosed = this.#openFamily(family);
    return this.#openWhole() || wasFamilyClosed;
  }

  /** Why the whole connection waits; null when it does not. Only an answer of the service opens it, never time alone. */
  connection(): Blocked | null {
    return this.#whole;
  }

  /** A probe of the connection was answered, which does not prove that other operations are. Returns true when that opened it. */
  reached(): boolean {
    this.#firstMs = Math.min(this.#times.probeMaxMs, this.#firstMs * GROWTH);
    return this.#openWhole();
  }

  /** When the connection may be probed next, in monotonic ms. */
  probeAt(): number {
    return this.#whole?.nextAt ?? this.#now() + this.#firstMs;
  }

  /** The probe failed: it is repeated later. */
  unreached(error: SluiceError): void {
    const pauseMs = Math.min(
      this.#times.probeMaxMs,
      (this.#whole?.pauseMs ?? this.#firstMs) * GROWTH,
    );
    const since = this.#whole?.since ?? this.#now();
    this.#whole = { error, since, nextAt: this.#now() + this.#jittered(pauseMs), pauseMs };
  }

  /** A person asked: one operation tests what is blocked now instead of after its pause. */
  tryNow(): void {
    const nextAt = this.#now();
    if (this.#whole !== null) this.#whole = { ...this.#whole, nextAt };
    for (const state of this.#families.values())
      if (state.blocked !== null) state.blocked = { ...state.blocked, nextAt };
  }

  /** Everything that is blocked, and why. */
  all(): readonly (readonly ['connection' | OperationFamily, Blocked])[] {
    const families = FAMILIES.map(
      (family) => [family, this.#families.get(family)?.blocked] as const,
    );
    return [['connection', this.#whole] as const, ...families].flatMap(([name, blocked]) =>
      blocked ? [[name, blocked] as const] : [],
    );
  }

  #now(): number {
    return this.#clock.monotonicMs();
  }

  #jittered(ms: number): number {
    return Math.round(ms * (0.7 + 0.3 * this.#random.fraction()));
  }

  /** Since when something is blocked by the same cause. */
  #sinceOf(before: Blocked | null, { code }: SluiceError): number {
    return before?.error.code === code ? before.since : this.#now();
  }

  #close(error: SluiceError): void {
    const before = this.#whole;
    const pauseMs = before?.pauseMs ?? this.#firstMs;
    // Operations that were in progress when it closed do not delay the next probe.
    const nextAt = before?.nextAt ?? this.#now() + this.#jittered(pauseMs);
    this.#whole = { error, since: this.#sinceOf(before, error), nextAt, pauseMs };
  }

  /** Returns true when the connection was closed before. */
  #openWhole(): boolean {
    const wasClosed = this.#whole !== null;
    this.#whole = null;
    return wasClosed;
  }

  /** Returns true when the family was closed before. */
  #openFamily(family: OperationFamily): boolean {
    const blocked = this.#families.get(family)?.blocked ?? null;
    // When the service named a time, a success before that time belongs to an operation that was in progress when the family closed.
    if (blocked?.error.retryAfterMs !== undefined && this.#now() < blocked.nextAt) return false;
    this.#families.delete(family);
    return blocked !== null;
  }
}
