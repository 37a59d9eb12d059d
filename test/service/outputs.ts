/** Computes what a job leaves behind from the images it was given: the same images give the same bytes, whenever and in whatever order they arrived. */
import { gzipSync } from 'node:zlib';
import { tarOf } from '../helpers/tar.ts';
import { makeBatch } from './batches.ts';
import { newObject, type Service } from './service.ts';
import type { Batch, Job, JobStage, Part, StoredObject } from './state.ts';

/** Modification time of every member: fixed, so that archives can be compared byte for byte. */
const MEMBER_TIME = new Date('2026-01-01T00:00:00Z');

export function outputBatchId(job: Job, stage: JobStage['name']): string {
  return `${job.jobId}-${stage}`;
}

const CLASSES = ['bottle', 'cap', 'label', 'scratch'] as const;

/** The result for one object: up to three boxes drawn from the digest of its content. */
function resultOf(object: StoredObject) {
  const digest = Buffer.from(object.sha256, 'hex');
  const number = (index: number): number => digest[index % digest.length] ?? 0;
  return {
    image: object.name,
    sha256: object.sha256,
    sizeBytes: object.sizeBytes,
    width: object.width,
    height: object.height,
    predictions: Array.from({ length: number(0) % 4 }, (_, index) => ({
      class: CLASSES[number(index + 1) % CLASSES.length] ?? 'bottle',
      confidence: Math.round((0.5 + number(index + 5) / 512) * 1000) / 1000,
      x: number(index + 9) % Math.max(1, object.width ?? 256),
      y: number(index + 13) % Math.max(1, object.height ?? 256),
    })),
  };
}

/** What was found in one image or video. Depends only on its content and name. */
type ObjectResult = ReturnType<typeof resultOf>;

/** Fills the batch of the processing stage: the raw results, one file for each group of inputs. */
export async function writeProcessing(
  service: Service,
  job: Job,
  inputs: readonly StoredObject[],
): Promise<void> {
  const batch = outputBatch(service, job, 'processing', [
    part('raw_results', 'metadata', 'What each task found.', null),
  ]);
  for (const [index, group] of groups(service, inputs).entries()) {
    const bytes = Buffer.from(lines(job, group.map(resultOf)));
    const name = `results-${index}.${job.aggregationFormat}`;
    await keep(service, batch, 'raw_results', name, 'metadata', bytes);
  }
}

/** Fills the batch of the export stage: archives whose member names repeat between archives, and a summary of everything. */
export async function writeExport(
  service: Service,
  job: Job,
  inputs: readonly StoredObject[],
): Promise<void> {
  const batch = outputBatch(service, job, 'export', [
    part('exported_data', 'archives', 'Results for each image.', 'metadata'),
    part('summary', 'metadata', 'One line for each image.', null),
  ]);
  for (const [index, group] of groups(service, inputs).entries()) {
    const bytes = await archive(job, group.map(resultOf));
    await keep(service, batch, 'exported_data', `shard-${index}.tar.gz`, 'archives', bytes);
  }
  const summary = Buffer.from(csv(inputs.map(resultOf)));
  await keep(service, batch, 'summary', 'summary.csv', 'metadata', summary);
  if (!keepsImages(job)) return;
  batch.parts.push(part('images', 'images', 'What the workflow drew.', null));
  for (const { name, blob } of inputs) {
    const object = newObject(service, blob, { name, contentType: 'images', partName: 'images' });
    service.state.addObject(batch, object);
  }
}

/** True for a job whose workflow keeps its images; here they are the unchanged inputs. */
function keepsImages({ definition }: Job): boolean {
  const specification: unknown = definition['processingSpecification'];
  if (typeof specification !== 'object' || specification === null) return false;
  return Reflect.get(specification, 'persistImagesOutputs') === true;
}

function part(
  partName: string,
  contentType: string,
  partDescription: string,
  nestedContentType: string | null,
): Part {
  return { partName, partType: 'simple-batch', contentType, partDescription, nestedContentType };
}

function outputBatch(
  service: Service,
  job: Job,
  stage: JobStage['name'],
  parts: readonly Part[],
): Batch {
  const batch = makeBatch(service, {
    batchId: outputBatchId(job, stage),
    displayName: `${job.name} (${stage})`,
    type: 'multipart-batch',
    contentType: 'mixed',
  });
  batch.parts.push(...parts);
  return batch;
}

function groups(service: Service, inputs: readonly StoredObject[]): readonly StoredObject[][] {
  const size = Math.max(1, service.state.settings.exportShardSize);
  const count = Math.ceil(inputs.length / size);
  return Array.from({ length: count }, (_, index) =>
    inputs.slice(index * size, (index + 1) * size),
  );
}

async function keep(
  service: Service,
  batch: Batch,
  partName: string,
  name: string,
  contentType: StoredObject['contentType'],
  bytes: Buffer,
): Promise<void> {
  const blob = await service.blobs.put(bytes);
  service.state.addObject(batch, newObject(service, blob, { name, contentType, partName }));
}

async function archive(job: Job, results: readonly ObjectResult[]): Promise<Buffer> {
  const common = { mtime: MEMBER_TIME, mode: 0o644 };
  const whole = await tarOf([
    { ...common, name: `results.${job.aggregationFormat}`, content: lines(job, results) },
    ...results.map((result, index) => ({
      ...common,
      name: `annotated/${index}.json`,
      content: `${JSON.stringify(result)}\n`,
    })),
  ]);
  return gzipSync(whole);
}

function lines(job: Job, results: readonly ObjectResult[]): string {
  if (job.aggregationFormat === 'csv') return csv(results);
  return results.map((result) => `${JSON.stringify(result)}\n`).join('');
}

function csv(results: readonly ObjectResult[]): string {
  const quoted = (text: string): string =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const rows = results.map((result) =>
    [
      quoted(result.image),
      result.sha256,
      result.sizeBytes,
      result.width ?? '',
      result.height ?? '',
      result.predictions.length,
    ].join(','),
  );
  return `${['image,sha256,size_bytes,width,height,predictions', ...rows].join('\n')}\n`;
}
