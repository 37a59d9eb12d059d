/** Gets a fresh address for a file that was listed earlier: addresses expire after about a day. */
import { fail, ok, type Result } from '../../core/errors.ts';
import { MAX_PAGES } from '../../core/limits.ts';
import type { RemoteFile } from '../../core/model.ts';
import { isUnexpectedPage } from '../../evidence/outputHead.ts';
import { latestOutput, type Output } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';
import { type OfferedFile, UNKNOWN_FOR_NOW } from './listOutputs.ts';
import { objectAt } from './storedObject.ts';

/** Reads the page again. Returns false when it shows other files than before. */
async function readAgain(
  pipeline: Pipeline,
  { output, page }: OfferedFile,
): Promise<Result<boolean>> {
  const { batchId } = output;
  const asked = await pipeline.client.askFilesPage(batchId, page.part, page.token, pipeline.signal);
  if (!asked.ok) return asked.error.next === 'park' ? ok(false) : asked;
  if (asked.value === null) return ok(false);
  const { items } = asked.value;
  const sameNames =
    items.length === page.names.length &&
    items.every((file, index) => file.fileName === page.names[index]);
  // Files of equal names may have changed places. If no object is the same as before, the storage writes something new into each address,
  // so objects show nothing.
  const sameObjects = items.filter(
    ({ url }, index) => objectAt(url) === objectAt(page.urls[index] ?? ''),
  ).length;
  const same = sameNames && (sameObjects === items.length || sameObjects === 0);
  if (same) page.urls = items.map((file) => file.url);
  return ok(same);
}

/**
 * Finds the address of a file in the whole list of a part (null: of the batch): by its stored object, or else by its name and its place
 * among files of that name. Error: service.notFound when it is no longer offered.
 */
export async function addressByName(
  pipeline: Pipeline,
  output: Output,
  part: string | null,
): Promise<Result<string>> {
  const seen = new Set<string>();
  const isIt = (file: RemoteFile): boolean =>
    file.fileName === output.fileName && (part !== null || (file.partName ?? '') === output.part);
  let before = 0;
  let byPlace: string | null = null;
  for (let token: string | null = null; seen.size < MAX_PAGES;) {
    const asked = await pipeline.client.askFilesPage(output.batchId, part, token, pipeline.signal);
    if (!asked.ok) return asked;
    // The service listed this file before: that it does not know the batch now says nothing about the file.
    if (asked.value === null) return fail('service.busy', { said: UNKNOWN_FOR_NOW });
    const here: readonly RemoteFile[] = asked.value.items.filter(isIt);
    const found = here.find(({ url }) => output.object !== null && objectAt(url) === output.object);
    if (found !== undefined) return ok(found.url);
    byPlace ??= here[output.occurrence - before]?.url ?? null;
    if (byPlace !== null && output.object === null) return ok(byPlace);
    before += here.length;
    token = asked.value.nextPageToken;
    if (token === null || seen.has(token)) break;
    seen.add(token);
  }
  return byPlace === null ? fail('service.notFound', { file: output.fileName }) : ok(byPlace);
}

/**
 * Replaces the address `stale`. Reads the whole page again; if the list has changed since, searches for the file by name.
 * Errors: service.notFound when it is no longer offered, and those of reading a list.
 */
export async function freshAddress(
  pipeline: Pipeline,
  offered: OfferedFile,
  stale: string,
): Promise<Result<void>> {
  const { page, index } = offered;
  if (page.urls[index] !== stale) return ok(undefined);
  page.reading ??= readAgain(pipeline, offered).finally(() => (page.reading = null));
  const read = await page.reading;
  if (!read.ok) return read;
  if (read.value) return ok(undefined);
  const found = await addressByName(pipeline, offered.output, page.part);
  if (!found.ok) return found;
  page.urls = page.urls.map((url, at) => (at === index ? found.value : url));
  return ok(undefined);
}

/** True when the storage now serves the witness, a file that was fetched before: then only the other file fails. False proves nothing. */
export async function answersFor(pipeline: Pipeline, witness: OfferedFile): Promise<boolean> {
  const { page, index, output } = witness;
  const sizeBytes = latestOutput(pipeline.store, output).sizeBytes;
  if (sizeBytes === null) return false;
  for (let tries = 1; tries <= 2; tries += 1) {
    const url = page.urls[index] ?? '';
    const asked = await pipeline.client.describeSigned(url, pipeline.signal);
    if (asked.ok) {
      const { lengthBytes, headers } = asked.value;
      if (isUnexpectedPage(output.fileName, headers['content-type'])) return false;
      return (lengthBytes ?? Number(headers['content-length'])) === sizeBytes;
    }
    // Its address may have expired in between.
    const fresh = await freshAddress(pipeline, witness, url);
    if (!fresh.ok) return false;
  }
  return false;
}
