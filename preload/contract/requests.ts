/** Every request of the window, what main pushes to it, and the bridge that carries both. */
import { z } from 'zod';
import { ERROR_CODES, type Result } from './errors.ts';
import { BATCH_ID } from './idPatterns.ts';
import { jobId, listPage, page, path, request, rowId, search } from './requestParts.ts';
import { BATCH_SORTS, JOB_SORTS, LEFT_OUT_SORTS, RESULT_FILE_SORTS } from './listSorts.ts';
import type * as records from './records.ts';
import * as results from './results.ts';
import type * as service from './serviceRecords.ts';
import type { AppSnapshot } from './snapshot.ts';
import { settingsFields } from './settings.ts';
import { WAIT_KINDS } from './waits.ts';
import type { BatchAgain, UploadAgain } from './uploadAgain.ts';
import { type JobOptions, jobOptionsSchema, watchRuleSchema } from './watchRule.ts';

const batchId = z.string().regex(BATCH_ID);
const slug = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^/?#\s]+$/);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const address = z.url({ protocol: /^https?$/ }).max(500);
const apiKey = z.string().trim().min(1).max(500);
const connection = {
  apiUrl: address,
  projectsUrl: address.nullable(),
  apiKey,
  workspace: slug.nullable(),
};
const glob = z.string().min(1).max(500);
const problems = {
  ids: z.array(rowId).max(10_000).nullable(),
  code: z.enum(ERROR_CODES).nullable(),
};

/** The result of a decision: how many files it covers, and the number that undoes it. */
interface Decided {
  readonly count: number;
  readonly undo: number;
}

/** Every request by name. A new one does not compile without its handler in main/app/ipc/handlers.ts. */
export const REQUESTS = {
  'snapshot.get': request({}).returns<AppSnapshot>(),
  'notice.dismiss': request({ id: z.string().max(200) }).returns<null>(),
  // Connections. The key goes in once and never comes back.
  'connection.check': request(connection).returns<{ workspace: string }>(),
  'connection.add': request(connection).returns<{ id: number }>(),
  'connection.giveKey': request({ id: rowId, apiKey }).returns<null>(),
  'connection.select': request({ id: rowId }).returns<null>(),
  'connection.remove': request({ id: rowId, queued: z.enum(['keep', 'forget']) }).returns<null>(),
  // A directory only ever comes from a dialog that main opened, or from a drop.
  'directory.choose': request({
    purpose: z.enum(['watch', 'download', 'move', 'explain']),
  }).returns<{ path: string } | null>(),
  /** What a rule does with the files that exist now; `watchId` is the watch that will get the rule. */
  'watch.preview': request({
    rule: watchRuleSchema(),
    watchId: rowId.nullable(),
  }).returns<records.RulePreview>(),
  'watch.add': request({ rule: watchRuleSchema() }).returns<{ id: number }>(),
  'watch.edit': request({ id: rowId, rule: watchRuleSchema() }).returns<null>(),
  'watch.remove': request({ id: rowId, queued: z.enum(['keep', 'forget']) }).returns<null>(),
  'watch.pause': request({ id: rowId, paused: z.boolean() }).returns<null>(),
  'watch.scan': request({ id: rowId }).returns<null>(),
  'watch.seal': request({ id: rowId }).returns<null>(),
  'upload.summarize': request({
    paths: z.array(path).min(1).max(1000),
  }).returns<records.DropSummary>(),
  /** Small pictures of the first images below a directory that the user chose. */
  'directory.pictures': request({ path }).returns<{
    readonly pictures: readonly { readonly path: string; readonly dataUrl: string }[];
  }>(),
  /** The batch id made from a typed name; null when no character of it is legal in an id. */
  'upload.batchId': request({ batch: z.string().max(200) }).returns<{
    batchId: string | null;
  }>(),
  'upload.start': request({
    paths: z.array(path).min(1).max(1000),
    batch: z.string().trim().min(1).max(200),
    mode: z.enum(['auto', 'single', 'bulk']),
  }).returns<{ batchId: string }>(),
  /** Skips what was not sent yet of a drop. */
  'upload.cancel': request({ destinationId: rowId }).returns<null>(),
  'uploads.pause': request({ paused: z.boolean() }).returns<null>(),
  'why.path': request({ path }).returns<records.PathExplanation>(),
  // Batches
  'batch.page': request(
    // ownOnly: only batches that this computer fills, without those that only the service knows.
    { ...listPage(BATCH_SORTS), ownOnly: z.boolean().optional() },
  ).returns<records.PageOf<records.BatchRow>>(),
  'batch.detail': request({ batchId }).returns<records.BatchDetail>(),
  // Without asking the service; null for a batch that only the service may know.
  'batch.known': request({ batchId }).returns<records.BatchDetail | null>(),
  'batch.items': request({
    ...page,
    batchId,
    search,
    state: z.enum(['all', 'queued', 'sending', 'sent', 'confirmed', 'skipped', 'parked']),
    sort: z.enum(['added', 'name', 'size', 'state']),
    descending: z.boolean(),
  }).returns<records.PageOf<records.ItemRow>>(),
  /** Skipped files of a watch, of a batch, or, when both are null, all of them. */
  'leftOut.page': request({
    ...listPage(LEFT_OUT_SORTS),
    destinationId: rowId.nullable(),
    batchId: batchId.nullable(),
    reason: z.enum(ERROR_CODES).nullable(),
  }).returns<records.LeftOutPage>(),
  'batch.outputs': request({ batchId }).returns<readonly records.OutputRow[]>(),
  /** When `to` is null: a directory named after the batch in the downloads folder. */
  'batch.download': request({ batchId, to: path.nullable() }).returns<{
    to: string;
  }>(),
  'batch.seal': request({ batchId }).returns<null>(),
  /** What uploading a batch that the service deleted would mean; `batch.uploadAgain` starts it. */
  'batch.again': request({ batchId }).returns<BatchAgain>(),
  'batch.uploadAgain': request({ batchId }).returns<{ files: number }>(),
  'batch.receipt': request({ batchId, format: z.enum(['csv', 'json']) }).returns<{
    path: string;
  } | null>(),
  'item.thumbnail': request({ id: rowId }).returns<{ dataUrl: string } | null>(),
  'item.show': request({ id: rowId }).returns<null>(),
  /** Opens an image or a video in its default program; any other type of file is shown in its folder. */
  'item.open': request({ id: rowId }).returns<null>(),
  'item.detail': request({ id: rowId }).returns<records.FoundFile>(),
  /** Starts dragging files out of the window; call while the pointer is down. */
  'item.drag': request({ ids: z.array(rowId).min(1).max(500) }).returns<null>(),
  /** Confirmed or vanished files to upload again; nothing is sent before `upload.start`. */
  'item.again': request({ ids: z.array(rowId).min(1).max(1000) }).returns<UploadAgain>(),
  'item.copy': request({
    ids: z.array(rowId).min(1).max(10_000),
    what: z.enum(['path', 'name', 'hash']),
  }).returns<{ count: number }>(),
  'text.copy': request({ text: z.string().min(1).max(200_000) }).returns<null>(),
  /** Files whose names start with the text, otherwise the newest that contain it. */
  'file.search': request({ search, limit: z.number().int().min(1).max(50) }).returns<
    readonly records.FoundFile[]
  >(),
  /** Local days on which anything happened, newest first; `until` is a time on the last one, in epoch ms. */
  'history.days': request({
    until: z.number().int().min(0),
    days: z.number().int().min(1).max(100),
  }).returns<readonly records.HistoryDay[]>(),
  'folder.open': request({ path }).returns<null>(),
  // Jobs
  'job.page': request(listPage(JOB_SORTS)).returns<records.PageOf<records.JobRow>>(),
  'job.detail': request({ jobId }).returns<records.JobDetail>(),
  // Without asking the service; null for a job that only the service may know.
  'job.known': request({ jobId }).returns<records.JobDetail | null>(),
  'job.logs': request({ jobId }).returns<readonly service.JobLogLine[] | null>(),
  'job.start': request({
    batchId,
    kind: z.enum(['image', 'video']),
    jobId: jobId.nullable(),
    name: z.string().max(200).nullable(),
    options: jobOptionsSchema(),
    downloadTo: path.nullable(),
  }).returns<{ jobId: string }>(),
  'job.abort': request({ jobId }).returns<{ givenUp: boolean }>(),
  'job.restart': request({ jobId }).returns<{ givenUp: boolean }>(),
  'job.retry': request({ jobId }).returns<null>(),
  'job.lastOptions': request({}).returns<JobOptions | null>(),
  // Results of jobs. Files are named by paths that main listed; no other file is read.
  'result.detail': request({ jobId }).returns<results.ResultsView>(),
  /** When `to` is null: where they were before, otherwise a directory in the downloads folder. */
  'result.download': request({ jobId, to: path.nullable() }).returns<{
    to: string;
  }>(),
  'result.unpack': request({ jobId }).returns<{ archives: number }>(),
  'result.files': request({
    ...listPage(RESULT_FILE_SORTS),
    jobId,
    kind: z.enum(results.RESULT_KINDS),
  }).returns<records.PageOf<results.ResultFile>>(),
  'result.table': request({
    ...page,
    jobId,
    path,
    search,
    sort: z.number().int().min(0).max(1000).nullable(),
    descending: z.boolean(),
  }).returns<results.TablePage>(),
  'result.picture': request({ jobId, path, size: z.enum(['small', 'large']) }).returns<{
    dataUrl: string;
  } | null>(),
  'result.show': request({ jobId, path }).returns<null>(),
  /** Opens a table or an image in its default program; any other file is shown in its folder. */
  'result.open': request({ jobId, path }).returns<null>(),
  'result.glance': request({ jobId, path }).returns<results.ResultGlance>(),
  /** Starts dragging files out of the window; call while the pointer is down. */
  'result.drag': request({ jobId, paths: z.array(path).min(1).max(500) }).returns<null>(),
  // Projects
  'project.list': request({}).returns<{
    folders: readonly service.Folder[];
    projects: readonly records.ProjectRow[];
    listed: boolean;
  }>(),
  'project.add': request({ projectId: slug }).returns<null>(),
  /** Removes a project that was added by id from the list; the service keeps it. */
  'project.forget': request({ projectId: slug }).returns<null>(),
  'folder.create': request({
    name: z.string().trim().min(1).max(200),
    parentId: z.string().max(200).nullable(),
  }).returns<{ folderId: string; /** False: a folder of this name existed. */ created: boolean }>(),
  'project.move': request({
    projectIds: z.array(slug).min(1).max(100),
    folderId: z.string().min(1).max(200),
  }).returns<null>(),
  'project.imageBatches': request({ projectId: slug }).returns<readonly service.ImageBatch[]>(),
  'project.annotationJobs': request({ projectId: slug }).returns<
    readonly records.AnnotationJobRow[]
  >(),
  'annotationJob.create': request({
    projectId: slug,
    name: z.string().trim().min(1).max(200),
    imageBatchId: z.string().trim().min(1).max(200),
    images: z.number().int().min(1).max(10_000_000),
    labelerEmail: z.email().max(320),
    reviewerEmail: z.email().max(320),
  }).returns<{
    job: records.AnnotationJobRow;
    /** False when an identical job already existed. */ created: boolean;
  }>(),
  'project.insights': request({
    projectId: slug,
    from: day,
    until: day,
  }).returns<records.InsightsView>(),
  'project.insightsCsv': request({ projectId: slug, from: day, until: day }).returns<{
    path: string;
  } | null>(),
  // Problems
  'problem.groups': request({}).returns<readonly records.ProblemGroup[]>(),
  /** Retries the given ids, even ignored ones; all with a code; or, both null, all except those that could be uploaded twice. */
  'problem.retry': request(problems).returns<Decided>(),
  /** Ignores files until their content changes or they are retried. */
  'problem.ignore': request(problems).returns<Decided>(),
  /** Adds a glob to a watch's exclusions, and ignores the problems that match it. */
  'problem.leaveOut': request({ watchId: rowId, pattern: glob }).returns<Decided>(),
  'problem.jobs': request({}).returns<readonly records.ProblemJob[]>(),
  'problem.dismissJob': request({ jobId, dismissed: z.boolean() }).returns<null>(),
  'problem.delivered': request({ ids: z.array(rowId).min(1).max(10_000) }).returns<Decided>(),
  /** Undoes a decision as far as it has had no effect yet; returns the number of files. */
  'problem.undo': request({ undo: z.number().int() }).returns<{ count: number }>(),
  /** Starts the next try of something that waits now. */
  'wait.tryNow': request({
    kind: z.enum(WAIT_KINDS),
    name: z.string().max(4096).nullable(),
  }).returns<null>(),
  'problem.read': request({}).returns<null>(),
  // Settings and help
  'settings.save': request(settingsFields()).returns<null>(),
  'webhook.test': request({}).returns<{ ok: boolean; message: string }>(),
  'support.preview': request({}).returns<{ text: string }>(),
  'link.open': request({
    to: z.enum(['image-batches', 'documentation', 'data-folder', 'log']),
  }).returns<null>(),
  'app.licences': request({}).returns<{ text: string }>(),
} as const;

export type RequestName = keyof typeof REQUESTS;
export type InputOf<Name extends RequestName> = z.input<(typeof REQUESTS)[Name]['input']>;
export type OutputOf<Name extends RequestName> =
  | NonNullable<(typeof REQUESTS)[Name]['output']>
  | (null extends (typeof REQUESTS)[Name]['output'] ? null : never);

export interface Pushes {
  snapshot: AppSnapshot;
  /** Opens a view for a deep link, the menu or the tray. */
  navigate: { readonly to: string };
}
export type PushName = keyof Pushes;

/** What the preload exposes to the window as `window.sluice`. */
export interface Bridge {
  request<Name extends RequestName>(
    name: Name,
    input: InputOf<Name>,
  ): Promise<Result<OutputOf<Name>>>;
  /** Returns a function that removes the listener. */
  on<Name extends PushName>(name: Name, listener: (value: Pushes[Name]) => void): () => void;
  pathsOf(files: readonly File[]): Promise<readonly string[]>;
}
