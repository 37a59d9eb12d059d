/** Answers whose only end mark is the end of the connection: an answer that ends too early looks like a complete one. */
import type { HttpAnswer } from '../../core/ports.ts';
import { type StatedChecksums, statesContent } from '../../evidence/checksums.ts';
import { isPacked } from '../../evidence/outputHead.ts';
import type { Pipeline } from '../context.ts';

/** True when nothing in an answer says where the file ends, or would show that its end is missing. */
export function hasOpenEnd({ headers }: HttpAnswer, stated: StatedChecksums): boolean {
  if (headers['content-length'] !== undefined) return false;
  if (/\bchunked\b/i.test(headers['transfer-encoding'] ?? '')) return false;
  return !statesContent(stated) && stated.lengthBytes === null;
}

/** Asks the storage how long a file is, in bytes; null when it does not say. */
export async function askLength(pipeline: Pipeline, url: string): Promise<number | null> {
  const asked = await pipeline.client.describeSigned(url, pipeline.signal);
  if (!asked.ok) return null;
  const { status, lengthBytes, headers } = asked.value;
  if (isPacked(headers)) return null;
  // Some storages refuse every range, so this status does not mean that the file is empty.
  if (status === 416) return null;
  if (lengthBytes !== null) return lengthBytes;
  // A storage without support for ranges answers with the whole file.
  const length = status === 200 ? (headers['content-length'] ?? '') : '';
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}
