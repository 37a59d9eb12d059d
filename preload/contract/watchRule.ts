/** The rule of a watch: what it takes, where that goes, and what happens then. One schema for window, command line and ledger. */
import { z } from 'zod';

const HOUR = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Options of a job that a watch starts, as the job form knows them. */
export const jobOptionsSchema = z.strictObject({
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
});
export type JobOptions = z.infer<typeof jobOptionsSchema>;

const ruleSchema = z.strictObject({
  /** Absolute path. */
  directory: z.string().min(1).max(4096),
  /** For people, and for {watch} in a template. */
  name: z.string().trim().min(1).max(100),
  /** A batch id, or a template: {watch} {host} {date} {folder} {n}. */
  batch: z.string().trim().min(1).max(200),
  /** Files per value of {n}; null where the template has no {n}. */
  itemsPerBatch: z.number().int().min(1).max(1_000_000).nullable(),
  displayName: z.string().trim().max(200).nullable(),
  include: z.array(z.string().min(1).max(500)).max(100),
  exclude: z.array(z.string().min(1).max(500)).max(100),
  kinds: z.enum(['both', 'images', 'videos']),
  /** True: files that stand there when the watch is added are taken, too. */
  existing: z.boolean(),
  mode: z.enum(['auto', 'single', 'bulk']),
  /** False: links in the directory are left out. Rules from before links could be left out follow them. */
  followLinks: z.boolean().default(true),
  /** A field of older rules that never did anything: read, and dropped. */
  keepStructure: z.unknown().optional(),
  /** How long a file must be at rest, ms. */
  settleMs: z.number().int().min(1000).max(300_000),
  /** A batch closes when it was quiet for so long, holds so many items, or at a time of day; whichever comes first. */
  seal: z.strictObject({
    quietMinutes: z.number().min(0.01).max(10_080).nullable(),
    items: z.number().int().min(1).max(10_000_000).nullable(),
    at: z.string().regex(HOUR).nullable(),
  }),
  /** What happens with a closed and confirmed batch; null: nothing. */
  job: jobOptionsSchema.nullable(),
  /** Absolute directory for the outputs; null: they stay at the service. */
  downloadTo: z.string().min(1).max(4096).nullable(),
  unpack: z.boolean(),
  /** Absolute directory that confirmed sources move to; null: they stay untouched. */
  moveTo: z.string().min(1).max(4096).nullable(),
});

export const watchRuleSchema = ruleSchema.transform(({ keepStructure: _, ...rule }) => rule);
export type WatchRule = z.infer<typeof watchRuleSchema>;
