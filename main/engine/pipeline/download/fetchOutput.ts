/** Fetches one output file next to its final path, resumes earlier tries, and renames it when it is complete and its checksums match. */
import { caught, fail, ok, type Result } from '../../core/errors.ts';
import type { ComputedChecksums } from '../../core/model.ts';
import {
  type Comparison,
  compareChecksums,
  type StatedChecksums,
} from '../../evidence/checksums.ts';
import { mayBeError, mistakenFor } from '../../evidence/outputHead.ts';
import { finishOutput, noteSynced, type Output } from '../../store/tables/outputs.ts';
import { missingDrive } from '../drives.ts';
import { createOutputSinks } from './outputSink.ts';
import { ownPartPath } from './parts.ts';
import { type Fetching, receiveOutput, discardPart, type Whole } from './receiveOutput.ts';
import { isSmall } from './resuming.ts';

/** Whether what arrived is what the storage has. An ETag alone is trusted until the same bytes contradict it twice. */
function judge(
  { output, doubts }: Fetching,
  stated: StatedChecksums,
  computed: ComputedChecksums,
): Exclude<Comparison, 'doubtful'> {
  const comparison = compareChecksums(stated, computed);
  if (comparison !== 'doubtful') return comparison;
  const { md5 } = computed;
  if (md5 === null || doubts.get(output.id) === md5) return 'nothing stated';
  doubts.set(output.id, md5);
  return 'different';
}

/**
 * What may be wrong with bytes that no checksum or length proves: their end may be missing, or there are none, or they are a short JSON
 * object that looks like an error, without the headers that a storage sends. null when the same bytes arrived again after a pause.
 */
function doubtAbout(
  { output, doubts }: Fetching,
  { arrival, isMarked, mayBeCut }: Whole,
  { sha256, lengthBytes }: { readonly sha256: string; readonly lengthBytes: number },
): Result<never> | null {
  const isLikeError = !isMarked && isSmall(lengthBytes) && mayBeError(arrival.head());
  const isEmpty = !isMarked && lengthBytes === 0;
  if (!mayBeCut && !isLikeError && !isEmpty) return null;
  if (doubts.get(output.id) === sha256) return null;
  doubts.set(output.id, sha256);
  return isLikeError
    ? fail('service.busy', { said: 'an error as JSON' })
    : fail('network.lost', { reason: isEmpty ? 'empty' : 'no length', received: lengthBytes });
}

/**
 * True when the file at the path is neither what this ledger put there nor what arrived. Errors: next `retry` when it cannot be read
 * now, disk.missing when its drive went away.
 */
async function isForeign({ pipeline, output }: Fetching, sha256: string): Promise<Result<boolean>> {
  const { files } = pipeline.ports;
  const isFile = (await files.typeOf(output.path)) === 'file';
  const present = isFile ? await files.hash(output.path, 'sha256') : null;
  if (present?.ok === true) return ok(present.value !== sha256 && present.value !== output.sha256);
  if (present?.error.next === 'retry') return present;
  // If the drive is away, the file is not foreign but out of sight: if it were saved under another name, it would be here twice once its
  // drive is back.
  const away = await missingDrive(pipeline, output.path);
  return away === null ? ok(true) : { ok: false, error: away };
}

/** Renames a complete file to its final name, unless that is taken. */
async function giveName(fetching: Fetching, whole: Whole): Promise<Result<Output | 'taken'>> {
  const { pipeline, output } = fetching;
  const { store, ports } = pipeline;
  const { sink, stated } = whole;
  const computed = whole.arrival.finish();
  const comparison = judge(fetching, stated, computed);
  if (comparison === 'different') {
    const emptied = await sink.truncate();
    if (!emptied.ok) return emptied;
    ports.log.write('warn', 'output.damaged', { file: output.fileName, batch: output.batchId });
    return fail('output.damaged', {
      file: output.fileName,
      said: 'the storage states another checksum',
    });
  }
  if (comparison !== 'equal') {
    // The content type was already checked when the answer arrived.
    const start = { fileName: output.fileName, contentType: undefined, head: whole.arrival.head() };
    const mistaken = mistakenFor({ ...start, isComplete: true });
    if (mistaken !== null) return discardPart(sink, mistaken);
    const doubt = doubtAbout(fetching, whole, computed);
    if (doubt !== null) {
      const emptied = await sink.truncate();
      return emptied.ok ? doubt : emptied;
    }
  }
  const { sha256, lengthBytes: sizeBytes } = computed;
  let named = await sink.commit({ replace: false });
  if (named.ok && named.value.kind === 'occupied') {
    const foreign = await isForeign(fetching, sha256);
    if (!foreign.ok) return foreign;
    if (foreign.value) return ok('taken');
    named = await sink.commit({ replace: true });
  }
  if (!named.ok) return named;
  const stamp = named.value.kind === 'written' ? named.value.stamp : null;
  const file = { sizeBytes, sha256, stamp };
  return ok(await store.soon(() => finishOutput(store, output, file, ports.clock.now())));
}

/**
 * Fetches one output file to its path. Errors with next `retry` leave a part file from which the next call resumes. After
 * upload.urlExpired, network.intercepted (a page) and output.damaged (the bytes do not match the stated checksum, or are not the archive
 * that the name promises), the caller should request a fresh address. The file appears under its name only when it is complete and synced.
 * Returns `taken` when another file has that name, or a file of ours that was changed: it is left alone, and the part file waits for
 * another path.
 */
export async function fetchOutput(fetching: Fetching): Promise<Result<Output | 'taken'>> {
  const { pipeline, output } = fetching;
  const { store } = pipeline;
  const partPath = ownPartPath(pipeline, output.path);
  const sinks = createOutputSinks(pipeline, output.path, partPath, {
    bytes: output.syncedBytes,
    note: (bytes) => store.soon(() => noteSynced(store, output.id, bytes)),
  });
  try {
    const whole = await fetching.inTurn(() => receiveOutput(fetching, sinks));
    const done = whole.ok ? await giveName(fetching, whole.value) : whole;
    const hasFailed = !done.ok && done.error.code === 'disk.failed';
    const away = hasFailed ? await missingDrive(pipeline, output.path) : null;
    return away === null ? done : { ok: false, error: away };
  } catch (error) {
    return caught(error);
  } finally {
    await sinks.close();
  }
}
