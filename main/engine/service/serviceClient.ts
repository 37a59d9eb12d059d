/**
 * The service as the engine sees it: 18 operations and the extras. Every method returns a Result and never throws;
 * `unknown` as an error's next step means that the service may have acted. Implemented by client.ts.
 */
import type { Result } from '../core/errors.ts';
import type {
  AnnotationJob,
  Folder,
  ImageBatch,
  Insights,
  JobLogLine,
  JobStatus,
  OutputPart,
  Project,
  RemoteBatch,
  RemoteFile,
  ShardDetails,
  SignedUpload,
  Stage,
  Task,
  MediaKind,
} from '../core/model.ts';
import type { JobOptions } from '../core/contract.ts';
import type { HttpAnswer, StreamBody } from '../core/ports.ts';

export interface Connection {
  readonly apiUrl: string;
  readonly projectsUrl: string;
  /** The key; a secret. */
  readonly apiKey: string;
  /** null: ask the service with GET /. */
  readonly workspace: string | null;
}

/** What the start-job body is made from; absent fields are not sent. */
export interface JobRequest extends Readonly<
  Omit<JobOptions, 'workersPerMachine' | 'workflowParameters'>
> {
  readonly kind: MediaKind;
  readonly batchId: string;
  readonly partName?: string | undefined;
  readonly workersPerMachine?: number | undefined;
  readonly workflowParameters?: Readonly<Record<string, unknown>> | undefined;
  readonly notificationsUrl?: string | undefined;
}

/** One page of a list; `nextPageToken` is null at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string | null;
}

export interface AnnotationJobRequest {
  readonly name: string;
  readonly imageBatchId: string;
  readonly images: number;
  readonly labelerEmail: string;
  readonly reviewerEmail: string;
}

export interface Delivered {
  /** The address answered 412: an object of this name exists. Whether it is ours must be proved. */
  readonly alreadyThere: boolean;
  /** Headers of the storage's answer, which may state checksums of what it stored; empty for an image POST. */
  readonly headers: Readonly<Record<string, string>>;
}

interface StoredObject {
  /** The status of the answer: 206 with the requested range, 416 when the object is empty. */
  readonly status: number;
  /** Size of the object; null unless the storage answered with the requested range, which a page from a proxy would not. */
  readonly lengthBytes: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** No byte came: some servers answer so to a request for a range of nothing, not with 416, and may state no length. */
  readonly isBodiless?: boolean;
}

export interface ServiceClient {
  /** Slug of the key's workspace (`GET /`, an extra), or the configured one. Requested once, then kept. */
  workspace(signal: AbortSignal): Promise<Result<string>>;
  /** Like workspace(), but always asks: shows whether the key works now. */
  checkKey(signal: AbortSignal): Promise<Result<string>>;

  // Batches
  uploadImage(
    target: { batchId: string; fileName: string; displayName: string | null },
    body: { contentType: string; body: StreamBody },
    signal: AbortSignal,
  ): Promise<Result<Delivered>>;
  registerVideo(
    target: { batchId: string; fileName: string; displayName: string | null },
    signal: AbortSignal,
  ): Promise<Result<SignedUpload>>;
  registerShard(
    target: { batchId: string; displayName: string | null },
    signal: AbortSignal,
  ): Promise<Result<SignedUpload>>;
  /** PUTs a body to a signed address, without the key. Error on 403: upload.urlExpired. */
  putSigned(
    upload: { url: string; headers: Readonly<Record<string, string>> },
    body: StreamBody,
    signal: AbortSignal,
  ): Promise<Result<Delivered>>;
  /** Number of ingested items; null for a batch that the service does not know (404 as JSON). */
  askCount(
    batchId: string,
    partName: string | null,
    signal: AbortSignal,
  ): Promise<Result<number | null>>;
  /** Every shard, all pages; null as askCount. */
  askShards(batchId: string, signal: AbortSignal): Promise<Result<readonly ShardDetails[] | null>>;
  /** One page of files; null as askCount. */
  askFilesPage(
    batchId: string,
    partName: string | null,
    pageToken: string | null,
    signal: AbortSignal,
  ): Promise<Result<Page<RemoteFile> | null>>;
  /** Output parts; an empty list for a batch without parts, also when the service answers 404 or refuses the question. */
  batchParts(batchId: string, signal: AbortSignal): Promise<Result<readonly OutputPart[]>>;
  /** Every file, all pages; an empty list on 404. A repeated page token is service.unexpectedAnswer. */
  batchFiles(
    batchId: string,
    partName: string | null,
    signal: AbortSignal,
  ): Promise<Result<readonly Omit<RemoteFile, 'url'>[]>>;
  /** Extra: null when the service has no such list. */
  listBatches(signal: AbortSignal): Promise<Result<readonly RemoteBatch[] | null>>;
  /** Extra: null when the service does not say. */
  batchMetadata(batchId: string, signal: AbortSignal): Promise<Result<RemoteBatch | null>>;
  /** GETs a signed address from a byte offset, without the key. Statuses: 200, 206, 416. `ifRange`: an ETag or date of an earlier answer. */
  getSigned(
    url: string,
    range: { fromByte: number; ifRange: string } | null,
    signal: AbortSignal,
  ): Promise<Result<HttpAnswer>>;

  /** GETs a range of the object at a signed address; null when the storage answers with anything but exactly that range. */
  readSigned(
    url: string,
    range: { fromByte: number; lengthBytes: number },
    signal: AbortSignal,
  ): Promise<Result<Uint8Array | null>>;

  /** Reads the facts about the object at a signed download address, without fetching it. */
  describeSigned(url: string, signal: AbortSignal): Promise<Result<StoredObject>>;

  // Jobs
  /** The complete body of a start-job request, to be saved before it is sent. */
  jobBody(request: JobRequest, workspace: string): Readonly<Record<string, unknown>>;
  /** Starts a job with a saved body. Error on 409: job.conflict. */
  startJob(
    jobId: string,
    name: string | null,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Result<void>>;
  /** null when the service does not know the job (404). */
  jobStatus(jobId: string, signal: AbortSignal): Promise<Result<JobStatus | null>>;
  /** In the order of their start. */
  jobStages(jobId: string, signal: AbortSignal): Promise<Result<readonly Stage[]>>;
  stageTasks(jobId: string, stageId: string, signal: AbortSignal): Promise<Result<readonly Task[]>>;
  /** Extra: null when the service has no such list. */
  listJobs(signal: AbortSignal): Promise<Result<readonly JobStatus[] | null>>;
  /** Extras: false when the service does not offer it. */
  abortJob(jobId: string, signal: AbortSignal): Promise<Result<boolean>>;
  restartJob(jobId: string, signal: AbortSignal): Promise<Result<boolean>>;
  /** Extra: null when the service offers no log. */
  jobLogs(jobId: string, signal: AbortSignal): Promise<Result<readonly JobLogLine[] | null>>;

  // Projects
  listFolders(signal: AbortSignal): Promise<Result<readonly Folder[]>>;
  /** The new folder's id. Never repeated by the client: an ambiguous answer is service.noAnswer. */
  createFolder(
    folder: { name: string; parentId: string | null },
    signal: AbortSignal,
  ): Promise<Result<string>>;
  moveProjects(
    folderId: string,
    projectIds: readonly string[],
    signal: AbortSignal,
  ): Promise<Result<void>>;
  /** Extra: null when the service does not list projects. */
  listProjects(signal: AbortSignal): Promise<Result<readonly Project[] | null>>;
  /** Dates are `YYYY-MM-DD`, both included. */
  insights(
    projectId: string,
    period: { from: string; until: string },
    signal: AbortSignal,
  ): Promise<Result<Insights>>;
  imageBatches(projectId: string, signal: AbortSignal): Promise<Result<readonly ImageBatch[]>>;
  annotationJobs(projectId: string, signal: AbortSignal): Promise<Result<readonly AnnotationJob[]>>;
  /** Never repeated by the client: an ambiguous answer is service.noAnswer. */
  createAnnotationJob(
    projectId: string,
    request: AnnotationJobRequest,
    signal: AbortSignal,
  ): Promise<Result<AnnotationJob>>;
}

/** Which form of the project paths the service uses; learned from a read, kept per connection. */
export type Dialect = 'spec' | 'live';

/** Where the client keeps something that it learned about a connection between runs; null while it is not known. */
export interface Learned<T> {
  read(): T | null;
  write(found: T): void;
}
