/** One offered file of a download: whether it already exists, its tries, fresh addresses, its path and its unpacking. */
import { withShortageNamed } from '../../core/errno.ts';
import { type ErrorCode, ok, type Result, type SluiceError } from '../../core/errors.ts';
import { MAX_SERVICE_TRIES } from '../../core/limits.ts';
import {
  latestOutput,
  moveOutput,
  noteStamp,
  type Output,
  placeOutput,
} from '../../store/tables/outputs.ts';
import { unpackOutput } from './downloadUnpack.ts';
import { fetchOutput } from './fetchOutput.ts';
import { addressByName, answersFor, freshAddress } from './freshAddress.ts';
import type { Pipeline } from '../context.ts';
import type { Listing, OfferedFile } from './listOutputs.ts';
import { ownPartPath } from './parts.ts';
import { type Patience, patiently } from './patience.ts';
import type { LaneCount } from '../laneCount.ts';
import type { SharedTries } from './receiveOutput.ts';

/**
 * Errors that concern a signed address or the file behind it, or that come from something in between: a fresh address is requested. If the
 * storage serves other files meanwhile, the cause is this file.
 */
const ABOUT_THE_ADDRESS: readonly ErrorCode[] = [
  'upload.urlExpired',
  'network.intercepted',
  'output.damaged',
  'service.notFound',
  'service.refused',
  'service.unexpectedAnswer',
];
/** Errors that cut an answer short. */
const ABOUT_THE_WAY: readonly ErrorCode[] = ['network.lost', 'network.timeout'];
/** A file counts as gone after this many fresh lists in a row without it. */
const TIMES_UNLISTED = 2;

/** What the files of one download share while it runs. */
export interface FileWork extends SharedTries {
  readonly listing: Listing;
  /** How many tries may use the network. */
  readonly lanes: LaneCount;
  readonly patience: Patience;
  /** The file that was last fetched or found in place. */
  witness: OfferedFile | null;
  /** Every other file is done: the files that still fail are retried for as long as that may help. */
  finishing: boolean;
  readonly gotBytes: (count: number) => void;
  /** Shows the caller how far the download is. */
  readonly report: () => void;
}

/**
 * Why a file could not be fetched. `stops`: no other file could be fetched either. `alone`: others can be, and this one may work later.
 * `blamed`: others can be, and the error is about this file. `local`: the cause is on this computer, or what arrived is not the file.
 */
export interface NotHere {
  readonly kind: 'stops' | 'alone' | 'blamed' | 'local';
  readonly error: SluiceError;
}

/**
 * True when the file is in place and unchanged, by its stamp or else its content. Errors: next `retry` when it cannot be read now,
 * disk.missing when its drive does not answer.
 */
async function isUntouched({ ports, store }: Pipeline, output: Output): Promise<Result<boolean>> {
  const isUnseen = ({ next, code }: SluiceError) => next === 'retry' || code === 'disk.missing';
  const facts = await ports.files.facts(output.path);
  if (!facts.ok) return isUnseen(facts.error) ? facts : ok(false);
  if (facts.value.sizeBytes !== output.sizeBytes) return ok(false);
  if (facts.value.stamp === output.stamp) return ok(true);
  const hash = await ports.files.hash(output.path, 'sha256');
  if (!hash.ok) return isUnseen(hash.error) ? hash : ok(false);
  if (hash.value !== output.sha256) return ok(false);
  store.transaction(() => noteStamp(store, output.id, facts.value.stamp));
  return ok(true);
}

/** Another file occupies the path of this one: assigns a new path and moves the partial download along. */
async function placeElsewhere({ pipeline, listing }: FileWork, output: Output): Promise<void> {
  const { store, ports } = pipeline;
  let path = output.path;
  let type;
  do {
    path = listing.places.take(output);
    type = await ports.files.typeOf(path);
    // `other`: it may not be known now what is there, so nothing is written over it.
  } while (type !== null && type !== 'other');
  const part = ownPartPath(pipeline, output.path);
  const next = ownPartPath(pipeline, path);
  const moved = await ports.files.moveFile(part, next, ownPartPath(pipeline, next));
  if (!moved.ok) await ports.files.remove(part);
  store.transaction(() => placeOutput(store, output.id, path));
}

function isAboutTheAddress({ code }: SluiceError): boolean {
  return ABOUT_THE_ADDRESS.includes(code);
}

/** What an error means after this many tries; null to try again. */
async function verdictOf(
  work: FileWork,
  { output }: OfferedFile,
  error: SluiceError,
  tries: number,
): Promise<NotHere['kind'] | null> {
  const { pipeline, witness, patience } = work;
  const isAboutIt = isAboutTheAddress(error);
  if (error.next === 'park' && !isAboutIt) return 'local';
  const isOfStorage = isAboutIt || /^(service|network|net)\./.test(error.code);
  if (!isOfStorage || tries % MAX_SERVICE_TRIES !== 0) return null;
  const isWitnessed =
    (isAboutIt || !work.finishing) &&
    witness !== null &&
    witness.output.id !== output.id &&
    (await answersFor(pipeline, witness));
  // The storage served another file, so it is not silent.
  if (isWitnessed) patience.progress();
  if (isWitnessed) return isAboutIt ? 'blamed' : 'alone';
  // A complete but wrong file several times in a row: no outage looks like that.
  return error.code === 'output.damaged' ? 'local' : null;
}

/**
 * Tries until the file is complete, and returns it, or until trying again cannot help. `offered` contains the current row of the output.
 */
async function fetchWhole(work: FileWork, offered: OfferedFile): Promise<Output | NotHere> {
  const { pipeline, patience } = work;
  const { store, ports } = pipeline;
  let unlisted = 0;
  let furthest = 0;
  let wasCut = false;
  for (let tries = 1; ; tries += 1) {
    const output = tries === 1 ? offered.output : latestOutput(store, offered.output);
    const url = offered.page.urls[offered.index] ?? '';
    const onBytes = (count: number, upTo: number): void => {
      // Receiving the same beginning again is not progress.
      if (upTo > furthest) patience.progress();
      furthest = Math.max(furthest, upTo);
      work.gotBytes(count);
    };
    const fetched = await fetchOutput({ ...work, output, url, wasCut, onBytes });
    if (fetched.ok && fetched.value !== 'taken') {
      patience.progress();
      work.lanes.ended();
      return fetched.value;
    }
    if (fetched.ok) {
      await placeElsewhere(work, output);
      continue;
    }
    const error = withShortageNamed(fetched.error);
    if (pipeline.signal.aborted) return { kind: 'stops', error };
    work.lanes.failed(error.code);
    wasCut ||= furthest > 0 && ABOUT_THE_WAY.includes(error.code);
    ports.log.write('warn', 'output.failed', { file: output.fileName, code: error.code });
    const verdict = await verdictOf(work, offered, error, tries);
    if (verdict !== null) return { kind: verdict, error };
    const wantsFresh = isAboutTheAddress(error);
    const pause = patience.pauseAfter(wantsFresh ? { ...error, next: 'retry' } : error, tries);
    if (pause === null) return { kind: 'stops', error };
    work.report();
    if (!wantsFresh || tries > 1) await ports.clock.sleep(pause, pipeline.signal);
    if (pipeline.signal.aborted) return { kind: 'stops', error };
    if (!wantsFresh) continue;
    const fresh = await freshAddress(pipeline, offered, url);
    const isUnlisted = !fresh.ok && fresh.error.code === 'service.notFound';
    unlisted = isUnlisted ? unlisted + 1 : 0;
    if (fresh.ok || (isUnlisted && unlisted < TIMES_UNLISTED)) continue;
    if (isUnlisted) return { kind: 'blamed', error: fresh.error };
    if (patience.pauseAfter(fresh.error, tries) === null) {
      return { kind: 'stops', error: fresh.error };
    }
  }
}

/** Refetches an unreadable archive from a fresh address. */
async function fetchAgain(work: FileWork, output: Output): Promise<Output | NotHere> {
  const { pipeline } = work;
  const { store, ports } = pipeline;
  const part = output.part === '' ? null : output.part;
  const url = await addressByName(pipeline, output, part);
  if (!url.ok) return { kind: url.error.next === 'park' ? 'blamed' : 'stops', error: url.error };
  store.transaction(() => moveOutput(store, output.id, 'listed', ports.clock.now()));
  const page = { part, token: null, names: [output.fileName], urls: [url.value], reading: null };
  const offered = { output: latestOutput(store, output), page, index: 0 };
  // `finishing`: the file was already fetched once, so it is not put off until the others are done.
  return fetchWhole({ ...work, finishing: true }, offered);
}

/** Unpacks a fetched file; fetches a damaged archive once more. Returns null when it is unpacked or not an archive. */
export async function unpackFile(work: FileWork, output: Output): Promise<NotHere | null> {
  const { pipeline, listing } = work;
  const unpack = async (archive: Output): Promise<NotHere | null> => {
    const unpacked = await patiently(work, () =>
      unpackOutput(pipeline, archive, listing.places.isTaken),
    );
    if (unpacked.ok) return null;
    const { error } = unpacked;
    return { kind: error.next === 'park' ? 'local' : 'stops', error };
  };
  const failed = await unpack(output);
  if (failed?.error.code !== 'part.damaged') return failed;
  pipeline.ports.log.write('warn', 'output.archiveDamaged', { file: output.fileName });
  const again = await fetchAgain(work, output);
  return 'kind' in again ? again : unpack(again);
}

/** True for a file that was given up and is still missing, even if a later try was cut short. */
export function wasGivenUp({ state, lastCode }: Output): boolean {
  return state === 'parked' || (state !== 'done' && lastCode !== null);
}

/** True when the file need not be fetched; otherwise its state and path are now ready for fetching. */
async function isHere(work: FileWork, output: Output): Promise<Result<boolean>> {
  const { pipeline } = work;
  const { store, ports } = pipeline;
  const isParked = wasGivenUp(output);
  if (output.state !== 'done' && !isParked) return ok(false);
  const wasWhole = output.sha256 !== null;
  const looked = wasWhole ? await isUntouched(pipeline, output) : ok(false);
  if (!looked.ok) return looked;
  const untouched = looked.value;
  if (untouched && !isParked) return ok(true);
  const now = ports.clock.now();
  if (output.state !== 'listed') {
    await store.soon(() => moveOutput(store, output.id, 'listed', now));
  }
  // An archive refused for unsafe member names is intact: it is exactly what the service has.
  if (untouched && output.lastCode === 'part.unsafeName') {
    await store.soon(() => moveOutput(store, output.id, 'done', now));
    return ok(true);
  }
  // A person changed this file, so it stays.
  if (wasWhole && !untouched && (await ports.files.typeOf(output.path)) !== null) {
    await placeElsewhere(work, output);
  }
  return ok(false);
}

export interface Here {
  readonly output: Output;
  /** False for a file that already existed. */
  readonly fetched: boolean;
}

/** Fetches one offered file unless it is already in place. Does not unpack it. */
export async function bringFile(work: FileWork, offered: OfferedFile): Promise<Here | NotHere> {
  const { state } = offered.output;
  // A fresh row need not be looked up again. The row of a file that is tried once more, or that was fetched or given up before, may have
  // changed since the list was read.
  const isFresh = state === 'listed' && !wasGivenUp(offered.output) && !work.finishing;
  const latest = (): Output => latestOutput(work.pipeline.store, offered.output);
  const wasHere = isFresh ? ok(false) : await patiently(work, () => isHere(work, latest()));
  if (!wasHere.ok) return { kind: 'stops', error: wasHere.error };
  const output = isFresh ? offered.output : latest();
  if (wasHere.value) return { output, fetched: false };
  const brought = await fetchWhole(work, { ...offered, output });
  return 'kind' in brought ? brought : { output: brought, fetched: true };
}
