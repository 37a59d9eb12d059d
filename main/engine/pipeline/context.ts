/**
 * What every step of the pipeline works with: the ports, the ledger, the service of one connection, and the rules of this
 * run. Steps never call each other; they share state in the ledger and wake each other through `changed`.
 */
import type { SluiceError } from '../core/errors.ts';
import type { EngineTime } from '../evidence/engineTime.ts';
import type { OperationFamily, Gate } from '../evidence/gate.ts';
import type { PipelineTimes } from '../core/limits.ts';
import type { Ports, Throttle } from '../core/ports.ts';
import type { ServiceClient } from '../service/serviceClient.ts';
import type { Store } from '../store/store.ts';
import type { StartDoubt } from './missingJob.ts';
import type { ForeignNames } from './foreignNames.ts';
import type { Refusals } from './refusals.ts';
import type { SentChecksums } from './sentChecksums.ts';

/** How the storage behaves; learned from its answers, lost when the program ends. */
interface StorageHabits {
  /** The storage states an MD5 and no faster checksum, so an MD5 is computed while a body is sent. */
  statesOnlyMd5: boolean;
  /** The storage states an MD5 of images, so an MD5 is computed while they are sent. */
  statesImageMd5: boolean;
  /** Bodies in a row whose ETag looked like an MD5 but differed from ours. From the second on, ETags do not count as MD5s. */
  oddEtags: number;
  /** The last object came without any checksum. */
  statesNothing: boolean;
  /** The most bytes of a shard, as far as refusals of larger ones show: the service may state more than its storage accepts. */
  acceptsBytes: number;
  /** A body arrived although its success was not answered as documented: such answers are the service's own. */
  answersOddly: boolean;
}

type StepName = 'identify' | 'plan' | 'transfer' | 'confirm';

export interface Pipeline {
  readonly ports: Ports;
  readonly store: Store;
  readonly client: ServiceClient;
  readonly connectionId: number;
  /** The requested batch ids whose transfers may be sent; null for all. A one-shot command sends only its own. */
  readonly bases: readonly string[] | null;
  readonly times: PipelineTimes;
  /** Aborts when the pipeline stops: running work is interrupted and stays resumable. */
  readonly signal: AbortSignal;
  /** Notifies other steps that rows have changed on which they may work; does not run the steps. */
  changed(...steps: readonly StepName[]): void;
  /** Decides whether operations may start. */
  readonly gate: Gate;
  /** Clocks that stay right even if this computer's clock is wrong. */
  readonly time: EngineTime;
  /** Other computers' names in the batches that we fill. */
  readonly foreign: ForeignNames;
  /** Files that the service refused recently, by batch. */
  readonly refusals: Refusals;
  /** Number of shards being registered, by batch: the service may know them before the ledger does. */
  readonly registering: Map<number, number>;
  /** Batches that look expired, but to which a body was being sent when they were checked: no other starts until the next check. */
  readonly ending: Set<number>;
  /** How the last request to start a job ended, by the job's row; null when that request certainly started nothing. */
  readonly startDoubts: Map<number, StartDoubt | null>;
  /** Where this run has seen drives mounted. */
  readonly drives: Set<string>;
  readonly storage: StorageHabits;
  readonly sentChecksums: SentChecksums;
  /** An operation failed; a cause that affects others too keeps them from starting. The default family is work on jobs. */
  wait(error: SluiceError, family?: OperationFamily): void;
  /** An operation reached the service: work that waited for that continues. */
  reached(family: OperationFamily): void;
  /** Counts bytes of bodies handed to the network, for rates. */
  sentBytes(count: number, ofTransfer: { readonly id: number; readonly bytes: number }): void;
  /** Slows sent and downloaded bodies down to the rate limit of the pipeline. */
  readonly throttle: Throttle;
  /** True while webhooks arrive, so that polling may be slower. Absent when there are none. */
  readonly hintsArrive?: () => boolean;
}
