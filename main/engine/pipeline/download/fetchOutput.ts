/**
 * One output file: fetched beside its final name, resumed where an earlier try ended, and renamed only when it is whole
 * and its bytes are those that the storage states.
 */
import { dirname } from 'node:path';
import { fail, ok, type Result, SluiceFailure } from '../../core/errors.ts';
import { type Arrival, createArrival } from '../../evidence/arrival.ts';
import { type ComputedChecksums } from '../../core/model.ts';
import {
  type Comparison,
  compareChecksums,
  differsByEtagOnly,
  needsMd5,
  type StatedChecksums,
  statedChecksums,
  statesContent,
} from '../../evidence/checksums.ts';
import { isUnexpectedPage, type Mistaken, mistakenFor } from '../../evidence/outputHead.ts';
import type { HttpAnswer, PartFile } from '../../core/ports.ts';
import { finishOutput, moveOutput, type Output } from '../../store/tables/outputs.ts';
import { unpackedAnswer } from '../../service/http/unpackedAnswer.ts';
import type { Pipeline } from '../context.ts';
import { lookForRoom } from './diskRoom.ts';
import { noteResumable, spanOf, validatorOf } from './resuming.ts';

/** Everything that fetching one file works with. */
export interface Fetching {
  readonly pipeline: Pipeline;
  readonly output: Output;
  /** A secret. */
  readonly url: string;
  /** MD5 of bytes that differed from an ETag, by output: the same again shows that this ETag is no MD5. */
  readonly etagDoubts: Map<number, string>;
  readonly onBytes: (count: number) => void;
}

/** What an earlier try left, read once for its checksums. It is not known yet which are stated. */
async function readKept(part: PartFile): Promise<Arrival> {
  const arrival = createArrival({ md5: true });
  for await (const bytes of part.kept()) arrival.take(bytes);
  return arrival;
}

async function receive(
  fetching: Fetching,
  answer: HttpAnswer,
  part: PartFile,
  arrival: Arrival,
  isStated: boolean,
): Promise<Result<number>> {
  const { pipeline, onBytes } = fetching;
  const { fileName } = fetching.output;
  const contentType = answer.headers['content-type'];
  let received = 0;
  try {
    for await (const chunk of pipeline.paceDown?.(answer.body, pipeline.signal) ?? answer.body) {
      arrival.take(chunk);
      // Where the storage states a checksum, that decides once everything is here.
      const start = { fileName, contentType, head: arrival.head(), isComplete: false };
      const mistaken = isStated ? null : mistakenFor(start);
      if (mistaken !== null) return await throwAway(part, mistaken);
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

const SAID: Readonly<Record<Mistaken, string>> = {
  json: 'an error as JSON',
  page: 'a page',
  empty: 'it is empty',
  noArchive: 'it is not an archive, although its name says so',
};

/** Something else came under the name of a file: none of it may be resumed. A page or an error is no answer of the storage. */
async function throwAway(part: PartFile, mistaken: Mistaken): Promise<Result<never>> {
  const emptied = await part.truncate();
  if (!emptied.ok) return emptied;
  const said = SAID[mistaken];
  return mistaken === 'json' || mistaken === 'page'
    ? fail('network.intercepted', { reason: said })
    : fail('output.damaged', { said });
}

/** Every byte of a file is in its part. */
interface Whole {
  readonly arrival: Arrival;
  readonly stated: StatedChecksums;
}

/** What the storage states about a file whose bytes are all here: its last byte is asked for once more, for the headers. */
async function stateOf(
  { pipeline, url, output }: Fetching,
  sizeBytes: number,
): Promise<StatedChecksums> {
  const range = { fromByte: Math.max(0, sizeBytes - 1), ifRange: output.validator ?? '' };
  const asked = await pipeline.client.getSigned(url, range, pipeline.signal);
  if (asked.ok) asked.value.body.dispose();
  return statedChecksums(asked.ok && asked.value.status === 206 ? asked.value.headers : {});
}

/** One try: asks for what is missing and writes it. */
async function tryOnce(fetching: Fetching, part: PartFile): Promise<Result<Whole>> {
  const { pipeline, output, url } = fetching;
  const { validator } = output;
  const resumable = part.offsetBytes > 0 && validator !== null;
  if (!resumable && part.offsetBytes > 0) {
    const emptied = await part.truncate();
    if (!emptied.ok) return emptied;
  }
  const kept = resumable ? await readKept(part) : null;
  const range = resumable ? { fromByte: part.offsetBytes, ifRange: validator } : null;
  const asked = await pipeline.client.getSigned(url, range, pipeline.signal);
  if (!asked.ok) return asked;
  const answer = asked.value;
  if (answer.status === 416) {
    answer.body.dispose();
    // Everything was there already, or the file is another one now.
    const total = /^bytes \*\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1];
    if (kept !== null && Number(total) === part.offsetBytes) {
      return ok({ arrival: kept, stated: await stateOf(fetching, part.offsetBytes) });
    }
    const emptied = await part.truncate();
    return emptied.ok ? fail('network.lost', { reason: 'range' }) : emptied;
  }
  return takeAnswer(fetching, part, answer, kept);
}

/** Writes what an answer brings behind what is kept, or instead of it. */
async function takeAnswer(
  fetching: Fetching,
  part: PartFile,
  given: HttpAnswer,
  kept: Arrival | null,
): Promise<Result<Whole>> {
  const { pipeline, output } = fetching;
  // A storage that calls an archive packed gives it as it is kept: unpacked it would not be what its name says.
  const answer = /\.t?gz$/i.test(output.fileName) ? given : unpackedAnswer(given);
  if (answer === null) {
    given.body.dispose();
    return fail('service.unexpectedAnswer', { reason: 'content-encoding' });
  }
  if (isUnexpectedPage(output.fileName, answer.headers['content-type'])) {
    answer.body.dispose();
    return fail('network.intercepted', { reason: 'a page' });
  }
  const span = spanOf(answer, part.offsetBytes);
  if (span === null) {
    answer.body.dispose();
    return fail('service.unexpectedAnswer', { reason: 'range' });
  }
  const goesOn = span.from > 0 && kept !== null;
  if (!goesOn && part.offsetBytes > 0) {
    const emptied = await part.truncate();
    if (!emptied.ok) return emptied;
  }
  const room = await lookForRoom(pipeline, output, (span.total ?? span.from) - span.from);
  if (!room.ok) {
    answer.body.dispose();
    return room;
  }
  const stated = statedChecksums(answer.headers);
  await noteResumable(pipeline.store, output, validatorOf(answer), span.total);
  const arrival = goesOn ? kept : createArrival({ md5: needsMd5(stated) });
  const received = await receive(fetching, answer, part, arrival, statesContent(stated));
  if (!received.ok) return received;
  const size = span.from + received.value;
  if (span.total !== null && size !== span.total) {
    return fail('network.lost', { expected: span.total, received: size });
  }
  return ok({ arrival, stated });
}

/** Whether what arrived is what the storage has. The ETag alone is believed until the same bytes contradict it twice. */
function judge(
  { output, etagDoubts }: Fetching,
  stated: StatedChecksums,
  computed: ComputedChecksums,
): Comparison {
  const comparison = compareChecksums(stated, computed);
  if (!differsByEtagOnly(stated, computed)) return comparison;
  const { md5 } = computed;
  if (md5 === null || etagDoubts.get(output.id) === md5) return 'nothing stated';
  etagDoubts.set(output.id, md5);
  return 'different';
}

/**
 * True when something is under the name that is neither what this ledger put there nor the same as what arrived. An error
 * with next `retry`: it could not be read for a moment.
 */
async function isForeign({ pipeline, output }: Fetching, sha256: string): Promise<Result<boolean>> {
  const { files } = pipeline.ports;
  const type = await files.typeOf(output.path);
  if (type !== 'file') return ok(type !== null);
  const present = await files.hash(output.path, 'sha256');
  if (!present.ok) return present.error.next === 'retry' ? present : ok(true);
  return ok(present.value !== sha256 && present.value !== output.sha256);
}

/** Renames the part of a whole file to its name, unless that is taken. */
async function settle(
  fetching: Fetching,
  part: PartFile,
  { arrival, stated }: Whole,
): Promise<Result<'done' | 'taken'>> {
  const { pipeline, output } = fetching;
  const { store, ports } = pipeline;
  const computed = arrival.finish();
  const comparison = judge(fetching, stated, computed);
  if (comparison === 'different') {
    const emptied = await part.truncate();
    if (!emptied.ok) return emptied;
    ports.log.write('warn', 'output.damaged', { file: output.fileName, batch: output.batchId });
    return fail('output.damaged', {
      file: output.fileName,
      said: 'the storage states another checksum',
    });
  }
  // What the answer called itself was judged as it came.
  const start = { fileName: output.fileName, contentType: undefined, head: arrival.head() };
  const mistaken = comparison === 'equal' ? null : mistakenFor({ ...start, isComplete: true });
  if (mistaken !== null) return throwAway(part, mistaken);
  const { sha256, lengthBytes: sizeBytes } = computed;
  const foreign = await isForeign(fetching, sha256);
  if (!foreign.ok) return foreign;
  if (foreign.value) return ok('taken');
  const committed = await part.commit();
  if (!committed.ok) return committed;
  const facts = await ports.files.facts(output.path);
  const stamp = facts.ok ? facts.value.stamp : null;
  await store.soon(() =>
    finishOutput(store, output.id, { sizeBytes, sha256, stamp }, ports.clock.now()),
  );
  return ok('done');
}

/** The part of a file; its directory is made where it is missing, which it is for few of many files. */
async function openPart({ pipeline, output }: Fetching): Promise<Result<PartFile>> {
  const { files } = pipeline.ports;
  const opened = await files.openPart(output.path);
  if (opened.ok || opened.error.context['errno'] !== 'ENOENT') return opened;
  const made = await files.makeDirectory(dirname(output.path));
  return made.ok ? files.openPart(output.path) : made;
}

/**
 * Fetches one output file to its place. Errors with next `retry` leave a part that the next call goes on with.
 * upload.urlExpired, network.intercepted (a page) and output.damaged (other bytes than the storage states, or no archive where
 * the name promises one) ask for a fresh address. The file appears under its name only whole and synced. Answers
 * `taken` when another file is there, or what this ledger put there was changed: it is left alone, and the part waits
 * for another place.
 */
export async function fetchOutput(fetching: Fetching): Promise<Result<'done' | 'taken'>> {
  const { pipeline, output } = fetching;
  const { store, ports } = pipeline;
  if (output.state === 'listed') {
    await store.soon(() => moveOutput(store, output.id, 'downloading', ports.clock.now()));
  }
  const part = await openPart(fetching);
  if (!part.ok) return part;
  try {
    const whole = await tryOnce(fetching, part.value);
    return whole.ok ? await settle(fetching, part.value, whole.value) : whole;
  } catch (error) {
    if (error instanceof SluiceFailure) return { ok: false, error: error.error };
    throw error;
  } finally {
    await part.value.close();
  }
}
