/**
 * One output file: fetched beside its final name, resumed where an earlier try ended, and renamed only when whole.
 */
import { dirname } from 'node:path';
import type { Result } from '../../../preload/errorCodes.ts';
import { fail, ok, SluiceFailure } from '../errors.ts';
import type { HttpAnswer, PartFile } from '../ports.ts';
import { finishOutput, moveOutput, noteValidator, type Output } from '../store/outputs.ts';
import type { Line } from './line.ts';

/** Room that is left on a disk, bytes: other programs need some, too. */
const ROOM_LEFT_BYTES = 64 * 1024 * 1024;

/** What proves that a later answer continues the same bytes: a strong ETag, else the date of the last change. */
function validatorOf(answer: HttpAnswer): string | null {
  const tag = answer.headers['etag'];
  if (tag !== undefined && tag.startsWith('"')) return tag;
  return answer.headers['last-modified'] ?? null;
}

interface Span {
  /** Offset of the first byte of the answer. */
  readonly from: number;
  /** Size of the whole file; null when the answer does not say. */
  readonly total: number | null;
}

/** Which bytes an answer brings. null: the answer contradicts itself or what was asked. */
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

async function receive(
  answer: HttpAnswer,
  part: PartFile,
  line: Line,
  onBytes: (count: number) => void,
): Promise<Result<number>> {
  let received = 0;
  try {
    for await (const chunk of line.paceDown?.(answer.body, line.signal) ?? answer.body) {
      const written = await part.write(chunk);
      if (!written.ok) return written;
      received += chunk.length;
      onBytes(chunk.length);
    }
    return ok(received);
  } catch (error) {
    if (error instanceof SluiceFailure) return { ok: false, error: error.error };
    throw error;
  } finally {
    answer.body.dispose();
  }
}

async function enoughRoom(line: Line, output: Output, neededBytes: number): Promise<boolean> {
  const free = await line.ports.files.freeBytes(dirname(output.path));
  return free === null || free >= neededBytes + ROOM_LEFT_BYTES;
}

/** One try: asks for what is missing and writes it. Answers the size of the whole file. */
async function tryOnce(
  line: Line,
  output: Output,
  url: string,
  part: PartFile,
  onBytes: (count: number) => void,
): Promise<Result<number>> {
  const { validator } = output;
  const resumable = part.offsetBytes > 0 && validator !== null;
  if (!resumable && part.offsetBytes > 0) {
    const emptied = await part.truncate();
    if (!emptied.ok) return emptied;
  }
  const range = resumable ? { fromByte: part.offsetBytes, ifRange: validator } : null;
  const asked = await line.client.getSigned(url, range, line.signal);
  if (!asked.ok) return asked;
  const answer = asked.value;
  if (answer.status === 416) {
    answer.body.dispose();
    // Everything was there already, or the file is another one now.
    const total = /^bytes \*\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1];
    if (Number(total) === part.offsetBytes) return ok(part.offsetBytes);
    const emptied = await part.truncate();
    return emptied.ok ? fail('network.lost', { reason: 'range' }) : emptied;
  }
  const span = spanOf(answer, part.offsetBytes);
  if (span === null) {
    answer.body.dispose();
    return fail('service.unexpectedAnswer', { reason: 'range' });
  }
  if (span.from === 0 && part.offsetBytes > 0) {
    const emptied = await part.truncate();
    if (!emptied.ok) return emptied;
  }
  if (span.total !== null && !(await enoughRoom(line, output, span.total - span.from))) {
    answer.body.dispose();
    return fail('disk.full', { needs: span.total - span.from });
  }
  const fresh = validatorOf(answer);
  line.store.transaction(() => noteValidator(line.store, output.id, fresh));
  const received = await receive(answer, part, line, onBytes);
  if (!received.ok) return received;
  const size = span.from + received.value;
  if (span.total !== null && size !== span.total) {
    return fail('network.lost', { expected: span.total, received: size });
  }
  return ok(size);
}

/** True when something stands under the name that this ledger did not put there and that is not the same file. */
async function isForeign({ ports }: Line, { path, sha256 }: Output): Promise<boolean> {
  if (sha256 !== null) return false;
  const { files } = ports;
  const type = await files.typeOf(path);
  if (type === null) return false;
  if (type !== 'file') return true;
  const [theirs, ours] = [await files.hash(path), await files.hash(`${path}.part`)];
  return !theirs.ok || !ours.ok || theirs.value !== ours.value;
}

/**
 * Fetches one output file to its place. Errors with next `retry` leave a part that the next call goes on with;
 * upload.urlExpired asks for a fresh address. The file appears under its name only whole and synced. Answers `taken` when
 * somebody else's file stands there: it is left alone, and the part waits for another place.
 */
export async function fetchOutput(
  line: Line,
  output: Output,
  url: string,
  onBytes: (count: number) => void,
): Promise<Result<'done' | 'taken'>> {
  const { store, ports } = line;
  if (output.state === 'listed') {
    store.transaction(() => moveOutput(store, output.id, 'downloading', ports.clock.now()));
  }
  const made = await ports.files.makeDirectory(dirname(output.path));
  if (!made.ok) return made;
  const part = await ports.files.openPart(output.path);
  if (!part.ok) return part;
  try {
    const size = await tryOnce(line, output, url, part.value, onBytes);
    if (!size.ok) return size;
    if (await isForeign(line, output)) return ok('taken');
    const committed = await part.value.commit();
    if (!committed.ok) return committed;
    const sha256 = await ports.files.hash(output.path);
    if (!sha256.ok) return sha256;
    const file = { sizeBytes: size.value, sha256: sha256.value };
    store.transaction(() => finishOutput(store, output.id, file, ports.clock.now()));
    return ok('done');
  } finally {
    await part.value.close();
  }
}
