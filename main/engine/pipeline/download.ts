/**
 * Step: download. Every output file of a batch, several at once while the list is still being read, each fetched once
 * and whole, unpacked where asked, and written down in a manifest.
 */
import type { Result, SluiceError } from '../../../preload/errorCodes.ts';
import { fail, ok } from '../errors.ts';
import { MAX_SERVICE_TRIES } from '../limits.ts';
import {
  findOutput,
  moveOutput,
  type Output,
  outputsAfter,
  placeOutput,
} from '../store/outputs.ts';
import { backoffMs } from './backoff.ts';
import { createFeed, type Feed } from './downloadFeed.ts';
import { unpackOutput } from './downloadUnpack.ts';
import { fetchOutput } from './fetchOutput.ts';
import { freshAddress, type Refreshing } from './freshAddress.ts';
import type { Line } from './line.ts';
import { type Listing, type Offered, openListing, type Order } from './listOutputs.ts';
import { writeManifest } from './manifest.ts';

/** Files fetched at the same time (the service's own client: 8). */
const AT_ONCE = 6;
/** Without a byte for this long, a download gives up; what is there is kept. */
const PATIENCE_MS = 10 * 60_000;
/** Outputs looked through at a time for archives that wait to be unpacked. */
const ROWS = 200;

export interface Downloaded {
  readonly files: number;
  readonly bytes: number;
  /** Files that need a person, with why. */
  readonly parked: readonly { readonly path: string; readonly error: SluiceError }[];
}

/** Told while files come in: bytes of this run, files done, and files known of, which are all once `listed`. */
export type DownloadProgress = (now: {
  bytes: number;
  done: number;
  files: number;
  listed: boolean;
}) => void;

interface Run {
  readonly line: Line;
  readonly order: Order;
  readonly listing: Listing;
  readonly feed: Feed;
  readonly refreshing: Refreshing;
  lastByteAt: number;
  /** Bytes that came in this run. */
  bytes: number;
  /** Sizes of the files that are there. */
  totalBytes: number;
  done: number;
  /** Some archives came before the list was complete, and so before it was known where they may go. */
  unpackLater: boolean;
  readonly onProgress: DownloadProgress;
  readonly parked: { path: string; error: SluiceError }[];
}

function tell({ bytes, done, feed, onProgress }: Run): void {
  onProgress({ bytes, done, files: feed.count(), listed: feed.listed() });
}

/** True when the file stands where it was put, with its size. */
async function stillThere(line: Line, output: Output): Promise<boolean> {
  if (output.state !== 'done') return false;
  const facts = await line.ports.files.facts(output.path);
  return facts.ok && facts.value.sizeBytes === output.sizeBytes;
}

/** Whether another try may help, and after which pause; null: it may not. */
function pauseAfter(line: Line, since: number, error: SluiceError, tries: number): number | null {
  const { ports, times } = line;
  if (line.signal.aborted || ports.clock.monotonicMs() - since > PATIENCE_MS) return null;
  if (error.next !== 'retry' && error.next !== 'unknown') return null;
  const answered = error.code.startsWith('service.') || error.code.startsWith('upload.');
  if (answered && tries >= MAX_SERVICE_TRIES) return null;
  return backoffMs(Math.min(tries, 6), ports.random.fraction(), times, error);
}

/** Somebody else's file stands where this one was to go: another place, and the bytes that came are taken along. */
async function placeElsewhere(run: Run, output: Output): Promise<void> {
  const { store, ports } = run.line;
  let path = output.path;
  do path = run.listing.places.take(output.part === '' ? null : output.part, output.fileName);
  while ((await ports.files.typeOf(path)) !== null);
  const moved = await ports.files.moveFile(`${output.path}.part`, `${path}.part`);
  if (!moved.ok) await ports.files.remove(`${output.path}.part`);
  store.transaction(() => placeOutput(store, output.id, path));
}

/** Tries until the file is there, or trying cannot help. */
async function fetchWhole(run: Run, offered: Offered): Promise<Result<void>> {
  const { line, refreshing } = run;
  const { store, ports } = line;
  for (let tries = 1; ; tries += 1) {
    const output = findOutput(store, offered.output) ?? offered.output;
    const url = offered.page.urls[offered.index] ?? '';
    const fetched = await fetchOutput(line, output, url, (count) => {
      run.bytes += count;
      run.lastByteAt = ports.clock.monotonicMs();
      tell(run);
    });
    if (fetched.ok && fetched.value === 'done') return ok(undefined);
    if (fetched.ok) {
      await placeElsewhere(run, output);
      continue;
    }
    const { error } = fetched;
    const pause = pauseAfter(line, run.lastByteAt, error, tries);
    ports.log.write('warn', 'output.failed', { file: output.fileName, code: error.code });
    if (pause === null) return fetched;
    if (error.code !== 'upload.urlExpired' || tries > 1)
      await ports.clock.sleep(pause, line.signal);
    if (error.code !== 'upload.urlExpired') continue;
    const fresh = await freshAddress(line, offered, url, refreshing);
    if (!fresh.ok && fresh.error.next !== 'retry') return fresh;
  }
}

async function fetchOne(run: Run, offered: Offered): Promise<Result<void>> {
  const { line, feed, listing } = run;
  const { store, ports } = line;
  const { output } = offered;
  if (!(await stillThere(line, output))) {
    if (output.state === 'done' || output.state === 'parked') {
      store.transaction(() => moveOutput(store, output.id, 'listed', ports.clock.now()));
    }
    const fetched = await fetchWhole(run, offered);
    if (!fetched.ok) return fetched;
  }
  const there = findOutput(store, output) ?? output;
  run.totalBytes += there.sizeBytes ?? 0;
  if (!output.unpack) return ok(undefined);
  if (feed.listed()) return unpackOutput(line, there, listing.places.isTaken);
  run.unpackLater = true;
  return ok(undefined);
}

function park(run: Run, output: Output, error: SluiceError): void {
  const { store, ports } = run.line;
  const present = findOutput(store, output);
  run.parked.push({ path: present?.path ?? output.path, error });
  if (present === null || present.state === 'parked' || present.state === 'done') return;
  store.transaction(() => moveOutput(store, present.id, 'parked', ports.clock.now(), error.code));
}

/** One lane: file after file. Answers the error that stops the whole download. */
async function fetchNext(run: Run): Promise<SluiceError | null> {
  const { line, feed } = run;
  for (let offered = await feed.next(); offered !== null; offered = await feed.next()) {
    if (line.signal.aborted) return null;
    const fetched = await fetchOne(run, offered);
    if (fetched.ok) run.done += 1;
    else if (line.signal.aborted) return null;
    else if (fetched.error.next === 'park') park(run, offered.output, fetched.error);
    else {
      feed.close();
      return fetched.error;
    }
    tell(run);
  }
  return feed.failure();
}

/** Unpacks what came before the list was complete. Answers the error that stops the whole download. */
async function unpackRest(run: Run): Promise<SluiceError | null> {
  const { line, order, listing } = run;
  const isWanted = (output: Output): boolean =>
    output.unpack &&
    output.state === 'done' &&
    output.connectionId === line.connectionId &&
    output.batchId === order.batchId &&
    (order.part === null || output.part === order.part) &&
    !run.parked.some(({ path }) => path === output.path);
  for (let after = 0; ;) {
    const rows = outputsAfter(line.store, order.target, after, ROWS);
    const last = rows.at(-1);
    if (last === undefined) return null;
    after = last.id;
    for (const output of rows.filter(isWanted)) {
      if (line.signal.aborted) return null;
      const unpacked = await unpackOutput(line, output, listing.places.isTaken);
      if (unpacked.ok) continue;
      if (unpacked.error.next !== 'park') return unpacked.error;
      run.done -= 1;
      park(run, output, unpacked.error);
    }
  }
}

function startRun(line: Line, order: Order, onProgress: DownloadProgress): Run {
  const listing = openListing(line, order);
  const { clock, log } = line.ports;
  const run: Run = {
    line,
    order,
    listing,
    feed: createFeed(async () => {
      for (let tries = 1; ; tries += 1) {
        const page = await listing.next();
        if (page.ok) return page;
        const pause = pauseAfter(line, run.lastByteAt, page.error, tries);
        log.write('warn', 'outputs.unlisted', { batch: order.batchId, code: page.error.code });
        if (pause === null) return page;
        await clock.sleep(pause, line.signal);
      }
    }),
    refreshing: new Map(),
    lastByteAt: clock.monotonicMs(),
    bytes: 0,
    totalBytes: 0,
    done: 0,
    unpackLater: false,
    onProgress,
    parked: [],
  };
  return run;
}

/**
 * Fetches every output file of a batch. What is there already, untouched, is not fetched again. Answers the figures, or
 * the error that stopped it; the same call later goes on where it stopped. At its end `manifest.json` tells of every file.
 */
export async function download(
  line: Line,
  order: Order,
  onProgress: DownloadProgress,
): Promise<Result<Downloaded>> {
  const run = startRun(line, order, onProgress);
  const lanes = Array.from({ length: AT_ONCE }, () => fetchNext(run));
  let stopped = (await Promise.all(lanes)).find((error) => error !== null) ?? null;
  if (stopped === null && run.unpackLater && run.feed.listed()) stopped = await unpackRest(run);
  if (line.signal.aborted) return fail('network.lost', { stopped: true });
  if (stopped !== null) return { ok: false, error: stopped };
  if (run.feed.count() > 0) {
    const manifest = await writeManifest(line, order.target);
    if (!manifest.ok) return manifest;
  }
  return ok({ files: run.done, bytes: run.totalBytes, parked: run.parked });
}
