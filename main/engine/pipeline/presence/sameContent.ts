/**
 * Whether the object that the service lists under a name is the file that is here. Told by length and by the checksum that
 * the storage states; where it states none, by its bytes.
 */
import { createHash } from 'node:crypto';
import { fail, ok, type Result, SluiceFailure } from '../../core/errors.ts';
import { compareChecksums, statedChecksums } from '../../evidence/checksums.ts';
import type { Line } from '../context.ts';

/** The file that is here, as it was when it was planned. */
export interface OwnFile {
  readonly path: string;
  readonly stamp: string;
  readonly sizeBytes: number;
  /** Of the whole content; null when it was never hashed. */
  readonly sha256: string | null;
}

/** `unknown`: the storage cannot be asked now; nothing follows from it. */
export type Sameness =
  | { readonly kind: 'same'; readonly proof: 'checksum' | 'content' | 'length' }
  | { readonly kind: 'different' }
  | { readonly kind: 'unknown' };

const UNKNOWN: Sameness = { kind: 'unknown' };
const DIFFERENT: Sameness = { kind: 'different' };

/** A page or an error in JSON instead of media: something in between answered. */
const NO_MEDIA = /\b(html|json)\b/i;

/** SHA-256 of what an address brings, at most a byte more than the file has. Errors: of reading, and no media. */
async function remoteHash(line: Line, url: string, sizeBytes: number): Promise<Result<string>> {
  const answer = await line.client.getSigned(url, null, line.signal);
  if (!answer.ok) return answer;
  const hash = createHash('sha256');
  let size = 0;
  try {
    if (NO_MEDIA.test(answer.value.headers['content-type'] ?? ''))
      return fail('network.intercepted');
    for await (const chunk of answer.value.body) {
      size += chunk.length;
      hash.update(chunk);
      if (size > sizeBytes) break;
    }
    return ok(hash.digest('hex'));
  } catch (error) {
    if (error instanceof SluiceFailure) return { ok: false, error: error.error };
    throw error;
  } finally {
    answer.value.body.dispose();
  }
}

/** SHA-256 of the file that is here; null when it is not the one that was planned any more. */
async function ownHash(line: Line, file: OwnFile): Promise<string | null> {
  if (file.sha256 !== null) return file.sha256;
  const facts = await line.ports.files.facts(file.path);
  if (!facts.ok || facts.value.stamp !== file.stamp) return null;
  const hash = await line.ports.files.hash(file.path);
  return hash.ok ? hash.value : null;
}

async function compareBytes(line: Line, url: string, file: OwnFile): Promise<Sameness> {
  const ours = await ownHash(line, file);
  if (ours === null) return UNKNOWN;
  const theirs = await remoteHash(line, url, file.sizeBytes);
  if (!theirs.ok) return UNKNOWN;
  if (theirs.value === ours) return { kind: 'same', proof: 'content' };
  // Sending again follows from a difference: one odd answer must not be the reason.
  const again = await remoteHash(line, url, file.sizeBytes);
  return again.ok && again.value === theirs.value ? DIFFERENT : UNKNOWN;
}

/**
 * Compares. Never throws for anything that files, network or service do.
 * @param depth `bytes`: where no checksum is stated, the object is fetched and hashed; `length`: an equal length is enough
 */
export async function compareContent(
  line: Line,
  url: string,
  file: OwnFile,
  depth: 'bytes' | 'length',
): Promise<Sameness> {
  const object = await line.client.describeSigned(url, line.signal);
  if (!object.ok) return UNKNOWN;
  const { lengthBytes, headers } = object.value;
  // An answer without the range may be anybody's: only the bytes can tell then.
  if (lengthBytes === null) return compareBytes(line, url, file);
  if (lengthBytes !== file.sizeBytes) return DIFFERENT;
  const stated = statedChecksums(headers);
  const isStated = stated.crc32c !== null || stated.md5 !== null || stated.etagMd5 !== null;
  if (isStated) {
    const facts = await line.ports.files.facts(file.path);
    const isHere = facts.ok && facts.value.stamp === file.stamp;
    const own = isHere ? await line.ports.files.checksums(file.path) : null;
    if (own?.ok === true) {
      // An ETag that differs may be no MD5 at all: only an equal one says something.
      const strong = compareChecksums({ ...stated, etagMd5: null }, own.value);
      if (strong === 'different') return DIFFERENT;
      const isEqual = strong === 'equal' || compareChecksums(stated, own.value) === 'equal';
      if (isEqual) return { kind: 'same', proof: 'checksum' };
    }
  }
  if (depth === 'length') return { kind: 'same', proof: 'length' };
  return compareBytes(line, url, file);
}
