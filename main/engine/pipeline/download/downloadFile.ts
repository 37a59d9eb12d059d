/** One offered file of a download: whether it is here already, its tries, fresh addresses, its place, its unpacking. */
import { ok, type Result, type SluiceError } from '../../core/errors.ts';
import { MAX_SERVICE_TRIES } from '../../core/limits.ts';
import {
  findOutput,
  moveOutput,
  noteStamp,
  type Output,
  placeOutput,
} from '../../store/tables/outputs.ts';
import { backoffMs } from '../backoff.ts';
import { unpackOutput } from './downloadUnpack.ts';
import { fetchOutput } from './fetchOutput.ts';
import { addressByName, freshAddress, type Refreshing } from './freshAddress.ts';
import type { Line } from '../context.ts';
import type { Listing, Offered } from './listOutputs.ts';

/** Without a byte for this long, a download gives up; what is there is kept. */
const PATIENCE_MS = 10 * 60_000;
/** Waits that end by themselves; a refused key or a full disk does not. */
const PASSING = ['network.intercepted', 'network.unresolved', 'net.offline'];
const WANTS_FRESH_ADDRESS = ['upload.urlExpired', 'network.intercepted', 'output.damaged'];

/** What the files of one download share while it runs. */
export interface FileWork {
  readonly line: Line;
  readonly listing: Listing;
  readonly refreshing: Refreshing;
  readonly etagDoubts: Map<number, string>;
  /** Monotonic instant of the last byte that came. */
  lastByteAt: number;
  readonly gotBytes: (count: number) => void;
}

/** Whether another try may help, and after which pause, ms; null: it may not. `since`: the last byte, monotonic ms. */
export function pauseAfter(
  line: Line,
  since: number,
  error: SluiceError,
  tries: number,
): number | null {
  const { ports, times } = line;
  if (line.signal.aborted || ports.clock.monotonicMs() - since > PATIENCE_MS) return null;
  const { next, code } = error;
  if (next !== 'retry' && next !== 'unknown' && !PASSING.includes(code)) return null;
  const isAnswer = !code.startsWith('net') || code === 'network.intercepted';
  if (isAnswer && tries >= MAX_SERVICE_TRIES) return null;
  return backoffMs(Math.min(tries, 6), ports.random.fraction(), times, error);
}

/** True when the file is where it was put, as it was put there: by its stamp, else by its content. */
async function isUntouched({ ports, store }: Line, output: Output): Promise<boolean> {
  const facts = await ports.files.facts(output.path);
  if (!facts.ok || facts.value.sizeBytes !== output.sizeBytes) return false;
  if (facts.value.stamp === output.stamp) return true;
  const hash = await ports.files.hash(output.path);
  if (!hash.ok || hash.value !== output.sha256) return false;
  store.transaction(() => noteStamp(store, output.id, facts.value.stamp));
  return true;
}

/** Another file is where this one was to go: another place, and the bytes that came are taken along. */
async function placeElsewhere({ line, listing }: FileWork, output: Output): Promise<void> {
  const { store, ports } = line;
  let path = output.path;
  do path = listing.places.take(output.part === '' ? null : output.part, output.fileName);
  while ((await ports.files.typeOf(path)) !== null);
  const moved = await ports.files.moveFile(`${output.path}.part`, `${path}.part`);
  if (!moved.ok) await ports.files.remove(`${output.path}.part`);
  store.transaction(() => placeOutput(store, output.id, path));
}

/** Tries until the file is there, or trying cannot help. */
async function fetchWhole(work: FileWork, offered: Offered): Promise<Result<void>> {
  const { line, refreshing, etagDoubts } = work;
  const { store, ports } = line;
  for (let tries = 1; ; tries += 1) {
    const output = findOutput(store, offered.output) ?? offered.output;
    const url = offered.page.urls[offered.index] ?? '';
    const onBytes = (count: number): void => {
      work.lastByteAt = ports.clock.monotonicMs();
      work.gotBytes(count);
    };
    const fetched = await fetchOutput({ line, output, url, etagDoubts, onBytes });
    if (fetched.ok && fetched.value === 'done') return ok(undefined);
    if (fetched.ok) {
      await placeElsewhere(work, output);
      continue;
    }
    const { error } = fetched;
    const pause = pauseAfter(line, work.lastByteAt, error, tries);
    ports.log.write('warn', 'output.failed', { file: output.fileName, code: error.code });
    if (pause === null) return fetched;
    const wantsFresh = WANTS_FRESH_ADDRESS.includes(error.code);
    if (!wantsFresh || tries > 1) await ports.clock.sleep(pause, line.signal);
    if (!wantsFresh) continue;
    const fresh = await freshAddress(line, offered, url, refreshing);
    if (!fresh.ok && pauseAfter(line, work.lastByteAt, fresh.error, tries) === null) return fresh;
  }
}

/** Fetches a file whose archive cannot be read once more, from a fresh address. */
async function fetchAgain(work: FileWork, output: Output): Promise<Result<Output>> {
  const { line } = work;
  const { store, ports } = line;
  const part = output.part === '' ? null : output.part;
  const url = await addressByName(line, output, part);
  if (!url.ok) return url;
  store.transaction(() => moveOutput(store, output.id, 'listed', ports.clock.now()));
  const page = { part, token: null, names: [output.fileName], urls: [url.value] };
  const fetched = await fetchWhole(work, { output, page, index: 0 });
  return fetched.ok ? ok(findOutput(store, output) ?? output) : fetched;
}

/** Unpacks a file that is here; a damaged archive is fetched once more first. Errors as Files.unpack and of fetching. */
export async function unpackFile(work: FileWork, output: Output): Promise<Result<void>> {
  const { line, listing } = work;
  const unpacked = await unpackOutput(line, output, listing.places.isTaken);
  if (unpacked.ok || unpacked.error.code !== 'part.damaged') return unpacked;
  line.ports.log.write('warn', 'output.archiveDamaged', { file: output.fileName });
  const again = await fetchAgain(work, output);
  return again.ok ? unpackOutput(line, again.value, listing.places.isTaken) : again;
}

/** True when nothing of this file needs to be fetched; otherwise it has the state and the place to be fetched into. */
async function isHere(work: FileWork, output: Output): Promise<boolean> {
  const { line } = work;
  const { store, ports } = line;
  const isParked = output.state === 'parked';
  if (output.state !== 'done' && !isParked) return false;
  const wasWhole = output.sha256 !== null;
  const untouched = wasWhole && (await isUntouched(line, output));
  if (untouched && !isParked) return true;
  const now = ports.clock.now();
  store.transaction(() => moveOutput(store, output.id, 'listed', now));
  // An archive that was refused for what is in it is what the service has.
  if (untouched && output.lastCode === 'part.unsafeName') {
    store.transaction(() => moveOutput(store, output.id, 'done', now));
    return true;
  }
  // The person who changed the file keeps it.
  if (wasWhole && !untouched && (await ports.files.typeOf(output.path)) !== null) {
    await placeElsewhere(work, output);
  }
  return false;
}

/** How a file came to be here. */
export interface Here {
  readonly output: Output;
  /** False for one that was here already. */
  readonly fetched: boolean;
}

/** Brings one offered file here, unless it is. It is not unpacked. */
export async function bringFile(work: FileWork, offered: Offered): Promise<Result<Here>> {
  const { store } = work.line;
  const { output } = offered;
  const wasHere = await isHere(work, output);
  const fetched = wasHere ? ok(undefined) : await fetchWhole(work, offered);
  if (!fetched.ok) return fetched;
  return ok({ output: findOutput(store, output) ?? output, fetched: !wasHere });
}
