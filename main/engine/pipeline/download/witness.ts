/** Whether only this file fails: asks the storage about another file, for which the right answer is known. */
import type { StoredObject } from '../../service/serviceClient.ts';
import { isUnexpectedPage } from '../../evidence/outputHead.ts';
import { latestOutput } from '../../store/tables/outputs.ts';
import type { Pipeline } from '../context.ts';
import { freshAddress, type Refreshing } from './freshAddress.ts';
import type { OfferedFile } from './listOutputs.ts';

function isThere(
  { lengthBytes, headers }: StoredObject,
  fileName: string,
  sizeBytes: number,
): boolean {
  if (isUnexpectedPage(fileName, headers['content-type'])) return false;
  return (lengthBytes ?? Number(headers['content-length'])) === sizeBytes;
}

/**
 * True when the storage currently serves the witness, a file that we already have: then the failure is about the failing
 * file. False proves nothing.
 */
export async function answersFor(
  pipeline: Pipeline,
  witness: OfferedFile,
  refreshing: Refreshing,
): Promise<boolean> {
  const { page, index, output } = witness;
  const sizeBytes = latestOutput(pipeline.store, output).sizeBytes;
  if (sizeBytes === null) return false;
  for (let tries = 1; tries <= 2; tries += 1) {
    const url = page.urls[index] ?? '';
    const asked = await pipeline.client.describeSigned(url, pipeline.signal);
    if (asked.ok) return isThere(asked.value, output.fileName, sizeBytes);
    // Its address may have expired in between.
    const fresh = await freshAddress(pipeline, witness, url, refreshing);
    if (!fresh.ok) return false;
  }
  return false;
}
