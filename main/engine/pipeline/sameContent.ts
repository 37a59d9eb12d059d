/**
 * Whether the object that the service lists under a name is the file that is here. Told by length and by the checksum that
 * the storage states; where it states none, by its bytes.
 */
import { createHash } from 'node:crypto';
import { ok, SluiceFailure } from '../errors.ts';
import { compareChecksums, statedChecksums } from '../evidence/checksums.ts';
import type { Result } from '../../../preload/errorCodes.ts';
import type { Line } from './line.ts';

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

/** SHA-256 of what an address brings; null when it is not as long as it should be. Errors: of reading. */
async function remoteHash(
  line: Line,
  url: string,
  sizeBytes: number,
): Promise<Result<string | null>> {
  const answer = await line.client.getSigned(url, null, line.signal);
  if (!answer.ok) return answer;
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of answer.value.body) {
      size += chunk.length;
      if (size > sizeBytes) return ok(null);
      hash.update(chunk);
    }
    return ok(size === sizeBytes ? hash.digest('hex') : null);
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
  return theirs.value === ours ? { kind: 'same', proof: 'content' } : DIFFERENT;
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
  if (lengthBytes !== null && lengthBytes !== file.sizeBytes) return DIFFERENT;
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
  if (depth === 'length' && lengthBytes !== null) return { kind: 'same', proof: 'length' };
  return compareBytes(line, url, file);
}
