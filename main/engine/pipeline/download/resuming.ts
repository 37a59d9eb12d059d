/** Resuming an earlier try of a download: which bytes an answer holds, and what validates a request for the rest. */
import { SMALL_FILE_BYTES } from '../../core/limits.ts';
import type { HttpAnswer } from '../../core/ports.ts';
import type { Store } from '../../store/store.ts';
import { noteValidator, type Output } from '../../store/tables/outputs.ts';

/** What proves that a later answer continues the same bytes: a strong ETag, otherwise Last-Modified. */
export function validatorOf(answer: HttpAnswer): string | null {
  const tag = answer.headers['etag'];
  if (tag !== undefined && tag.startsWith('"')) return tag;
  return answer.headers['last-modified'] ?? null;
}

/** Which bytes of a file an answer holds. */
export interface Span {
  /** Offset of the first byte of the answer. */
  readonly from: number;
  /** Size of the whole file; null when the answer does not say. */
  readonly total: number | null;
}

/** Which bytes an answer holds; null when it contradicts itself or the request. */
export function spanOf(answer: Pick<HttpAnswer, 'status' | 'headers'>, asked: number): Span | null {
  if (answer.status === 206) {
    const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(answer.headers['content-range'] ?? '');
    if (range === null || Number(range[1]) !== asked) return null;
    return { from: asked, total: range[3] === '*' ? null : Number(range[3]) };
  }
  const length = answer.headers['content-length'];
  if (length === undefined) return { from: 0, total: null };
  return /^\d+$/.test(length) ? { from: 0, total: Number(length) } : null;
}

/** What is known about the bytes that an earlier try received. */
interface Received {
  /** As returned by validatorOf. */
  readonly validator: string | null;
  /** Size of the whole file; null when no answer of this run stated it. */
  readonly lengthBytes: number | null;
}

/**
 * True when the bytes of a 206 continue what was received (RFC 9110 §15.3.7.3). If-Range alone does not ensure that: some storages ignore
 * it. A storage that sends ETags repeats a strong one in every 206; it may leave out Last-Modified when it was sent in If-Range.
 */
export function isSameFile(
  answer: Pick<HttpAnswer, 'headers'>,
  totalBytes: number | null,
  { validator, lengthBytes }: Received,
): boolean {
  if (validator === null) return false;
  if (totalBytes !== null && lengthBytes !== null && totalBytes !== lengthBytes) return false;
  if (validator.startsWith('"')) return answer.headers['etag'] === validator;
  const date = answer.headers['last-modified'];
  return date === undefined || date === validator;
}

/** True for a file that is written in one go; `total` is its size in bytes, null when unknown. */
export function isSmall(total: number | null): boolean {
  return total !== null && total <= SMALL_FILE_BYTES;
}

/** Saves the validator for requesting the rest. */
export async function noteResumable(
  store: Store,
  output: Output,
  validator: string | null,
): Promise<void> {
  if (validator === output.validator) return;
  await store.soon(() => noteValidator(store, output.id, validator));
}
