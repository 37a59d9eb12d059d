/**
 * What every step of the pipeline works with: the ports, the ledger, the service of one connection, and the rules of this
 * run. Steps never call each other; they meet in the ledger and wake each other through `changed`.
 */
import type { SluiceError } from '../core/errors.ts';
import type { EngineTime } from '../evidence/engineTime.ts';
import type { OperationFamily, Gate, GateTimes } from '../evidence/gate.ts';
import type { AbsenceTimes } from '../evidence/absence.ts';
import type { Ports } from '../core/ports.ts';
import type { ServiceClient } from '../service/serviceClient.ts';
import type { Store } from '../store/store.ts';
import type { Throttle } from '../core/ports.ts';
import type { Pace } from './bandwidth.ts';
import type { ForeignNames } from './foreignNames.ts';
import type { Refusals } from './refusals.ts';
import type { SentChecksums } from './sentChecksums.ts';

/** Times of the pipeline that tests shorten; the standard ones come from limits.ts. */
export interface PipelineTimes extends GateTimes, AbsenceTimes {
  readonly orphanShardMs: number;
  /** What the service took and does not list after this time is asked about as if its answer had been lost. */
  readonly sentPatienceMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  readonly confirmFirstMs: number;
  readonly confirmMaxMs: number;
  readonly retentionMs: number;
  readonly resultsAgainMs: number;
  readonly resultsPatienceMs: number;
  /** What was given up, or held, for a cause outside this computer is tried again after this time. */
  readonly parkedAgainMs: number;
  /** So long the service must say that it knows no such job before it is started again. */
  readonly jobMissingMs: number;
  /** A command gives up when the service has not answered it for so long: before its first answer, and after that. */
  readonly silentStartMs: number;
  readonly silentMidwayMs: number;
}

/** How the storage states what it stored; learned from its answers, forgotten with the program. */
interface StorageHabits {
  /** It states an MD5 and no quicker checksum: an MD5 is made while a body is sent. */
  statesOnlyMd5: boolean;
  /** It states an MD5 of images: one is made while they are sent. */
  statesImageMd5: boolean;
  /** Bodies in a row whose ETag looked like an MD5 and was another one. From the second on it counts as no MD5. */
  oddEtags: number;
  /** The object that was asked about last came without any statement about its content. */
  statesNothing: boolean;
}

type StepName = 'identify' | 'plan' | 'transfer' | 'confirm';

export interface Pipeline {
  readonly ports: Ports;
  readonly store: Store;
  readonly client: ServiceClient;
  readonly connectionId: number;
  /** The batch ids asked for whose transfers may go now; null: all. A one-shot command sends only its own. */
  readonly bases: readonly string[] | null;
  readonly times: PipelineTimes;
  /** Aborts when the pipeline stops: running work is broken off and stays resumable. */
  readonly signal: AbortSignal;
  /** Tells other steps that rows they may work on have changed. Announces only. */
  changed(...steps: readonly StepName[]): void;
  /** What keeps operations from beginning. */
  readonly gate: Gate;
  /** Clocks that a wrong clock of this computer cannot mislead. */
  readonly time: EngineTime;
  /** Names of others in the batches that we fill. */
  readonly foreign: ForeignNames;
  /** Files that the service refused recently, by batch. */
  readonly refusals: Refusals;
  /** Shards that the service is being asked to register, by batch: it may know them before the ledger does. */
  readonly registering: Map<number, number>;
  /** What was learned about the storage's statements. */
  readonly storage: StorageHabits;
  readonly sentChecksums: SentChecksums;
  /** An operation failed; a cause that others would meet, too, keeps them from beginning. Left out: work on jobs. */
  wait(error: SluiceError, family?: OperationFamily): void;
  /** An operation reached the service: whatever waited for that goes on. */
  reached(family: OperationFamily): void;
  /** Why operations of a family wait; null when they do not. Left out: work on jobs. */
  waiting(family?: OperationFamily): SluiceError | null;
  /** Bytes of bodies handed to the network, counted for rates. */
  sentBytes(count: number, ofTransfer: { readonly id: number; readonly bytes: number }): void;
  /** Slows bodies that are sent down to the bound of the pipeline; absent: there is none. */
  readonly throttleUp?: Throttle;
  /** The same for files that are fetched. */
  readonly paceDown?: Pace;
  /** True while webhooks arrive: asking may be slower. Absent: there are none. */
  readonly hintsArrive?: () => boolean;
}
