/** The lanes of a download: they fetch file after file from the list and retry the failed ones at the end. */
import { dirname } from 'node:path';
import type { SluiceError } from '../../core/errors.ts';
import { latestOutput, moveOutput, type Output, outputPages } from '../../store/tables/outputs.ts';
import type { Feed } from './downloadFeed.ts';
import { bringFile, type FileWork, type NotHere, unpackFile, wasGivenUp } from './downloadFile.ts';
import type { Listing, OfferedFile, DownloadOrder } from './listOutputs.ts';

/** If at least this many files fail for a local reason and none arrives, the files are not the cause. */
const TOO_MANY_FAILING = 3;

/** A file that could not be fetched, to be retried once after the others. */
interface Failing extends NotHere {
  readonly offered: OfferedFile;
}

/** One download, which may read its list several times. */
export interface Run extends FileWork {
  readonly order: DownloadOrder;
  listing: Listing;
  feed: Feed;
  /** Bytes received in this run. */
  bytes: number;
  /** Sizes of the outputs that are in place, by id. */
  readonly here: Map<number, number>;
  /** The directories of files that were fetched in this run. One is enough to prove that the storage can be reached. */
  readonly directories: Set<string>;
  failing: Failing[];
  /** Some archives arrived before the list was complete, that is, before it was known where they may be unpacked. */
  unpackLater: boolean;
  /** What the list lacked when it was last read to its end. */
  lacks: SluiceError | null;
  readonly parked: Map<number, { path: string; error: SluiceError }>;
  /** Outputs that an earlier run gave up and this one tried again. */
  readonly triedAgain: Map<number, Output>;
}

function park(run: Run, output: Output, error: SluiceError): void {
  const { store, ports } = run.pipeline;
  const present = latestOutput(store, output);
  run.here.delete(present.id);
  run.parked.set(present.id, { path: present.path, error });
  const now = ports.clock.now();
  if (present.state === 'parked') return;
  store.transaction(() => {
    // A fetched archive that cannot be unpacked is parked too: it must be shown and tried again.
    if (present.state === 'done') moveOutput(store, present.id, 'listed', now);
    moveOutput(store, present.id, 'parked', now, error.code);
  });
}

/** Parks again what an earlier run gave up and this one could not finish: it must be shown and tried again. */
export function parkAgain({ pipeline, triedAgain }: Run): void {
  const { store, ports } = pipeline;
  store.transaction(() => {
    for (const before of triedAgain.values()) {
      const now = latestOutput(store, before);
      if (now.state === 'done' || now.state === 'parked') continue;
      moveOutput(store, now.id, 'parked', ports.clock.now(), before.lastCode);
    }
  });
}

/** Fetches one file. Keeps an error that concerns only this file for later; returns any other. */
async function takeOne(run: Run, offered: OfferedFile): Promise<SluiceError | null> {
  const { output } = offered;
  if (run.here.has(output.id) || run.parked.has(output.id)) return null;
  if (wasGivenUp(output)) run.triedAgain.set(output.id, output);
  const brought = await bringFile(run, offered);
  if ('kind' in brought) {
    if (run.pipeline.signal.aborted) return null;
    if (brought.kind === 'stops') return brought.error;
    run.failing.push({ ...brought, offered });
    return null;
  }
  const { output: there, fetched } = brought;
  if (fetched) run.directories.add(dirname(there.path));
  run.witness = offered;
  run.here.set(there.id, there.sizeBytes ?? 0);
  if (!output.unpack) return null;
  if (run.feed.listed()) return unpackOne(run, there);
  run.unpackLater = true;
  return null;
}

async function unpackOne(run: Run, output: Output): Promise<SluiceError | null> {
  const failed = await unpackFile(run, output);
  if (failed === null || run.pipeline.signal.aborted) return null;
  if (failed.kind === 'stops') return failed.error;
  park(run, output, failed.error);
  return null;
}

/** One lane: fetches file after file. Returns the error that stops the whole download, or null. */
export async function fetchNext(run: Run): Promise<SluiceError | null> {
  const { pipeline, feed } = run;
  for (let offered = await feed.next(); offered !== null; offered = await feed.next()) {
    if (pipeline.signal.aborted) return null;
    const stopped = await takeOne(run, offered);
    if (pipeline.signal.aborted) return null;
    if (stopped !== null) {
      feed.close();
      return stopped;
    }
    run.report();
  }
  return feed.failure();
}

/** Files that fail for the first time while no file arrives: then the cause may well be something else than the files. */
function suspicious(run: Run): readonly Failing[] {
  const fresh = run.failing.filter(
    ({ kind, offered }) => kind === 'local' && !run.triedAgain.has(offered.output.id),
  );
  const isSuspicious =
    run.directories.size === 0 &&
    (fresh.length >= TOO_MANY_FAILING || fresh.some(({ error }) => error.code === 'disk.failed'));
  return isSuspicious ? fresh : [];
}

/** Retries once what failed for a reason that may pass, then parks the files that still fail on their own. */
export async function finishFailing(run: Run): Promise<SluiceError | null> {
  const again = run.failing.filter(({ kind }) => kind !== 'local');
  run.failing = run.failing.filter(({ kind }) => kind === 'local');
  run.finishing = true;
  for (const { offered } of again) {
    if (run.pipeline.signal.aborted) return null;
    const stopped = await takeOne(run, offered);
    if (stopped !== null) return stopped;
    run.report();
  }
  const doubtful = suspicious(run);
  for (const one of run.failing) {
    if (!doubtful.includes(one)) park(run, one.offered.output, one.error);
  }
  run.failing = [];
  return doubtful[0]?.error ?? null;
}

/** Unpacks what arrived before the list was complete. Returns the error that stops the whole download, or null. */
export async function unpackRest(run: Run): Promise<SluiceError | null> {
  const { pipeline, order } = run;
  const isWanted = (output: Output): boolean =>
    output.unpack && output.state === 'done' && run.here.has(output.id);
  for (const page of outputPages(pipeline.store, order.target)) {
    for (const output of page.filter(isWanted)) {
      if (pipeline.signal.aborted) return null;
      const stopped = await unpackOne(run, output);
      if (stopped !== null) return stopped;
    }
  }
  return null;
}
