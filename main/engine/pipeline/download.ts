/** Step: download. Every output file of a batch, several at once, each fetched once and whole, unpacked where asked. */
import type { Result, SluiceError } from '../../../preload/errorCodes.ts';
import { fail, ok } from '../errors.ts';
import { MAX_SERVICE_TRIES } from '../limits.ts';
import { findOutput, moveOutput, type Output, outputsOf } from '../store/outputs.ts';
import { backoffMs } from './backoff.ts';
import { fetchOutput } from './fetchOutput.ts';
import type { Line } from './line.ts';
import { listOutputs, type Offered, type Order } from './listOutputs.ts';

/** Files fetched at the same time (the service's own client: 8). */
const AT_ONCE = 6;
/** Without a byte for this long, a download gives up; what is there is kept. */
const PATIENCE_MS = 10 * 60_000;

export interface Downloaded {
  readonly files: number;
  readonly bytes: number;
  /** Files that need a person, with why. */
  readonly parked: readonly { readonly path: string; readonly error: SluiceError }[];
}

/** Told while files come in: bytes of this run, files done and in all. */
export type DownloadProgress = (now: { bytes: number; done: number; files: number }) => void;

const ARCHIVE = /\.(tar|tar\.gz|tgz|zip)$/i;

/**
 * Where an archive is unpacked to: beside it, under its name without the ending, or with ".unpacked" behind it where
 * that name is another file's or another archive's. null for what is no archive.
 */
export function unpackedPath(path: string, others: readonly string[]): string | null {
  if (!ARCHIVE.test(path)) return null;
  const bare = path.replace(ARCHIVE, '');
  const meant = others.some(
    (other) => other !== path && (other === bare || other.replace(ARCHIVE, '') === bare),
  );
  return meant ? `${path}.unpacked` : bare;
}

interface Run {
  readonly line: Line;
  readonly order: Order;
  /** Addresses as last listed, by output id: they end after about a day. */
  readonly urls: Map<number, string>;
  lastByteAt: number;
  bytes: number;
  done: number;
  readonly files: number;
  readonly onProgress: DownloadProgress;
  readonly parked: { path: string; error: SluiceError }[];
}

/** True when the file stands where it was put, with its size. */
async function stillThere(line: Line, output: Output): Promise<boolean> {
  if (output.state !== 'done') return false;
  const facts = await line.ports.files.facts(output.path);
  return facts.ok && facts.value.sizeBytes === output.sizeBytes;
}

async function freshUrls(run: Run): Promise<Result<void>> {
  const listed = await listOutputs(run.line, run.order);
  if (!listed.ok) return listed;
  for (const { output, url } of listed.value) run.urls.set(output.id, url);
  return ok(undefined);
}

async function unpackIfAsked(run: Run, output: Output): Promise<Result<void>> {
  if (!output.unpack) return ok(undefined);
  const { store, connectionId } = run.line;
  const others = outputsOf(store, connectionId, output.target).map((other) => other.path);
  const directory = unpackedPath(output.path, others);
  if (directory === null) return ok(undefined);
  const { files } = run.line.ports;
  if ((await files.typeOf(directory)) === 'directory') return ok(undefined);
  const unpacked = await files.unpack(output.path, directory, run.line.signal);
  return unpacked.ok ? ok(undefined) : unpacked;
}

/** Whether another try may help, and after which pause; null: it may not. */
function pauseAfter(run: Run, error: SluiceError, tries: number): number | null {
  const { ports, times } = run.line;
  if (ports.clock.monotonicMs() - run.lastByteAt > PATIENCE_MS) return null;
  if (error.next !== 'retry' && error.next !== 'unknown') return null;
  const answered = error.code.startsWith('service.') || error.code.startsWith('upload.');
  if (answered && tries >= MAX_SERVICE_TRIES) return null;
  return backoffMs(Math.min(tries, 6), ports.random.fraction(), times, error);
}

async function fetchOne(run: Run, offered: Offered): Promise<Result<void>> {
  const { line } = run;
  const { store, ports } = line;
  let { output } = offered;
  if (!(await stillThere(line, output))) {
    if (output.state === 'done' || output.state === 'parked') {
      store.transaction(() => moveOutput(store, output.id, 'listed', ports.clock.now()));
    }
    for (let tries = 1; ; tries += 1) {
      output = findOutput(store, output) ?? output;
      const fetched = await fetchOutput(line, output, run.urls.get(output.id) ?? '', (count) => {
        run.bytes += count;
        run.lastByteAt = ports.clock.monotonicMs();
        run.onProgress({ bytes: run.bytes, done: run.done, files: run.files });
      });
      if (fetched.ok) break;
      if (line.signal.aborted) return fetched;
      const pause = pauseAfter(run, fetched.error, tries);
      ports.log.write('warn', 'output.failed', { file: output.fileName, code: fetched.error.code });
      if (pause === null) return fetched;
      await ports.clock.sleep(pause, line.signal);
      if (fetched.error.code === 'upload.urlExpired') {
        const fresh = await freshUrls(run);
        if (!fresh.ok && fresh.error.next !== 'retry') return fresh;
      }
    }
  }
  return unpackIfAsked(run, offered.output);
}

async function fetchNext(run: Run, queue: Offered[]): Promise<SluiceError | null> {
  const { line } = run;
  for (let offered = queue.shift(); offered !== undefined; offered = queue.shift()) {
    if (line.signal.aborted) return null;
    const fetched = await fetchOne(run, offered);
    if (fetched.ok) run.done += 1;
    else if (line.signal.aborted) return null;
    else if (fetched.error.next === 'park') {
      const { output } = offered;
      run.parked.push({ path: output.path, error: fetched.error });
      parkOutput(line, output, fetched.error);
    } else {
      queue.length = 0;
      return fetched.error;
    }
    run.onProgress({ bytes: run.bytes, done: run.done, files: run.files });
  }
  return null;
}

function parkOutput(line: Line, output: Output, error: SluiceError): void {
  const present = findOutput(line.store, output);
  if (present === null || present.state === 'parked' || present.state === 'done') return;
  line.store.transaction(() =>
    moveOutput(line.store, present.id, 'parked', line.ports.clock.now(), error.code),
  );
}

/**
 * Fetches every output file of a batch. What is there already, untouched, is not fetched again. Answers the figures, or
 * the error that stopped it; the same call later goes on where it stopped.
 */
export async function download(
  line: Line,
  order: Order,
  onProgress: DownloadProgress,
): Promise<Result<Downloaded>> {
  const listed = await listOutputs(line, order);
  if (!listed.ok) return listed;
  const run: Run = {
    line,
    order,
    urls: new Map(listed.value.map(({ output, url }) => [output.id, url])),
    lastByteAt: line.ports.clock.monotonicMs(),
    bytes: 0,
    done: 0,
    files: listed.value.length,
    onProgress,
    parked: [],
  };
  const queue = [...listed.value];
  const lanes = Array.from({ length: AT_ONCE }, () => fetchNext(run, queue));
  const stopped = (await Promise.all(lanes)).find((error) => error !== null);
  if (stopped !== undefined) return { ok: false, error: stopped };
  if (line.signal.aborted) return fail('network.lost', { stopped: true });
  const bytes = listed.value.reduce(
    (sum, { output }) => sum + (findOutput(line.store, output)?.sizeBytes ?? 0),
    0,
  );
  return ok({ files: run.done, bytes, parked: run.parked });
}
