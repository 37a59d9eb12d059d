/** The messages between a file worker and its pool. Both sides are ours and from the same build, so nothing is parsed. */
import type { Result, SluiceError } from '../../core/errors.ts';
import type {
  ComputedChecksums,
  FileFacts,
  HashKind,
  Inspection,
  SourceOutcome,
  SourcePlan,
} from '../../core/model.ts';
import type { HttpAnswer, HttpFailure, HttpRequest, HttpRoute, Written } from '../../core/ports.ts';

/** Decides whether the last byte of a body leaves: the first of the two threads to take the turn wins. */
export const TURN = { open: 0, finishing: 1, stopped: 2 } as const;

export interface SendRequest {
  readonly type: 'send';
  readonly id: number;
  readonly plan: SourcePlan;
  readonly withMd5: boolean;
  /** True when the rate is limited: the worker must ask before it sends bytes. */
  readonly bound: boolean;
  readonly request: Omit<HttpRequest, 'body' | 'signal' | 'mayFinish'>;
  readonly route: Omit<HttpRoute, 'caPem'>;
  /** One 32-bit TURN. */
  readonly turn: SharedArrayBuffer;
}

/** Messages from the pool. Each request that has a reply is answered exactly once. */
export type WorkerRequest =
  | { readonly type: 'stat'; readonly id: number; readonly paths: readonly string[] }
  | {
      readonly type: 'inspect';
      readonly id: number;
      readonly paths: readonly string[];
      readonly kind: HashKind;
    }
  | { readonly type: 'hash'; readonly id: number; readonly path: string; readonly kind: HashKind }
  | { readonly type: 'sum'; readonly id: number; readonly plan: SourcePlan }
  | {
      readonly type: 'write';
      readonly id: number;
      readonly path: string;
      readonly part: string;
      readonly bytes: Uint8Array;
      readonly replace: boolean;
    }
  /** Bodies will be sent soon. No reply. */
  | { readonly type: 'prepare'; readonly id: number }
  /** Sent before the first body: the certificates to trust in addition to the usual ones, often hundreds of kilobytes. */
  | { readonly type: 'trust'; readonly id: number; readonly caPem: string | null }
  | SendRequest
  /** For a body in transit: the rate limit was turned on or off; this many bytes may pass; stop sending. */
  | { readonly type: 'bound'; readonly id: number; readonly bound: boolean }
  | { readonly type: 'grant'; readonly id: number; readonly bytes: number }
  | { readonly type: 'stop'; readonly id: number };

/** An answer with its body; `cut`: why the rest of the body never arrived. */
export interface WholeAnswer extends Pick<HttpAnswer, 'kind' | 'status' | 'headers' | 'early'> {
  readonly body: Uint8Array;
  readonly cut: SluiceError | null;
}

/** How reading the sources of a body ended. */
export interface ReadEnd {
  readonly outcome: SourceOutcome;
  readonly checksums: ComputedChecksums;
}

export interface SendEnd extends ReadEnd {
  readonly type: 'sendEnd';
  readonly id: number;
  readonly end: WholeAnswer | HttpFailure;
  /** Bytes sent but not reported yet. */
  readonly sent: number;
}

/** Messages from a worker: first `ready`; in all others `id` is the request's. */
export type WorkerReply =
  | { readonly type: 'ready' }
  | {
      readonly type: 'stat';
      readonly id: number;
      readonly results: readonly Result<FileFacts>[];
      readonly tookMs: number;
    }
  | {
      readonly type: 'inspect';
      readonly id: number;
      readonly results: readonly Result<Inspection>[];
      readonly tookMs: number;
    }
  | { readonly type: 'hash'; readonly id: number; readonly result: Result<string> }
  | { readonly type: 'sum'; readonly id: number; readonly checksums: ComputedChecksums | null }
  | { readonly type: 'write'; readonly id: number; readonly result: Result<Written> }
  /** For a body in transit: this many more bytes were sent; this many wait for the rate limit. */
  | { readonly type: 'sent'; readonly id: number; readonly bytes: number }
  | { readonly type: 'want'; readonly id: number; readonly bytes: number }
  | SendEnd;

/** Sends messages to another thread in groups, because for a small message, waking the thread costs more than anything else. */
export function inGroups<T>(send: (messages: readonly T[]) => void): (message: T) => void {
  let group: T[] = [];
  const flush = (): void => {
    const messages = group;
    group = [];
    send(messages);
  };
  return (message) => {
    if (group.push(message) === 1) setImmediate(flush);
  };
}
