/** Creates on the service what must not be created twice: checks first, requests once, and checks again after a doubtful answer. */
import { ok, type Result, sluiceError, type SluiceError } from '../core/errors.ts';
import type { AnnotationJob, Folder } from '../core/model.ts';
import type { Clock } from '../core/ports.ts';
import type { AnnotationJobRequest, ServiceClient } from '../service/serviceClient.ts';

/** Pauses before each check, in ms; together the 30 s within which the service may still act on a request (limits.ts). */
const PAUSES_MS = [0, 1_000, 2_000, 4_000, 8_000, 15_000] as const;

export interface CreationDeps {
  readonly client: ServiceClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called before half a minute of checking begins. */
  readonly onLost?: (said: string) => void;
}

/** What exists now; `created` is false when it already existed. */
export interface Made<T> {
  readonly made: T;
  readonly created: boolean;
}

/** Creates nothing: checks until the thing exists or half a minute is over. */
async function lookAfterLost<T>(
  { clock, signal, onLost }: CreationDeps,
  lost: SluiceError,
  noun: string,
  look: () => Promise<Result<T | null>>,
): Promise<Result<T>> {
  onLost?.(`It is not certain that the ${noun} was created. Checking with the service…`);
  let answered = false;
  for (const pause of PAUSES_MS) {
    await clock.sleep(pause, signal);
    if (signal.aborted) break;
    const found = await look();
    if (!found.ok) continue;
    answered = true;
    if (found.value !== null) return ok(found.value);
  }
  const said = answered
    ? `the ${noun} was not created; running this again checks for it first`
    : `it is not known whether the ${noun} was created; running this again checks for it first`;
  return { ok: false, error: sluiceError(lost.code, { said }) };
}

async function makeOnce<T>(
  making: CreationDeps,
  noun: string,
  look: () => Promise<Result<T | null>>,
  make: () => Promise<Result<T>>,
): Promise<Result<Made<T>>> {
  const before = await look();
  if (!before.ok) return before;
  if (before.value !== null) return ok({ made: before.value, created: false });
  const made = await make();
  if (made.ok) return ok({ made: made.value, created: true });
  if (made.error.next !== 'unknown') return made;
  const found = await lookAfterLost(making, made.error, noun, look);
  return found.ok ? ok({ made: found.value, created: true }) : found;
}

export type FolderPlace = Pick<Folder, 'name' | 'parentId'>;

/**
 * Creates a folder, unless its parent has one with this name. A service may not list parents: then a new folder with this name is the one
 * that was requested. Errors: those of the service; service.noAnswer or network.intercepted when it stays unknown.
 */
export function createFolderOnce(
  making: CreationDeps,
  { name, parentId }: FolderPlace,
): Promise<Result<Made<FolderPlace & { readonly folderId: string }>>> {
  const { client, signal } = making;
  let before: ReadonlySet<string> | null = null;
  return makeOnce(
    making,
    'folder',
    async () => {
      const folders = await client.listFolders(signal);
      if (!folders.ok) return folders;
      const named = folders.value.filter((one) => one.name === name);
      const known = before;
      before ??= new Set(named.map((one) => one.folderId));
      const found =
        named.find((one) => one.parentId === parentId) ??
        named.find((one) => one.parentId === null && known?.has(one.folderId) === false);
      return ok(found === undefined ? null : { folderId: found.folderId, name, parentId });
    },
    async () => {
      const made = await client.createFolder({ name, parentId }, signal);
      return made.ok ? ok({ folderId: made.value, name, parentId }) : made;
    },
  );
}

/** The job with this name over the image batch, with the same people and number of images; null when there is none. */
function sameJob(
  jobs: readonly AnnotationJob[],
  request: AnnotationJobRequest,
  otherBatches: ReadonlySet<string>,
): AnnotationJob | null {
  const same = (one: string | null, other: string): boolean =>
    one === null || one.toLowerCase() === other.toLowerCase();
  return (
    jobs.find(
      (job) =>
        job.name === request.name &&
        (job.images === null || job.images === request.images) &&
        same(job.labeler, request.labelerEmail) &&
        same(job.reviewer, request.reviewerEmail) &&
        // A service may give an internal id of the source that no list shows: then everything else decides.
        !(job.sourceBatch !== null && otherBatches.has(job.sourceBatch)),
    ) ?? null
  );
}

/** Creates an annotation job, unless the same one exists. `imageBatches`: every image batch of the project. */
export function createAnnotationJobOnce(
  making: CreationDeps,
  projectId: string,
  request: AnnotationJobRequest,
  imageBatches: readonly { readonly imageBatchId: string }[],
): Promise<Result<Made<AnnotationJob>>> {
  const { client, signal } = making;
  const others = imageBatches
    .map((one) => one.imageBatchId)
    .filter((id) => id !== request.imageBatchId);
  return makeOnce(
    making,
    'annotation job',
    async () => {
      const jobs = await client.annotationJobs(projectId, signal);
      return jobs.ok ? ok(sameJob(jobs.value, request, new Set(others))) : jobs;
    },
    () => client.createAnnotationJob(projectId, request, signal),
  );
}
