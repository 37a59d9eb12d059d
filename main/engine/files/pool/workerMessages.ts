/** What a file worker and its pool say to each other. Both sides are ours and of one build, so nothing is parsed. */
import type { Result } from '../../core/errors.ts';
import type { FileFacts, HashKind, Inspection, SourceMember } from '../../core/model.ts';
import type { SourceStep } from '../read/sourceReader.ts';

/** From the pool. Every request is answered once, but a stream: one step for each credit, until its outcome is no longer `reading`. */
export type WorkerRequest =
  | { readonly type: 'look'; readonly id: number; readonly paths: readonly string[] }
  | {
      readonly type: 'inspect';
      readonly id: number;
      readonly paths: readonly string[];
      readonly kind: HashKind;
    }
  | { readonly type: 'hash'; readonly id: number; readonly path: string; readonly kind: HashKind }
  | {
      readonly type: 'open';
      readonly id: number;
      readonly members: readonly SourceMember[];
      readonly trailer: Uint8Array;
      /** Steps that may come at once. */
      readonly credits: number;
    }
  | { readonly type: 'credit'; readonly id: number }
  | { readonly type: 'stop'; readonly id: number };

/** From a worker: `ready` once it can work; then `id` is the request's. */
export type WorkerReply =
  | { readonly type: 'ready' }
  | { readonly type: 'look'; readonly id: number; readonly results: readonly Result<FileFacts>[] }
  | {
      readonly type: 'inspect';
      readonly id: number;
      readonly results: readonly Result<Inspection>[];
    }
  | { readonly type: 'hash'; readonly id: number; readonly result: Result<string> }
  | { readonly type: 'step'; readonly id: number; readonly step: SourceStep };
