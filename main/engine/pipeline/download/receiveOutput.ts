/** Receives the bytes of one output, continuing where an earlier try ended, and stops when they cannot be those of the file. */
import { caught, fail, ok, type Result } from '../../core/errors.ts';
import { type Arrival, createArrival } from '../../evidence/arrival.ts';
import {
  needsMd5,
  type StatedChecksums,
  statedChecksums,
  statesContent,
} from '../../evidence/checksums.ts';
import { isUnexpectedPage, type Mistaken, mistakenFor } from '../../evidence/outputHead.ts';
import { paced } from '../../core/paced.ts';
import type { HttpAnswer, PartFile } from '../../core/ports.ts';
import type { Output } from '../../store/tables/outputs.ts';
import { unpackedAnswer } from '../../service/http/unpackedAnswer.ts';
import type { Pipeline } from '../context.ts';
import { lookForRoom } from './diskRoom.ts';
import type { OutputSink, OutputSinks } from './outputSink.ts';
import { askLength, hasOpenEnd } from './openEnd.ts';
import type { InTurn } from '../turns.ts';
import { isSameFile, isSmall, noteResumable, type Span, spanOf, validatorOf } from './resuming.ts';

/** What all tries of a download share. */
export interface SharedTries {
  readonly pipeline: Pipeline;
  /** Every try over the network waits for its turn here. */
  readonly inTurn: InTurn;
  /**
   * Hash of doubtful bytes, by output: an MD5 if they differ from an ETag, a SHA-256 if they may be an error or lack their end. If the same
   * hash occurs again, the ETag is not an MD5, or the bytes are the file.
   */
  readonly doubts: Map<number, string>;
  /** Size of the whole file in bytes, by output, as the last answer with its beginning stated. */
  readonly lengths: Map<number, number>;
  /** Ids of outputs whose last request for the rest was answered with a part that does not say which bytes it holds. */
  readonly oddRests: Set<number>;
}

/** One try to fetch a file. */
export interface Fetching extends SharedTries {
  readonly output: Output;
  /** A secret. */
  readonly url: string;
  /** An earlier try received bytes and was cut off: what arrives now is kept on disk. */
  readonly wasCut: boolean;
  /** `upTo`: how many bytes of the file are here now. */
  readonly onBytes: (count: number, upTo: number) => void;
}

/** A complete file: where its bytes are, what they are, and what the storage states about them. */
export interface Whole {
  readonly sink: OutputSink;
  readonly arrival: Arrival;
  readonly stated: StatedChecksums;
  /** The answer has an ETag or a date of the last change: storages send one, errors do not. */
  readonly isMarked: boolean;
  /** Nothing shows whether the end of the file is missing. */
  readonly mayBeCut: boolean;
}

/** What an earlier try left that can be resumed. */
interface Kept {
  readonly part: PartFile;
  readonly arrival: Arrival;
}

async function receive(
  fetching: Fetching,
  answer: HttpAnswer,
  { sink, arrival, stated }: Whole,
  fromByte: number,
): Promise<Result<number>> {
  const { pipeline, onBytes } = fetching;
  const { fileName } = fetching.output;
  const contentType = answer.headers['content-type'];
  const isStated = statesContent(stated);
  let received = 0;
  try {
    for await (const chunk of paced(pipeline.throttle, answer.body, pipeline.signal)) {
      arrival.take(chunk);
      // If the storage states a checksum, it decides once everything is here.
      const start = { fileName, contentType, head: arrival.head(), isComplete: false };
      const mistaken = isStated ? null : mistakenFor(start);
      if (mistaken !== null) return await discardPart(sink, mistaken);
      const written = await sink.write(chunk);
      if (!written.ok) return written;
      received += chunk.length;
      onBytes(chunk.length, fromByte + received);
    }
    return ok(received);
  } catch (error) {
    return caught(error);
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

/** Discards what arrived instead of a file, so that it is never resumed. A page or JSON does not come from the storage. */
export async function discardPart(sink: OutputSink, mistaken: Mistaken): Promise<Result<never>> {
  const emptied = await sink.truncate();
  if (!emptied.ok) return emptied;
  const said = SAID[mistaken];
  return mistaken === 'json' || mistaken === 'page'
    ? fail('network.intercepted', { reason: said })
    : fail('output.damaged', { said });
}

/**
 * What the storage states about a file that is already here completely, from the headers of an answer with its last byte; null when the
 * storage has another file now.
 */
async function stateOf(
  { pipeline, url, output: { validator } }: Fetching,
  sizeBytes: number,
): Promise<StatedChecksums | null> {
  const range = { fromByte: Math.max(0, sizeBytes - 1), ifRange: validator ?? '' };
  const asked = await pipeline.client.getSigned(url, range, pipeline.signal);
  if (!asked.ok) return statedChecksums({});
  const { status, headers, body } = asked.value;
  body.dispose();
  if (status !== 206) return statedChecksums({});
  const isSame = isSameFile({ headers }, null, { validator, lengthBytes: null });
  return isSame ? statedChecksums(headers) : null;
}

/** Discards what an earlier try left, because it cannot be continued, and logs why; the next try begins with the first byte. */
async function startOver(
  { pipeline, output }: Fetching,
  part: PartFile,
  why: 'output.replaced' | 'output.noRest' = 'output.replaced',
): Promise<Result<never>> {
  const { fileName: file, batchId: batch } = output;
  pipeline.ports.log.write('info', why, { file, batch });
  const emptied = await part.truncate();
  return emptied.ok ? fail('network.lost', { reason: 'range' }) : emptied;
}

/** What can be resumed; null when the file has to be fetched from the beginning. */
async function keptOf({ output }: Fetching, sinks: OutputSinks): Promise<Result<Kept | null>> {
  if (output.validator === null) return ok(null);
  const part = await sinks.openPart();
  if (!part.ok) return part;
  if (part.value.offsetBytes === 0) return ok(null);
  // It is not known yet which checksums are stated.
  const arrival = createArrival({ md5: true });
  for await (const bytes of part.value.kept()) arrival.take(bytes);
  return ok({ part: part.value, arrival });
}

/** One try over the network: requests and receives what is missing. Throws what reading the part file throws. */
export async function receiveOutput(
  fetching: Fetching,
  sinks: OutputSinks,
): Promise<Result<Whole>> {
  const { pipeline, output, url } = fetching;
  const found = await keptOf(fetching, sinks);
  if (!found.ok) return found;
  const kept = found.value;
  const range =
    kept === null ? null : { fromByte: kept.part.offsetBytes, ifRange: output.validator ?? '' };
  const asked = await pipeline.client.getSigned(url, range, pipeline.signal);
  if (!asked.ok) return asked;
  const answer = asked.value;
  if (answer.status !== 416) return takeAnswer(fetching, sinks, answer, kept);
  answer.body.dispose();
  if (kept === null) return fail('network.lost', { reason: 'range' });
  // Either everything is here already, or the file on the storage has changed.
  const { part, arrival } = kept;
  const total = /^bytes \*\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1];
  if (Number(total) === part.offsetBytes) {
    const stated = await stateOf(fetching, part.offsetBytes);
    if (stated !== null)
      return ok({ sink: part, arrival, stated, isMarked: true, mayBeCut: false });
  }
  return startOver(fetching, part);
}

/** Where to write an answer that holds the file from its beginning. */
async function sinkFor(
  { wasCut }: Fetching,
  sinks: OutputSinks,
  total: number | null,
): Promise<Result<OutputSink>> {
  if (isSmall(total) && !wasCut && !sinks.isPartOpen()) return ok(sinks.memory());
  const part = await sinks.openPart();
  if (!part.ok) return part;
  const emptied = part.value.offsetBytes > 0 ? await part.value.truncate() : ok(undefined);
  return emptied.ok ? part : emptied;
}

/** Receives the body of an answer, appended to what is kept or replacing it. */
async function takeAnswer(
  fetching: Fetching,
  sinks: OutputSinks,
  given: HttpAnswer,
  kept: Kept | null,
): Promise<Result<Whole>> {
  const { output } = fetching;
  // A storage may label an archive as content-encoded; decoded, the archive would not be what its name says.
  const answer = /\.(t?gz|zst)$/i.test(output.fileName) ? given : unpackedAnswer(given);
  if (answer === null) {
    given.body.dispose();
    // A range of the compressed bytes cannot continue bytes that were decompressed.
    return given.status === 206
      ? refuseSpan(fetching, given, kept)
      : fail('service.unexpectedAnswer', { reason: 'content-encoding' });
  }
  const begun = await beginTaking(fetching, sinks, answer, kept);
  if (!begun.ok) {
    answer.body.dispose();
    return begun;
  }
  const { whole, span } = begun.value;
  const received = await receive(fetching, answer, whole, span.from);
  if (!received.ok) return received;
  const size = span.from + received.value;
  // A compressed body shows its end in its bytes.
  const isOpen = span.total === null && answer === given && hasOpenEnd(answer, whole.stated);
  const expected = isOpen ? await askLength(fetching.pipeline, fetching.url) : span.total;
  return expected === null || size === expected
    ? ok({ ...whole, mayBeCut: isOpen && expected === null })
    : fail('network.lost', { expected, received: size });
}

/**
 * Refuses an answer that does not say which bytes it holds. Only after the second one in a row are the bytes that are already here
 * discarded.
 */
async function refuseSpan(
  fetching: Fetching,
  { status }: HttpAnswer,
  kept: Kept | null,
): Promise<Result<never>> {
  const { output, oddRests } = fetching;
  if (kept !== null && status === 206) {
    if (oddRests.delete(output.id)) return startOver(fetching, kept.part, 'output.noRest');
    oddRests.add(output.id);
  }
  return fail('service.unexpectedAnswer', { reason: 'range' });
}

/** Decides by the headers of an answer whether and where its bytes are received. */
async function beginTaking(
  fetching: Fetching,
  sinks: OutputSinks,
  answer: HttpAnswer,
  kept: Kept | null,
): Promise<Result<{ readonly whole: Whole; readonly span: Span }>> {
  const { pipeline, output, lengths } = fetching;
  if (isUnexpectedPage(output.fileName, answer.headers['content-type'])) {
    return fail('network.intercepted', { reason: 'a page' });
  }
  const span = spanOf(answer, kept?.part.offsetBytes ?? 0);
  if (span === null) return refuseSpan(fetching, answer, kept);
  fetching.oddRests.delete(output.id);
  const goneOn = span.from > 0 ? kept : null;
  const { validator: known } = output;
  const received = { validator: known, lengthBytes: lengths.get(output.id) ?? null };
  if (goneOn !== null && !isSameFile(answer, span.total, received)) {
    return startOver(fetching, goneOn.part);
  }
  if (span.total !== null) lengths.set(output.id, span.total);
  const sink = goneOn === null ? await sinkFor(fetching, sinks, span.total) : ok(goneOn.part);
  if (!sink.ok) return sink;
  const room = await lookForRoom(pipeline, output, (span.total ?? span.from) - span.from);
  if (!room.ok) return room;
  const stated = statedChecksums(answer.headers);
  const validator = goneOn === null ? validatorOf(answer) : known;
  if (!isSmall(span.total) || fetching.wasCut || output.validator !== null) {
    await noteResumable(pipeline.store, output, validator);
  }
  const arrival = goneOn?.arrival ?? createArrival({ md5: needsMd5(stated) });
  const isMarked = validator !== null;
  return ok({ whole: { sink: sink.value, arrival, stated, isMarked, mayBeCut: false }, span });
}
