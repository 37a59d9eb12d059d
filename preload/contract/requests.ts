/**
 * What crosses between the engine, the window and the command line: the bottom layer.
 * Imports only zod and its neighbours in this layer, so that every other layer may use its types.
 */
import { z } from 'zod';
import { ERROR_CODES, type Result } from './errors.ts';
import { BATCH_ID } from './idPatterns.ts';
import type * as rows from './records.ts';
import type * as views from './snapshot.ts';
import { type JobOptions, jobOptionsSchema, watchRuleSchema } from './watchRule.ts';

// ——— Requests of the window and what main pushes to it ———

/** A request: what may be asked, checked by main, and what is answered. */
export interface Request<Input extends z.ZodType, Output> {
  readonly input: Input;
  /** Only a type: answers come from main itself. */
  readonly output: Output | undefined;
}

function asks<Input extends z.ZodType>(
  input: Input,
): { answers<Output>(): Request<Input, Output> } {
  return { answers: () => ({ input, output: undefined }) };
}

const nothing = z.strictObject({});
const rowId = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const batchId = z.string().regex(BATCH_ID);
const jobId = z.string().regex(BATCH_ID);
const slug = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^/?#\s]+$/);
const path = z.string().min(1).max(4096);
const search = z.string().max(200);
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const page = {
  offset: z.number().int().min(0).max(100_000_000),
  limit: z.number().int().min(1).max(200),
};
const connection = z.strictObject({
  apiUrl: z.url({ protocol: /^https?$/ }).max(500),
  projectsUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .nullable(),
  apiKey: z.string().trim().min(1).max(500),
  workspace: slug.nullable(),
});
const problems = z.strictObject({
  ids: z.array(rowId).max(10_000).nullable(),
  code: z.enum(ERROR_CODES).nullable(),
});
const settings = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  notifications: z.strictObject({
    confirmed: z.boolean(),
    jobs: z.boolean(),
    problems: z.boolean(),
  }),
  startAtLogin: z.boolean(),
  closeToTray: z.boolean(),
  keepAwake: z.boolean(),
  pauseOnBattery: z.boolean(),
  lanesMost: z.number().int().min(1).max(64),
  bandwidth: z.string().max(500),
  order: z.enum(['oldest', 'newest', 'smallest']),
  settleMs: z.number().int().min(1000).max(300_000),
  webhook: z.strictObject({
    enabled: z.boolean(),
    bind: z.string().max(100),
    port: z.number().int().min(0).max(65_535),
    publicUrl: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(500)]),
  }),
});

/** Every request by its name. Adding one here makes the compiler demand its handler in main/app/ipc/ipcHandlers.ts. */
export const REQUESTS = {
  'snapshot.get': asks(nothing).answers<views.AppSnapshot>(),
  'notice.dismiss': asks(z.strictObject({ id: z.string().max(200) })).answers<null>(),
  // Connections. The key goes in once and never comes back.
  'connection.check': asks(connection).answers<{ workspace: string }>(),
  'connection.add': asks(connection).answers<{ id: number }>(),
  'connection.giveKey': asks(
    z.strictObject({ id: rowId, apiKey: z.string().trim().min(1).max(500) }),
  ).answers<null>(),
  'connection.select': asks(z.strictObject({ id: rowId })).answers<null>(),
  'connection.remove': asks(
    z.strictObject({ id: rowId, queued: z.enum(['keep', 'forget']) }),
  ).answers<null>(),
  // Directories come only from a dialog that main opened or from a drop.
  'directory.choose': asks(
    z.strictObject({ purpose: z.enum(['watch', 'download', 'move']) }),
  ).answers<{ path: string } | null>(),
  'watch.preview': asks(z.strictObject({ rule: watchRuleSchema })).answers<rows.PreviewView>(),
  'watch.add': asks(z.strictObject({ rule: watchRuleSchema })).answers<{ id: number }>(),
  'watch.edit': asks(z.strictObject({ id: rowId, rule: watchRuleSchema })).answers<null>(),
  'watch.remove': asks(
    z.strictObject({ id: rowId, queued: z.enum(['keep', 'forget']) }),
  ).answers<null>(),
  'watch.pause': asks(z.strictObject({ id: rowId, paused: z.boolean() })).answers<null>(),
  'watch.scan': asks(z.strictObject({ id: rowId })).answers<null>(),
  'watch.seal': asks(z.strictObject({ id: rowId })).answers<null>(),
  'upload.look': asks(
    z.strictObject({ paths: z.array(path).min(1).max(1000) }),
  ).answers<rows.HeldView>(),
  /** The batch id that a typed name means; null when nothing of it can stand in an id. */
  'upload.name': asks(z.strictObject({ batch: z.string().max(200) })).answers<{
    batchId: string | null;
  }>(),
  'upload.paths': asks(
    z.strictObject({
      paths: z.array(path).min(1).max(1000),
      batch: z.string().trim().min(1).max(200),
      mode: z.enum(['auto', 'single', 'bulk']),
    }),
  ).answers<{ batchId: string }>(),
  'line.pause': asks(z.strictObject({ paused: z.boolean() })).answers<null>(),
  'why.path': asks(z.strictObject({ path })).answers<rows.WhyView>(),
  // Batches
  'batch.page': asks(z.strictObject({ ...page, search })).answers<rows.PageOf<rows.BatchRow>>(),
  'batch.detail': asks(z.strictObject({ batchId })).answers<rows.BatchDetail>(),
  'batch.items': asks(
    z.strictObject({
      ...page,
      batchId,
      search,
      state: z.enum(['all', 'queued', 'sending', 'confirmed', 'skipped', 'parked']),
      sort: z.enum(['added', 'name', 'size', 'state']),
      descending: z.boolean(),
    }),
  ).answers<rows.PageOf<rows.ItemRow>>(),
  /** Of a watch, of a batch, or (both null) of everything. */
  'leftOut.page': asks(
    z.strictObject({
      ...page,
      watchId: rowId.nullable(),
      batchId: batchId.nullable(),
      search,
      reason: z.enum(ERROR_CODES).nullable(),
    }),
  ).answers<rows.LeftOutPage>(),
  'batch.outputs': asks(z.strictObject({ batchId })).answers<readonly rows.OutputRow[]>(),
  /** Without a directory, the batch's own one below the download folder is taken. */
  'batch.download': asks(
    z.strictObject({ batchId, to: path.nullable(), unpack: z.boolean() }),
  ).answers<{ to: string }>(),
  'batch.seal': asks(z.strictObject({ batchId })).answers<null>(),
  'batch.receipt': asks(z.strictObject({ batchId, format: z.enum(['csv', 'json']) })).answers<{
    path: string;
  } | null>(),
  'item.thumbnail': asks(z.strictObject({ id: rowId })).answers<{ dataUrl: string } | null>(),
  'item.show': asks(z.strictObject({ id: rowId })).answers<null>(),
  'folder.open': asks(z.strictObject({ path })).answers<null>(),
  // Jobs
  'job.page': asks(z.strictObject({ ...page, search })).answers<rows.PageOf<rows.JobRow>>(),
  'job.detail': asks(z.strictObject({ jobId })).answers<rows.JobDetail>(),
  'job.logs': asks(z.strictObject({ jobId })).answers<readonly rows.LogRow[] | null>(),
  'job.start': asks(
    z.strictObject({
      batchId,
      kind: z.enum(['image', 'video']),
      jobId: jobId.nullable(),
      name: z.string().max(200).nullable(),
      options: jobOptionsSchema,
      downloadTo: path.nullable(),
    }),
  ).answers<{ jobId: string }>(),
  'job.abort': asks(z.strictObject({ jobId })).answers<null>(),
  'job.restart': asks(z.strictObject({ jobId })).answers<null>(),
  'job.retry': asks(z.strictObject({ jobId })).answers<null>(),
  'job.lastOptions': asks(nothing).answers<JobOptions | null>(),
  // Projects
  'project.list': asks(nothing).answers<{
    folders: readonly rows.FolderView[];
    projects: readonly rows.ProjectRow[];
    listed: boolean;
  }>(),
  'project.add': asks(z.strictObject({ projectId: slug })).answers<null>(),
  /** Takes one that was added by its id off the list; the service keeps it. */
  'project.forget': asks(z.strictObject({ projectId: slug })).answers<null>(),
  'folder.create': asks(
    z.strictObject({
      name: z.string().trim().min(1).max(200),
      parentId: z.string().max(200).nullable(),
    }),
  ).answers<{ folderId: string; /** False: one of this name stood there. */ created: boolean }>(),
  'project.move': asks(
    z.strictObject({
      projectIds: z.array(slug).min(1).max(100),
      folderId: z.string().min(1).max(200),
    }),
  ).answers<null>(),
  'project.imageBatches': asks(z.strictObject({ projectId: slug })).answers<
    readonly rows.ImageBatchRow[]
  >(),
  'project.annotationJobs': asks(z.strictObject({ projectId: slug })).answers<
    readonly rows.AnnotationJobRow[]
  >(),
  'annotationJob.create': asks(
    z.strictObject({
      projectId: slug,
      name: z.string().trim().min(1).max(200),
      imageBatchId: z.string().trim().min(1).max(200),
      images: z.number().int().min(1).max(10_000_000),
      labelerEmail: z.email().max(320),
      reviewerEmail: z.email().max(320),
    }),
  ).answers<{
    job: rows.AnnotationJobRow;
    /** False: the same work was given out already. */ created: boolean;
  }>(),
  'project.insights': asks(
    z.strictObject({ projectId: slug, from: day, until: day }),
  ).answers<rows.InsightsView>(),
  'project.insightsCsv': asks(z.strictObject({ projectId: slug, from: day, until: day })).answers<{
    path: string;
  } | null>(),
  // Problems
  'problem.groups': asks(nothing).answers<readonly rows.ProblemGroup[]>(),
  /** Those named, also ignored ones; or all of a code; or (both null) all but those that may double. */
  'problem.retry': asks(problems).answers<{ count: number }>(),
  /** Leaves files out until their content changes or they are tried again. */
  'problem.ignore': asks(problems).answers<{ count: number }>(),
  'problem.delivered': asks(z.strictObject({ ids: z.array(rowId).min(1).max(10_000) })).answers<{
    count: number;
  }>(),
  'problem.read': asks(nothing).answers<null>(),
  // Settings and help
  'settings.save': asks(settings).answers<null>(),
  'webhook.test': asks(nothing).answers<{ ok: boolean; said: string }>(),
  'support.preview': asks(nothing).answers<{ text: string }>(),
  'support.copy': asks(nothing).answers<null>(),
  'link.open': asks(
    z.strictObject({ to: z.enum(['image-batches', 'documentation', 'data-folder', 'log']) }),
  ).answers<null>(),
  'app.licences': asks(nothing).answers<{ text: string }>(),
} as const;

export type RequestName = keyof typeof REQUESTS;
export type InputOf<Name extends RequestName> = z.input<(typeof REQUESTS)[Name]['input']>;
export type OutputOf<Name extends RequestName> =
  | NonNullable<(typeof REQUESTS)[Name]['output']>
  | (null extends (typeof REQUESTS)[Name]['output'] ? null : never);

/** What main pushes, by channel. */
export interface Pushes {
  snapshot: views.AppSnapshot;
  /** A deep link, a menu or a tray entry asks for a view. */
  navigate: { readonly to: string };
}
export type PushName = keyof Pushes;

/** What the preload exposes to the window as `window.sluice`. */
export interface Bridge {
  request<Name extends RequestName>(
    name: Name,
    input: InputOf<Name>,
  ): Promise<Result<OutputOf<Name>>>;
  /** Answers a function that ends the listening. */
  on<Name extends PushName>(name: Name, listener: (value: Pushes[Name]) => void): () => void;
  /** Paths of dropped files, as the system tells them. */
  pathsOf(files: readonly File[]): Promise<readonly string[]>;
}
