/**
 * What every step of the line works with: the ports, the ledger, the service of one connection, and the rules of this
 * run. Steps never call each other; they meet in the ledger and wake each other through `changed`.
 */
import type { SluiceError } from '../../../preload/errorCodes.ts';
import type { Ports } from '../ports.ts';
import type { ServiceClient } from '../service/serviceClient.ts';
import type { Store } from '../store/store.ts';
import type { Pace } from './bandwidth.ts';

/** Times of the line that tests shorten; the standard ones come from limits.ts. */
export interface LineTimes {
  readonly lateCommitMs: number;
  readonly orphanShardMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  readonly confirmFirstMs: number;
  readonly confirmMaxMs: number;
  readonly retentionMs: number;
}

export type StepName =
  'identify' | 'plan' | 'transfer' | 'reconcile' | 'confirm' | 'process' | 'download';

export interface Line {
  readonly ports: Ports;
  readonly store: Store;
  readonly client: ServiceClient;
  readonly connectionId: number;
  /** The batch ids asked for whose transfers may go now; null: all. A one-shot command sends only its own. */
  readonly bases: readonly string[] | null;
  readonly times: LineTimes;
  /** Aborts when the line stops: running work is broken off and stays resumable. */
  readonly signal: AbortSignal;
  /** Tells other steps that rows they may work on have changed. Announces only. */
  changed(...steps: readonly StepName[]): void;
  /** Stops new work on the whole line until the cause is gone: a refused key, a full disk. */
  wait(error: SluiceError): void;
  /** Why the line waits; null when it does not. */
  waiting(): SluiceError | null;
  /** Bytes of bodies handed to the network, counted for rates. */
  sentBytes(count: number, ofTransfer: { readonly id: number; readonly bytes: number }): void;
  /** Slows bodies that are sent down to the bound of the line; absent: there is none. */
  readonly paceUp?: Pace;
  /** The same for files that are fetched. */
  readonly paceDown?: Pace;
  /** True while webhooks arrive: asking may be slower. Absent: there are none. */
  readonly hintsArrive?: () => boolean;
}
