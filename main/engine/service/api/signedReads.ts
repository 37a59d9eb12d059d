/** Reads from a signed download address: the object from an offset on, a range of it, or its facts. */
import { caught, fail, ok, type Result } from '../../core/errors.ts';
import { STALL_MS } from '../../core/limits.ts';
import type { HttpAnswer } from '../../core/ports.ts';
import { isPacked } from '../../evidence/outputHead.ts';
import { isPlainWebAddress } from '../schemas/parts.ts';
import type { ServiceClient } from '../serviceClient.ts';
import type { Caller } from './caller.ts';
import { drain } from './sending.ts';

/** GETs a signed address. The caller reads the body of a success. */
async function get(
  caller: Caller,
  operation: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Result<HttpAnswer>> {
  if (!isPlainWebAddress(url)) return fail('service.unexpectedAnswer', { reason: 'address' });
  return caller.send(operation, 'download', {
    method: 'GET',
    url,
    headers: { 'accept-encoding': 'identity', ...headers },
    body: null,
    stallMs: STALL_MS,
    signal,
  });
}

/** The body of an answer if it has exactly this length; null when it is longer or shorter. Errors: those of reading. */
async function exactBody(answer: HttpAnswer, lengthBytes: number): Promise<Result<Buffer | null>> {
  const bytes = Buffer.allocUnsafeSlow(lengthBytes);
  let length = 0;
  try {
    for await (const chunk of answer.body) {
      if (length + chunk.length > lengthBytes) return ok(null);
      bytes.set(chunk, length);
      length += chunk.length;
    }
  } catch (error) {
    return caught(error);
  } finally {
    answer.body.dispose();
  }
  return ok(length === lengthBytes ? bytes : null);
}

/**
 * The size in `Content-Range: bytes 0-0/123`; an empty object has no first byte. null if it is not stated, or if it is the size of the
 * compressed bytes.
 */
function wholeLength(answer: HttpAnswer): number | null {
  const { status, headers } = answer;
  if (status === 416) return 0;
  if (isPacked(headers)) return null;
  const text = /^bytes 0-0\/(\d{1,15})$/.exec(headers['content-range'] ?? '')?.[1];
  return status !== 206 || text === undefined ? null : Number(text);
}

/** True for a range that is the whole object: some servers answer with one, although none was requested. */
function isWhole({ status, headers }: HttpAnswer): boolean {
  const range = /^bytes 0-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '');
  return status === 206 && range !== null && Number(range[1]) + 1 === Number(range[2]);
}

export function createSignedReads(caller: Caller) {
  return {
    getSigned: async (url, range, signal) => {
      const rest =
        range === null ? {} : { range: `bytes=${range.fromByte}-`, 'if-range': range.ifRange };
      const sent = await get(caller, 'getSigned', url, rest, signal);
      if (!sent.ok) return sent;
      const { status } = sent.value;
      const isExpected = range === null ? isWhole(sent.value) : status === 206 || status === 416;
      if (status === 200 || isExpected) return sent;
      sent.value.body.dispose();
      return fail('service.unexpectedAnswer', { operation: 'getSigned', status });
    },
    readSigned: async (url, { fromByte, lengthBytes }, signal) => {
      const span = `${fromByte}-${fromByte + lengthBytes - 1}`;
      const sent = await get(caller, 'readSigned', url, { range: `bytes=${span}` }, signal);
      if (!sent.ok) return sent;
      const answer = sent.value;
      const isSpan = answer.headers['content-range']?.startsWith(`bytes ${span}/`) === true;
      if (answer.status === 206 && isSpan && !isPacked(answer.headers))
        return exactBody(answer, lengthBytes);
      answer.body.dispose();
      return ok(null);
    },
    // Requests one byte instead of using HEAD: an address is signed for one method.
    describeSigned: async (url, signal) => {
      const sent = await get(caller, 'describeSigned', url, { range: 'bytes=0-0' }, signal);
      if (!sent.ok) return sent;
      const answer = sent.value;
      const { status, headers } = answer;
      const lengthBytes = wholeLength(answer);
      if (lengthBytes === null) {
        const nothing = await exactBody(answer, 0);
        if (!nothing.ok) return nothing;
        return ok({ status, lengthBytes, headers, isBodiless: nothing.value !== null });
      }
      if (status === 206) await drain(answer);
      else answer.body.dispose();
      return ok({ status, lengthBytes, headers });
    },
  } satisfies Partial<ServiceClient>;
}
