/** All state of the service, readable and settable by tests. Shared by request handlers and background work. */
import type { Blob } from './blobStore.ts';
import { doublesOf, lostOf, type Double } from './contents.ts';
import type { ProjectsState } from './projectsState.ts';
import type { Settings } from './settings.ts';
import type { ServiceClock } from './testClock.ts';

/** Who wrote something: the client under test, or the other computer. */
export type Writer = 'client' | 'other';

export interface StoredObject {
  readonly objectId: string;
  readonly name: string;
  /** Computed on first use. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly contentType: 'images' | 'videos' | 'archives' | 'metadata';
  /** Pixels, for images whose header states them. */
  readonly width: number | null;
  readonly height: number | null;
  readonly shardId: string | null;
  readonly partName: string | null;
  readonly arrivedAt: number;
  readonly writer: Writer;
  readonly blob: Blob;
}

/** An object that was replaced by a later one of the same name. */
export interface Replaced {
  readonly batchId: string;
  readonly object: StoredObject;
  readonly by: StoredObject;
}

/** An upload that was answered 200 and thrown away. */
interface Dropped {
  readonly batchId: string;
  /** null for a whole shard. */
  readonly name: string | null;
  readonly sha256: string;
  readonly at: number;
}

/** What the service reports about a shard. */
export interface ShardStatus {
  statusName: 'registered' | 'indexing' | 'indexed' | 'indexed-with-errors' | 'rejected';
  statusType: 'info' | 'success' | 'error';
  eventAt: number;
  objectsCount: number;
  metadata: Readonly<Record<string, unknown>> | null;
}

export interface Shard extends ShardStatus {
  readonly shardId: string;
  readonly writer: Writer;
  /** When its archive had arrived; null until then. */
  receivedAt: number | null;
  /** The archive as received. */
  archive: Blob | null;
  /** All its statuses, oldest first; a slow list shows an earlier one. */
  readonly history: Readonly<ShardStatus>[];
}

export interface Part {
  readonly partName: string;
  readonly partType: string;
  readonly contentType: string;
  readonly partDescription: string | null;
  readonly nestedContentType: string | null;
}

export interface Batch {
  readonly batchId: string;
  readonly displayName: string;
  readonly type: 'simple-batch' | 'sharded-batch' | 'multipart-batch';
  readonly contentType: 'images' | 'videos' | 'mixed';
  readonly createdAt: number;
  expiresAt: number;
  readonly objects: StoredObject[];
  readonly shards: Shard[];
  readonly parts: Part[];
  /** Jobs started on it. */
  readonly jobs: string[];
}

/** A signed address that was issued for one body. */
export interface Upload {
  readonly uploadId: string;
  readonly batch: Batch;
  /** The shard that the body fills; null for a video. */
  readonly shard: Shard | null;
  /** The video's name; null for a shard. */
  readonly fileName: string | null;
  readonly maxBytes: number;
  /** Complete bodies received: 2 means that the same address was filled twice. */
  bodies: number;
  object: StoredObject | null;
}

interface JobTask {
  readonly taskId: string;
  notification: string;
  statusType: 'info' | 'success' | 'error';
  progress: number | null;
  eventAt: number;
}

export interface JobStage {
  readonly stageId: string;
  readonly name: 'processing' | 'export';
  readonly tasks: JobTask[];
  readonly outputBatches: readonly string[];
  readonly startedAt: number;
  notification: string;
  statusType: 'info' | 'success' | 'error';
  eventAt: number;
}

export interface JobLog {
  readonly createdAt: number;
  readonly stageId: string | null;
  readonly taskId: string | null;
  readonly severity: 'info' | 'warning' | 'error';
  readonly text: string;
}

export interface Job {
  readonly jobId: string;
  readonly name: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly kind: 'image' | 'video';
  readonly inputBatchId: string;
  readonly inputPart: string | null;
  readonly workflowId: string;
  readonly aggregationFormat: 'csv' | 'jsonl';
  readonly notificationsUrl: string | null;
  readonly createdAt: number;
  updatedAt: number;
  currentStage: string | null;
  error: boolean;
  isTerminal: boolean;
  lastNotification: Readonly<Record<string, unknown>> | null;
  stages: JobStage[];
  readonly logs: JobLog[];
  /** Paid runs: 1 after a start, one more after each restart. */
  runs: number;
}

interface Delivery {
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly attempt: number;
  /** Status of the receiver's answer; null when there was none. */
  readonly status: number | null;
  readonly at: number;
}

/** Something that a client did that the live service would not notice or not tolerate. */
interface Violation {
  readonly at: number;
  readonly requestId: number;
  readonly rule: string;
  readonly detail: string;
}

export interface State {
  readonly workspace: string;
  /** The key that is accepted now; a test may change it. */
  apiKey: string;
  readonly clock: ServiceClock;
  readonly settings: Settings;
  /** Batches that have not expired, by id; look them up with `batch`. */
  readonly batches: Map<string, Batch>;
  /** Earlier generations of batches, gone after their seven days. */
  readonly expired: Batch[];
  readonly uploads: Map<string, Upload>;
  readonly objectsById: Map<string, { readonly batch: Batch; readonly object: StoredObject }>;
  readonly jobs: Map<string, Job>;
  readonly projects: ProjectsState;
  readonly webhooks: Delivery[];
  readonly violations: Violation[];
  readonly replaced: Replaced[];
  readonly dropped: Dropped[];
  /** Number of complete uploads of the client, shard members counted individually. */
  arrivals: number;
  /** The batch, when it exists and has not expired. */
  batch(batchId: string): Batch | null;
  /** The objects of a batch, in order of arrival; a name that arrived twice is there twice. Empty for an unknown batch. */
  objects(batchId: string): readonly StoredObject[];
  /** Adds an object; depending on the settings, it replaces the one of the same name. */
  addObject(batch: Batch, object: StoredObject): void;
  /** What the client under test sent twice into a batch, by name or content; it must never do that. */
  doubles(batchId?: string): readonly Double[];
  /** Contents of the client that were replaced and that no batch has any more. */
  lost(): readonly Replaced[];
  newId(prefix: string): string;
}

export function createState(given: {
  readonly workspace: string;
  readonly apiKey: string;
  readonly clock: ServiceClock;
  readonly settings: Settings;
  readonly projects: ProjectsState;
}): State {
  const batches = new Map<string, Batch>();
  const expired: Batch[] = [];
  const objectsById: State['objectsById'] = new Map();
  const replaced: Replaced[] = [];
  let counter = 0;

  const batch = (batchId: string): Batch | null => {
    const found = batches.get(batchId);
    if (found === undefined) return null;
    if (found.expiresAt > given.clock.now()) return found;
    batches.delete(batchId);
    expired.push(found);
    return null;
  };

  const addObject = (into: Batch, object: StoredObject): void => {
    const at =
      given.settings.sameName === 'replaces'
        ? into.objects.findIndex(
            (one) => one.name === object.name && one.partName === object.partName,
          )
        : -1;
    const former = into.objects[at];
    if (former === undefined) into.objects.push(object);
    else {
      into.objects[at] = object;
      replaced.push({ batchId: into.batchId, object: former, by: object });
      // A storage that holds one object per name serves the new one under every address of the name.
      objectsById.set(former.objectId, { batch: into, object });
    }
    objectsById.set(object.objectId, { batch: into, object });
  };

  return {
    ...given,
    batches,
    expired,
    uploads: new Map(),
    objectsById,
    jobs: new Map(),
    webhooks: [],
    violations: [],
    replaced,
    dropped: [],
    arrivals: 0,
    batch,
    objects: (batchId) => batch(batchId)?.objects ?? [],
    addObject,
    doubles: (batchId) =>
      [...batches.values()]
        .filter((candidate) => batchId === undefined || candidate.batchId === batchId)
        .filter((candidate) => candidate.type !== 'multipart-batch')
        .flatMap((candidate) => doublesOf(candidate, replaced)),
    lost: () => lostOf([...batches.values(), ...expired], replaced),
    newId: (prefix) => {
      counter += 1;
      return `${prefix}${counter.toString(36).padStart(6, '0')}`;
    },
  };
}
