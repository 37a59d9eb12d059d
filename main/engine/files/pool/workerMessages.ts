/** What a file worker and its pool say to each other. Both sides are ours and of one build, so nothing is parsed. */
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

/** Who decides whether the last byte of a body leaves: the first of the two threads to take the turn. */
export const TURN = { open: 0, finishing: 1, stopped: 2 } as const;

/** A body to be sent. */
export interface SendRequest {
  readonly type: 'send';
  readonly id: number;
  readonly plan: SourcePlan;
  readonly withMd5: boolean;
  /** There is a bound for the rate: bytes are asked for. */
  readonly bound: boolean;
  readonly request: Omit<HttpRequest, 'body' | 'signal' | 'mayFinish'>;
  readonly route: Omit<HttpRoute, 'caPem'>;
  /** One 32-bit TURN. */
  readonly turn: SharedArrayBuffer;
}

/** From the pool. Every request with an answer of its own is answered once. */
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
      readonly bytes: Uint8Array;
      readonly replace: boolean;
    }
  /** Bodies will be sent: without an answer. */
  | { readonly type: 'prepare'; readonly id: number }
  /** Before the first body: the certificates to trust beside the usual ones. Often hundreds of kilobytes. */
  | { readonly type: 'trust'; readonly id: number; readonly caPem: string | null }
  | SendRequest
  /** For a body that is sent: the bound came or went; so many of the bytes that it wants may pass; it is not wanted any more. */
  | { readonly type: 'bound'; readonly id: number; readonly bound: boolean }
  | { readonly type: 'grant'; readonly id: number; readonly bytes: number }
  | { readonly type: 'stop'; readonly id: number };

/** An answer with its body; `cut`: why the rest of that never came. */
export interface WholeAnswer extends Pick<HttpAnswer, 'kind' | 'status' | 'headers' | 'early'> {
  readonly body: Uint8Array;
  readonly cut: SluiceError | null;
}

/** How a body ended that was to be sent. */
export interface SendEnd {
  readonly type: 'sendEnd';
  readonly id: number;
  readonly end: WholeAnswer | HttpFailure;
  readonly outcome: SourceOutcome;
  readonly checksums: ComputedChecksums;
  /** Bytes that were handed out and not told yet. */
  readonly sent: number;
}

/** From a worker: `ready` once it can work; then `id` is the request's. */
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
  /** Of a body that is sent: so many more bytes were handed out; so many wait for the bound. */
  | { readonly type: 'sent'; readonly id: number; readonly bytes: number }
  | { readonly type: 'want'; readonly id: number; readonly bytes: number }
  | SendEnd;
