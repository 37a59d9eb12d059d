/** The body that starts a job: what the service accepts, and what it only records. */
import { z } from 'zod';

const jobInput = z.object({
  type: z.literal('staging-batch-input-v1'),
  batchId: z.string(),
  partName: z.string().optional(),
  imagesMetadataPart: z.string().optional(),
});

const computeConfiguration = z.object({
  type: z.literal('compute-configuration-v2'),
  machineType: z.enum(['cpu', 'gpu']).optional(),
  workersPerMachine: z
    .number()
    .refine((value) => [1, 2, 4, 8].includes(value))
    .optional(),
});

const limits = {
  computeConfiguration,
  processingTimeoutSeconds: z.number().int().positive().optional(),
  maxParallelTasks: z.number().int().positive().optional(),
  maxImageFailureRate: z.number().min(0).max(1).optional(),
};

const specification = {
  type: z.literal('workflows-processing-specification-v1'),
  workspace: z.string(),
  workflowId: z.string().min(1),
  workflowParameters: z.record(z.string(), z.unknown()).optional(),
  imageInputName: z.string().optional(),
  persistImagesOutputs: z.boolean().optional(),
  imagesOutputsToBePersisted: z.array(z.string()).optional(),
  aggregationFormat: z.enum(['csv', 'jsonl']).optional(),
};

const common = {
  jobInput,
  ...limits,
  notificationsURL: z.url({ protocol: /^https?$/ }).optional(),
  inferenceBackend: z.enum(['old-inference', 'inference-models']).optional(),
};

const imageJob = z.strictObject({
  type: z.literal('simple-image-processing-v1'),
  ...common,
  processingSpecification: z.strictObject({
    ...specification,
    imagesMetadataInputsMapping: z.record(z.string(), z.string()).optional(),
  }),
});

const videoJob = z.strictObject({
  type: z.literal('simple-video-processing-v1'),
  ...common,
  maxImageFailureRate: z.undefined().optional(),
  processingSpecification: z.strictObject({
    ...specification,
    maxVideoFPS: z.number().positive().optional(),
  }),
});

const anyJob = z.discriminatedUnion('type', [imageJob, videoJob]);

export type JobDefinition = z.infer<typeof anyJob>;

type Parsed = { readonly value: JobDefinition } | { readonly wrong: string };

/** Checks the body of a start-job request, unknown fields included. */
export function parseJob(body: unknown): Parsed {
  const result = anyJob.safeParse(body);
  if (result.success) return { value: result.data };
  const first = result.error.issues[0];
  return { wrong: `${first?.path.join('.') ?? ''}: ${first?.message ?? 'not valid'}` };
}

/** True when two JSON values are equal, ignoring the order of fields. */
export function sameJson(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries: [string, unknown][] = Object.entries(value);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`)
    .join(',')}}`;
}
