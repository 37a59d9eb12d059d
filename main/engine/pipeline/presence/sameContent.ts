/**
 * Whether an object under a name is our local file. Decided by length and by the checksum that the storage states; if it states none, by
 * the bytes, or by samples if reading all of them costs too much.
 */
import {
  caught,
  type ErrorCode,
  fail,
  ok,
  type Result,
  type SluiceError,
} from '../../core/errors.ts';
import { hashKindOf, isSampled } from '../../core/ids.ts';
import { hashIfUnchanged } from '../../core/unchanged.ts';
import { giveBack } from '../../core/receiveMemory.ts';
import type { ComputedChecksums, Fingerprint, HashKind } from '../../core/model.ts';
import {
  compareChecksums,
  needsMd5,
  type StatedChecksums,
  statedChecksums,
  statesContent,
} from '../../evidence/checksums.ts';
import type { OwnFile } from '../../store/queue/awaited.ts';
import type { Pipeline } from '../context.ts';

/**
 * `unknown`: the comparison shows nothing; `error` says why the object could not be read, if that was the reason. `proof` null: only
 * samples are the same, which proves nothing about the whole content. `isEmpty`: see EMPTY.
 */
export type ContentMatch =
  | { readonly kind: 'same'; readonly proof: 'checksum' | 'content' | null }
  | { readonly kind: 'different'; readonly isEmpty?: true }
  | {
      readonly kind: 'unknown';
      readonly error: SluiceError | null;
      /** Why so many others could not be read that this one was not tried. */
      readonly others?: SluiceError | null;
    };

/** Up to this size an object is compared completely: its samples would hardly be smaller. Our choice. */
const WHOLE_COMPARISON_BYTES = 4 * 1024 * 1024;
/** Up to this size an object is read directly if the storage states no checksums: asking for them costs as much. Our choice. */
const SMALL_OBJECT_BYTES = 256 * 1024;

const UNKNOWN: ContentMatch = { kind: 'unknown', error: null };
const DIFFERENT: ContentMatch = { kind: 'different' };
/** The result for an object without bytes, if the file has any. */
export const EMPTY: ContentMatch = { kind: 'different', isEmpty: true };

/** Errors that say that the storage does not let the object be read; any other error may pass. */
const REFUSALS: readonly ErrorCode[] = [
  'upload.urlExpired',
  'service.refused',
  'service.unexpectedAnswer',
];

/** True when the storage does not let the object be read, and may never do so. */
export function isRefusal({ code }: SluiceError): boolean {
  return REFUSALS.includes(code);
}

function unreadable(error: SluiceError): ContentMatch {
  return { kind: 'unknown', error };
}

/** A page or an error in JSON instead of media: something in between answered. */
export const NO_MEDIA = /\b(html|json)\b/i;

/**
 * The hash of the object at an address, read only until it exceeds our file. `lengthBytes`: what the storage states; an answer without a
 * length of its own may end too early. Errors: those of reading; network.intercepted.
 */
async function remoteHash(
  pipeline: Pipeline,
  url: string,
  sizeBytes: number,
  kind: HashKind,
  lengthBytes: number | null = null,
): Promise<Result<string>> {
  const given = await pipeline.client.getSigned(url, null, pipeline.signal);
  if (!given.ok) return given;
  // Loaded on demand: few runs compare anything.
  const { createContentHasher } = await import('../../files/contentHash.ts');
  const { unpackedAnswer } = await import('../../service/http/unpackedAnswer.ts');
  const answer = unpackedAnswer(given.value);
  if (answer === null) {
    given.value.body.dispose();
    return fail('service.unexpectedAnswer', { reason: 'content-encoding' });
  }
  const hash = createContentHasher(kind);
  let size = 0;
  try {
    if (NO_MEDIA.test(answer.headers['content-type'] ?? '')) return fail('network.intercepted');
    for await (const chunk of answer.body) {
      // One byte too many is enough, and the same in each reading, however the network cuts the object into chunks.
      hash.update(chunk.subarray(0, sizeBytes + 1 - size));
      size += chunk.length;
      giveBack(chunk);
      if (size > sizeBytes) break;
    }
    if (lengthBytes !== null && size < lengthBytes)
      return fail('network.lost', { reason: 'the object ended too early' });
    return ok(hash.finish());
  } catch (error) {
    return caught(error);
  } finally {
    answer.body.dispose();
  }
}

/** The hash of the local file; null when it cannot be read or has changed since it was planned. */
export async function ownHash(
  pipeline: Pipeline,
  file: OwnFile,
  kind: HashKind,
): Promise<string | null> {
  // A file that was hashed while it was sent need not be read again.
  if (file.contentHash !== null && hashKindOf(file.contentHash) === kind) return file.contentHash;
  return hashIfUnchanged(pipeline.ports.files, file, kind);
}

async function compareBytes(
  pipeline: Pipeline,
  url: string,
  file: OwnFile,
  lengthBytes: number | null,
): Promise<ContentMatch> {
  const kind = hashKindOf(file.contentHash ?? file.fingerprint ?? '');
  const ours = await ownHash(pipeline, file, kind);
  if (ours === null) return UNKNOWN;
  const theirs = await remoteHash(pipeline, url, file.sizeBytes, kind, lengthBytes);
  if (!theirs.ok) return unreadable(theirs.error);
  if (theirs.value === ours) return { kind: 'same', proof: 'content' };
  // A difference causes the file to be sent again, so one odd answer must not decide.
  const again = await remoteHash(pipeline, url, file.sizeBytes, kind, lengthBytes);
  return again.ok && again.value === theirs.value ? DIFFERENT : UNKNOWN;
}

/** The fingerprint of an object from its sampled ranges; null if the storage serves no ranges. Errors: those of reading. */
async function remoteFingerprint(
  pipeline: Pipeline,
  url: string,
  sizeBytes: number,
  kind: HashKind,
): Promise<Result<Fingerprint | null>> {
  const { fingerprintOfSamples, sampledRanges } = await import('../../files/fingerprint.ts');
  const samples: Uint8Array[] = [];
  for (const { start, end } of sampledRanges(sizeBytes)) {
    const range = { fromByte: start, lengthBytes: end - start };
    const bytes = await pipeline.client.readSigned(url, range, pipeline.signal);
    if (!bytes.ok) return bytes;
    if (bytes.value === null) return ok(null);
    samples.push(bytes.value);
  }
  return ok(fingerprintOfSamples(sizeBytes, samples, kind));
}

/** Compares the ranges that the fingerprint of a large file covers, without reading the local file. The object is as long as the file. */
async function compareSamples(
  pipeline: Pipeline,
  url: string,
  file: OwnFile,
): Promise<ContentMatch> {
  const { fingerprint, sizeBytes } = file;
  const isLarge = sizeBytes > WHOLE_COMPARISON_BYTES && fingerprint !== null;
  if (!isLarge || !isSampled(fingerprint)) return compareBytes(pipeline, url, file, sizeBytes);
  const kind = hashKindOf(fingerprint);
  const theirs = await remoteFingerprint(pipeline, url, sizeBytes, kind);
  if (!theirs.ok) return unreadable(theirs.error);
  if (theirs.value === null) return compareBytes(pipeline, url, file, sizeBytes);
  if (theirs.value === fingerprint) return { kind: 'same', proof: null };
  // As with the whole content, one odd answer must not lead to sending again.
  const again = await remoteFingerprint(pipeline, url, sizeBytes, kind);
  return again.ok && again.value === theirs.value ? DIFFERENT : UNKNOWN;
}

/**
 * What identifies the content of an object: its hash, or the fingerprint of a large one. If the storage states no length, it is read only
 * until it exceeds `mostBytes`. Errors: those of reading.
 */
export async function remoteContent(
  pipeline: Pipeline,
  url: string,
  lengthBytes: number | null,
  mostBytes: number,
): Promise<Result<string>> {
  const most = lengthBytes ?? mostBytes;
  if (most > WHOLE_COMPARISON_BYTES) {
    const sampled = await remoteFingerprint(pipeline, url, most, 'b3');
    if (!sampled.ok) return sampled;
    if (sampled.value !== null) return ok(sampled.value);
  }
  return remoteHash(pipeline, url, most, 'b3', lengthBytes);
}

/**
 * Whether two objects have the same content; large ones are compared by samples, and those whose length the storage does not state by their
 * beginning. null when that is not possible now. Never throws.
 */
export async function areEqual(
  pipeline: Pipeline,
  one: string,
  other: string,
): Promise<boolean | null> {
  const [first, second] = await Promise.all(
    [one, other].map((url) => pipeline.client.describeSigned(url, pipeline.signal)),
  );
  if (first?.ok !== true || second?.ok !== true) return null;
  const { lengthBytes } = first.value;
  if (lengthBytes !== second.value.lengthBytes)
    return lengthBytes === null || second.value.lengthBytes === null ? null : false;
  const mostBytes = lengthBytes ?? WHOLE_COMPARISON_BYTES;
  const contents = await Promise.all(
    [one, other].map((url) => remoteContent(pipeline, url, lengthBytes, mostBytes)),
  );
  if (!contents.every((content) => content.ok)) return null;
  return new Set(contents.map(({ value }) => value)).size === 1;
}

/** True when the object of a small file was read and matches; false proves nothing. */
async function isSameSmall(pipeline: Pipeline, url: string, file: OwnFile): Promise<boolean> {
  const { sizeBytes, contentHash } = file;
  if (!pipeline.storage.statesNothing || contentHash === null || sizeBytes > SMALL_OBJECT_BYTES)
    return false;
  const theirs = await remoteHash(pipeline, url, sizeBytes, hashKindOf(contentHash));
  return theirs.ok && theirs.value === contentHash;
}

/**
 * Our file's values of all checksums that the storage states: a single one may be equal by chance. They are those that were computed while
 * sending; if these do not match or do not suffice, the file is read. null if the file has changed since it was planned, or cannot be read.
 */
async function ownChecksums(
  pipeline: Pipeline,
  file: OwnFile,
  stated: StatedChecksums,
): Promise<ComputedChecksums | null> {
  const wanted = {
    md5: stated.md5 !== null || needsMd5(stated),
    sha256: stated.sha256 !== null,
  };
  if (wanted.md5) pipeline.storage.statesImageMd5 = true;
  const sent = file.contentHash === null ? null : pipeline.sentChecksums.of(file.contentHash);
  const isEnough = sent !== null && !wanted.sha256 && (sent.md5 !== null || !wanted.md5);
  // A difference causes the file to be sent again, so only the file itself may prove one.
  if (isEnough && compareChecksums(stated, sent) === 'equal') return sent;
  const facts = await pipeline.ports.files.facts(file.path);
  if (!facts.ok || facts.value.stamp !== file.stamp) return null;
  const read = await pipeline.ports.files.checksums(file.path, wanted);
  return read.ok ? read.value : null;
}

/**
 * Compares an object with our file. Never throws for anything that files, network or service do.
 * @param depth if no checksum is stated: `bytes` fetches and hashes the object; `samples` reads only some ranges of a large one
 */
export async function compareContent(
  pipeline: Pipeline,
  url: string,
  file: OwnFile,
  depth: 'bytes' | 'samples',
): Promise<ContentMatch> {
  if (depth === 'bytes' && (await isSameSmall(pipeline, url, file)))
    return { kind: 'same', proof: 'content' };
  const object = await pipeline.client.describeSigned(url, pipeline.signal);
  if (!object.ok) return unreadable(object.error);
  const { lengthBytes, headers, isBodiless } = object.value;
  // A SHA-256 that differs may describe only the requested byte, so only an equal one counts here.
  const { 'content-range': _, ...ofWhole } = headers;
  const { sha256 } = statedChecksums(ofWhole);
  if (sha256 !== null && (await ownHash(pipeline, file, 'sha256')) === sha256)
    return { kind: 'same', proof: 'checksum' };
  // An answer that does not state the length of the object may come from something in between, so only the bytes prove anything.
  if (lengthBytes === null) {
    const match = await compareBytes(pipeline, url, file, null);
    return match.kind === 'different' && isBodiless === true ? EMPTY : match;
  }
  if (lengthBytes !== file.sizeBytes) return lengthBytes === 0 ? EMPTY : DIFFERENT;
  const stated = statedChecksums(headers);
  pipeline.storage.statesNothing = !statesContent(stated);
  if (statesContent(stated)) {
    const own = await ownChecksums(pipeline, file, stated);
    if (own !== null) {
      const comparison = compareChecksums(stated, own);
      if (comparison === 'different') return DIFFERENT;
      if (comparison === 'equal') return { kind: 'same', proof: 'checksum' };
    }
  }
  return depth === 'samples'
    ? compareSamples(pipeline, url, file)
    : compareBytes(pipeline, url, file, lengthBytes);
}
