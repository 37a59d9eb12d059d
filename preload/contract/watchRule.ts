/** The rule of a watch: which files it uploads, where to, and what happens afterwards. One schema for window, command line and ledger. */
import { z } from 'zod';
import {
  ITEMS_PER_BATCH,
  PARTS_MAX,
  SEAL_ITEMS,
  SEAL_QUIET_MINUTES,
  SETTLE_MS,
  WATCH_NAME_MAX,
} from './bounds.ts';
import { once } from './once.ts';

const HOUR = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Options of a processing job, as the job form offers them. */
export const jobOptionsSchema = once(() =>
  z.strictObject({
    workflowId: z.string().trim().min(1).max(200),
    machineType: z.enum(['cpu', 'gpu']).optional(),
    workersPerMachine: z.union([z.literal(1), z.literal(2), z.literal(4), z.literal(8)]).optional(),
    processingTimeoutSeconds: z.number().int().min(1).max(31_536_000).optional(),
    maxParallelTasks: z.number().int().min(1).max(100_000).optional(),
    maxImageFailureRate: z.number().min(0).max(1).optional(),
    imageInputName: z.string().trim().min(1).max(200).optional(),
    persistImagesOutputs: z.boolean().optional(),
    aggregationFormat: z.enum(['csv', 'jsonl']).optional(),
    maxVideoFps: z.number().positive().max(1000).optional(),
    workflowParameters: z.record(z.string(), z.json()).optional(),
  }),
);
export type JobOptions = z.infer<ReturnType<typeof jobOptionsSchema>>;

/** One of several equal shares of the files, one for each machine: `index` counts from 0. */
export const partSchema = once(() =>
  z
    .strictObject({
      index: z.number().int().min(0),
      of: z.number().int().min(1).max(PARTS_MAX),
    })
    .refine(({ index, of }) => index < of),
);
export type Part = z.infer<ReturnType<typeof partSchema>>;

const ruleSchema = once(() =>
  z.strictObject({
    /** Absolute path, without links. */
    directory: z.string().min(1).max(4096),
    /**
     * The path as it was given, if it leads to the directory through a link: the watch follows the path when the link changes. Else null.
     */
    link: z.string().min(1).max(4096).nullable().default(null),
    /** Shown to the user, and substituted for {watch} in a template. */
    name: z.string().trim().min(1).max(WATCH_NAME_MAX),
    /** A batch id, or a template: {watch} {host} {date} {folder} {n}. */
    batch: z.string().trim().min(1).max(200),
    /** Files per value of {n}; null when the template has no {n}. */
    itemsPerBatch: z.number().int().min(ITEMS_PER_BATCH.min).max(ITEMS_PER_BATCH.max).nullable(),
    displayName: z.string().trim().max(200).nullable(),
    include: z.array(z.string().min(1).max(500)).max(100),
    exclude: z.array(z.string().min(1).max(500)).max(100),
    kinds: z.enum(['both', 'images', 'videos']),
    /** True: files that already exist when the watch is added are uploaded too. */
    existing: z.boolean(),
    mode: z.enum(['auto', 'single', 'bulk']),
    /** False: links in the directory are left out. Older rules without this field follow links. */
    followLinks: z.boolean().default(true),
    /** The share of the files that this machine sends; null for all. */
    part: partSchema().nullable().default(null),
    /** A field of older rules that never had an effect: accepted and ignored. */
    keepStructure: z.unknown().optional(),
    /** How long a file must be unchanged, in ms. */
    settleMs: z.number().int().min(SETTLE_MS.min).max(SETTLE_MS.max),
    /** A batch closes after these minutes without a new file, at this many items, or at a time of day ("18:00"): whichever comes first. */
    seal: z.strictObject({
      quietMinutes: z.number().min(SEAL_QUIET_MINUTES.min).max(SEAL_QUIET_MINUTES.max).nullable(),
      items: z.number().int().min(SEAL_ITEMS.min).max(SEAL_ITEMS.max).nullable(),
      at: z.string().regex(HOUR, 'a time of day is written like 18:00').nullable(),
    }),
    /** The job to start for a closed and confirmed batch; null for none. */
    job: jobOptionsSchema().nullable(),
    /** Absolute directory for the results; null: they stay on the service. */
    downloadTo: z.string().min(1).max(4096).nullable(),
    unpack: z.boolean(),
    /** Absolute directory that uploaded files are moved to; null: they are not touched. */
    moveTo: z.string().min(1).max(4096).nullable(),
  }),
);

export const watchRuleSchema = once(() =>
  ruleSchema().transform(({ keepStructure: _, ...rule }) => rule),
);
export type WatchRule = z.infer<ReturnType<typeof watchRuleSchema>>;

/** The first mistake that a schema found, after the field that it is in. */
export function mistakeOf({ issues: [issue] }: z.core.$ZodError): string {
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

/** Says a limit of the schemas above in plain words; other messages stay as they are. For `safeParse`. */
export const sayLimit: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'too_big') return `at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
  if (issue.code !== 'too_small') return undefined;
  return issue.origin === 'string' ? 'must not be empty' : `at least ${issue.minimum}`;
};
