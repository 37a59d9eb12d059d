/**
 * Step: download. Every output file of a batch, several at once while the list is still being read, each fetched once
 * and whole, unpacked where asked, and written down in a manifest. A list that lacks files is read again.
 */
import { fail, ok, type Result, sluiceError, type SluiceError } from '../../core/errors.ts';
import { findOutput, moveOutput, type Output, outputsAfter } from '../../store/tables/outputs.ts';
import { backoffMs } from '../backoff.ts';
import { createFeed, type Feed } from './downloadFeed.ts';
import { bringFile, type FileWork, pauseAfter, unpackFile } from './downloadFile.ts';
import type { Line } from '../context.ts';
import { type Listing, type Offered, openListing, type Order } from './listOutputs.ts';
import { writeManifest } from './manifest.ts';

/** Files fetched at the same time (the service's own client: 8). */
const AT_ONCE = 6;
/** Outputs looked through at a time for archives that wait to be unpacked. */
const ROWS = 200;
/** So many files that fail, and none that comes: the cause is not the files. */
const TOO_MANY_FAILING = 3;

export interface Downloaded {
  readonly files: number;
  readonly bytes: number;
  /** Files that need a person, with why. */
  readonly parked: readonly { readonly path: string; readonly error: SluiceError }[];
}

/**
 * Called while files come in: bytes of this run, files done, and files known of, which are all once `listed`. `lacks`: the
 * list is not complete and is read again.
 */
export type DownloadProgress = (now: {
  bytes: number;
  done: number;
  files: number;
  listed: boolean;
  lacks: SluiceError | null;
}) => void;

/** A file that could not be had, to be tried once more after the others. */
interface Failing {
  readonly offered: Offered;
  readonly error: SluiceError;
}

/** One download, which may read its list several times. */
interface Run extends FileWork {
  readonly order: Order;
  listing: Listing;
  feed: Feed;
  /** Bytes that came in this run. */
  bytes: number;
  /** Outputs that are here with their size, by id. */
  readonly here: Map<number, number>;
  /** Files that came in this run: proof that the storage can be reached. */
  fetched: number;
  failing: Failing[];
  /** Some archives came before the list was complete, and so before it was known where they may go. */
  unpackLater: boolean;
  lacks: SluiceError | null;
  readonly onProgress: DownloadProgress;
  readonly parked: Map<number, { path: string; error: SluiceError }>;
}

function tell({ bytes, here, feed, lacks, onProgress }: Run): void {
  onProgress({ bytes, done: here.size, files: feed.count(), listed: feed.listed(), lacks });
}

function park(run: Run, output: Output, error: SluiceError): void {
  const { store, ports } = run.line;
  const present = findOutput(store, output) ?? output;
  run.here.delete(present.id);
  run.parked.set(present.id, { path: present.path, error });
  const now = ports.clock.now();
  if (present.state === 'parked') return;
  store.transaction(() => {
    // What is here and cannot be unpacked is given up, too: it must be shown and tried again.
    if (present.state === 'done') moveOutput(store, present.id, 'listed', now);
    moveOutput(store, present.id, 'parked', now, error.code);
  });
}

/** Brings one file here. An error that concerns this file alone is kept; answers any other. */
async function takeOne(run: Run, offered: Offered): Promise<SluiceError | null> {
  const { output } = offered;
  if (run.here.has(output.id) || run.parked.has(output.id)) return null;
  const brought = await bringFile(run, offered);
  if (!brought.ok) return run.line.signal.aborted ? null : setAside(run, offered, brought.error);
  const { output: there, fetched } = brought.value;
  if (fetched) run.fetched += 1;
  run.here.set(there.id, there.sizeBytes ?? 0);
  if (!output.unpack) return null;
  if (run.feed.listed()) return unpackOne(run, there);
  run.unpackLater = true;
  return null;
}

async function unpackOne(run: Run, output: Output): Promise<SluiceError | null> {
  const unpacked = await unpackFile(run, output);
  if (unpacked.ok || run.line.signal.aborted) return null;
  if (unpacked.error.next !== 'park') return unpacked.error;
  park(run, output, unpacked.error);
  return null;
}

/** Keeps a file that failed for the end of the pass. Answers the error when going on with other files cannot help. */
function setAside(run: Run, offered: Offered, error: SluiceError): SluiceError | null {
  const { line, lastByteAt } = run;
  const mayPass = error.next === 'park' || pauseAfter(line, lastByteAt, error, 1) !== null;
  if (!mayPass) return error;
  run.failing.push({ offered, error });
  return null;
}

/** One lane: file after file. Answers the error that stops the whole download. */
async function fetchNext(run: Run): Promise<SluiceError | null> {
  const { line, feed } = run;
  for (let offered = await feed.next(); offered !== null; offered = await feed.next()) {
    if (line.signal.aborted) return null;
    const stopped = await takeOne(run, offered);
    if (line.signal.aborted) return null;
    if (stopped !== null) {
      feed.close();
      return stopped;
    }
    tell(run);
  }
  return feed.failure();
}

/** What the storage answers for one file again and again while it gives others is about that file. */
const ABOUT_THE_FILE = ['network.intercepted', 'output.damaged'];

function wasParked({ offered }: Failing): boolean {
  return offered.output.state === 'parked';
}

/** True when trying this file again now cannot help. */
function isFinal(run: Run, one: Failing): boolean {
  if (one.error.next === 'park') return true;
  return ABOUT_THE_FILE.includes(one.error.code) && (run.fetched > 0 || wasParked(one));
}

/** True when files fail that did not fail before, none comes, and the cause may well be another than the files. */
function provesNothing(run: Run, failing: readonly Failing[]): boolean {
  if (run.fetched > 0) return false;
  return (
    failing.length >= TOO_MANY_FAILING || failing.some(({ error }) => error.code === 'disk.failed')
  );
}

/** Tries once more what failed for a reason that may pass, then gives up the files that alone fail. */
async function finishFailing(run: Run): Promise<SluiceError | null> {
  const again = run.failing.filter(({ error }) => error.next !== 'park');
  run.failing = run.failing.filter(({ error }) => error.next === 'park');
  for (const { offered } of again) {
    if (run.line.signal.aborted) return null;
    const stopped = await takeOne(run, offered);
    if (stopped !== null) return stopped;
    tell(run);
  }
  const { failing } = run;
  run.failing = [];
  const given = failing.filter((one) => isFinal(run, one));
  const fresh = given.filter((one) => !wasParked(one));
  const suspicious = provesNothing(run, fresh) ? fresh : [];
  for (const one of given) {
    if (!suspicious.includes(one)) park(run, one.offered.output, one.error);
  }
  return (suspicious[0] ?? failing.find((one) => !given.includes(one)))?.error ?? null;
}

/** Unpacks what came before the list was complete. Answers the error that stops the whole download. */
async function unpackRest(run: Run): Promise<SluiceError | null> {
  const { line, order } = run;
  const isWanted = (output: Output): boolean =>
    output.unpack && output.state === 'done' && run.here.has(output.id);
  for (let after = 0; ;) {
    const rows = outputsAfter(line.store, order.target, after, ROWS);
    const last = rows.at(-1);
    if (last === undefined) return null;
    after = last.id;
    for (const output of rows.filter(isWanted)) {
      if (line.signal.aborted) return null;
      const stopped = await unpackOne(run, output);
      if (stopped !== null) return stopped;
    }
  }
}

/** The next page of the list, asked for as long as asking may help. */
function patientPages(run: () => Run, listing: Listing): Listing['next'] {
  return async () => {
    const { line, order } = run();
    for (let tries = 1; ; tries += 1) {
      const page = await listing.next();
      if (page.ok) return page;
      const pause = pauseAfter(line, run().lastByteAt, page.error, tries);
      const facts = { batch: order.batchId, code: page.error.code };
      line.ports.log.write('warn', 'outputs.unlisted', facts);
      if (pause === null) return page;
      await line.ports.clock.sleep(pause, line.signal);
    }
  };
}

function startRun(line: Line, order: Order, onProgress: DownloadProgress): Run {
  const listing = openListing(line, order);
  const run: Run = {
    line,
    order,
    listing,
    feed: createFeed(patientPages(() => run, listing)),
    refreshing: new Map(),
    etagDoubts: new Map(),
    lastByteAt: line.ports.clock.monotonicMs(),
    gotBytes: (count) => {
      run.bytes += count;
      tell(run);
    },
    bytes: 0,
    here: new Map(),
    fetched: 0,
    failing: [],
    unpackLater: false,
    lacks: null,
    onProgress,
    parked: new Map(),
  };
  return run;
}

/** Reads the list once and brings what it offers. Answers the error that stopped it. */
async function passOnce(run: Run): Promise<SluiceError | null> {
  const lanes = Array.from({ length: AT_ONCE }, () => fetchNext(run));
  let stopped = (await Promise.all(lanes)).find((error) => error !== null) ?? null;
  stopped ??= await finishFailing(run);
  if (stopped === null && run.unpackLater && run.feed.listed()) stopped = await unpackRest(run);
  run.unpackLater = false;
  if (run.line.signal.aborted) return sluiceError('network.lost', { stopped: true });
  if (stopped !== null || run.feed.count() === 0) return stopped;
  const manifest = await writeManifest(run.line, run.order.target);
  return manifest.ok ? null : manifest.error;
}

/**
 * Fetches every output file of a batch. What is there already, untouched, is not fetched again; what a person changed is
 * left alone, and the file gets another place. Answers the figures, or the error that stopped it; the same call later
 * goes on where it stopped. At its end `manifest.json` tells of every file. A list that lacks files is read again for
 * `patienceMs`; then the error is results.incomplete, and what is listed is here.
 */
export async function download(
  line: Line,
  order: Order,
  onProgress: DownloadProgress,
  patienceMs: number,
): Promise<Result<Downloaded>> {
  const { clock, random } = line.ports;
  const run = startRun(line, order, onProgress);
  const bounds = { ...line.times, backoffMaxMs: line.times.resultsAgainMs };
  const beganAt = clock.monotonicMs();
  for (let passes = 1; ; passes += 1) {
    const stopped = await passOnce(run);
    if (stopped !== null) return { ok: false, error: stopped };
    run.lacks = run.listing.lacks();
    if (run.lacks === null) break;
    const pause = backoffMs(passes, random.fraction(), bounds);
    if (clock.monotonicMs() - beganAt + pause > patienceMs) return { ok: false, error: run.lacks };
    tell(run);
    await clock.sleep(pause, line.signal);
    if (line.signal.aborted) return fail('network.lost', { stopped: true });
    run.lastByteAt = clock.monotonicMs();
    run.listing = openListing(line, order);
    run.feed = createFeed(patientPages(() => run, run.listing));
  }
  const bytes = [...run.here.values()].reduce((sum, size) => sum + size, 0);
  return ok({ files: run.here.size, bytes, parked: [...run.parked.values()] });
}
