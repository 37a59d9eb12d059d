import type { Part } from '../core/contract.ts';
import { groupsOf, identifyGroups } from '../pipeline/identify/identify.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { disksBelow, missingDrive, withDrives } from '../pipeline/drives.ts';
import { isInPart } from '../pipeline/find/part.ts';
import { type FoundFile, type LeftOut, scan, type ScanRoot } from '../pipeline/find/scan.ts';
import { withSteadyListing } from '../pipeline/find/busyPlaces.ts';

interface Intake {
  readonly places: readonly ScanRoot[];
  readonly leftOut: LeftOut;
  readonly part: Part | null;
}

/** The files that are found and belong to the part; an unreadable directory belongs to every part. */
async function* filesFound(
  pipeline: Pipeline,
  { places, leftOut, part }: Intake,
): AsyncGenerator<readonly FoundFile[]> {
  const { ports, signal } = pipeline;
  const roots = places.map(({ path }) => path);
  const steady = withSteadyListing(
    await withDrives(pipeline, ports.files, roots),
    ports.clock,
    signal,
    (directory) => missingDrive(pipeline, directory),
  );
  const isWanted = ({ error, relativePath }: FoundFile): boolean =>
    error?.code === 'directory.unreadable' || isInPart(part, relativePath);
  for await (const found of scan(steady, places, leftOut, signal)) yield found.filter(isWanted);
}

/** The drives of an upload: a path on each, and when they were looked at, epoch ms. */
interface LookedAtDrives {
  readonly paths: readonly string[];
  readonly at: number;
}

/** Looks at the drives of the places, so that later looks can tell when another drive is there. */
export async function lookAtDrives(
  pipeline: Pipeline,
  places: readonly ScanRoot[],
): Promise<LookedAtDrives> {
  const roots = [...new Set(places.map(({ root }) => root))];
  const paths = [...roots, ...(await disksBelow(pipeline.ports.files, roots))];
  for (const path of paths) await missingDrive(pipeline, path);
  return { paths, at: pipeline.ports.clock.now() };
}

/** Scans the places and identifies what is found. `looked`: when their drives were looked at. */
export async function takeIn(
  pipeline: Pipeline,
  destinationId: number,
  from: Intake,
  looked: Promise<LookedAtDrives> = lookAtDrives(pipeline, from.places),
): Promise<void> {
  const { at: began } = await looked;
  const options = { destinationId, isWatched: false, began };
  await identifyGroups(pipeline, options, groupsOf(filesFound(pipeline, from)));
}
