/** The 18 operations of the specification as a service sees them, in either dialect. */
import type { ReferenceService } from '../service/referenceService.ts';

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: RegExp;
  /** The live spelling where it differs. */
  readonly live?: { readonly method: string; readonly path: RegExp };
}

const BATCH = String.raw`^/data-staging/v1/external/demo/batches/[^/]+`;
const JOB = String.raw`^/batch-processing/v1/external/demo/jobs/[^/]+`;

/** Those of the batch data pipeline (spec.md 4.1). */
export const PIPELINE_OPERATIONS: readonly Operation[] = [
  { name: 'Upload video', method: 'POST', path: new RegExp(`${BATCH}/upload/video$`) },
  { name: 'Upload image', method: 'POST', path: new RegExp(`${BATCH}/upload/image$`) },
  {
    name: 'Bulk upload images',
    method: 'POST',
    path: new RegExp(`${BATCH}/bulk-upload/image-files$`),
  },
  { name: 'Get batch item count', method: 'GET', path: new RegExp(`${BATCH}/count$`) },
  { name: 'Get shard upload details', method: 'GET', path: new RegExp(`${BATCH}/shards$`) },
  { name: 'Start job', method: 'POST', path: new RegExp(`${JOB}$`) },
  { name: 'Get job status', method: 'GET', path: new RegExp(`${JOB}$`) },
  { name: 'List job stages', method: 'GET', path: new RegExp(`${JOB}/stages$`) },
  { name: 'List stage tasks', method: 'GET', path: new RegExp(`${JOB}/stages/[^/]+/tasks$`) },
  { name: 'List output parts', method: 'GET', path: new RegExp(`${BATCH}/parts$`) },
  { name: 'List download URLs', method: 'GET', path: new RegExp(`${BATCH}/list$`) },
];

/** Those of project management (spec.md 4.2). */
export const PROJECT_OPERATIONS: readonly Operation[] = [
  {
    name: 'List folders',
    method: 'GET',
    path: /^\/demo\/folders$/,
    live: { method: 'GET', path: /^\/demo\/groups$/ },
  },
  {
    name: 'Create folder',
    method: 'POST',
    path: /^\/demo\/folders$/,
    live: { method: 'POST', path: /^\/demo\/groups$/ },
  },
  {
    name: 'Move project to folder',
    method: 'POST',
    path: /^\/demo\/folders\/[^/]+\/projects$/,
    live: { method: 'PATCH', path: /^\/demo\/groups\/[^/]+\/projects$/ },
  },
  {
    name: 'Annotation insights',
    method: 'GET',
    path: /^\/demo\/[^/]+\/annotationInsights$/,
    live: { method: 'GET', path: /^\/demo\/stats$/ },
  },
  { name: 'List image batches', method: 'GET', path: /^\/demo\/[^/]+\/batches$/ },
  { name: 'List annotation jobs', method: 'GET', path: /^\/demo\/[^/]+\/jobs$/ },
  { name: 'Create annotation job', method: 'POST', path: /^\/demo\/[^/]+\/jobs$/ },
];

/** All of them. */
export const OPERATIONS: readonly Operation[] = [...PIPELINE_OPERATIONS, ...PROJECT_OPERATIONS];

/** How often the service has answered the operation successfully. */
export function timesDone(service: ReferenceService, operation: Operation, live: boolean): number {
  const { method, path } = live ? (operation.live ?? operation) : operation;
  const answers = service.log.find(method, path);
  return answers.filter(({ status }) => status !== null && status >= 200 && status < 300).length;
}

/** Names of those that the service has answered successfully at least once. */
export function namesDone(
  service: ReferenceService,
  operations: readonly Operation[],
  live: boolean,
): readonly string[] {
  return operations
    .filter((operation) => timesDone(service, operation, live) > 0)
    .map(({ name }) => name);
}
