import type { Part } from '../core/contract.ts';
import { identifyGroups } from '../pipeline/identify/identify.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { isInPart } from '../pipeline/find/part.ts';
import { type FoundFile, type LeftOut, scan, type ScanRoot } from '../pipeline/find/scan.ts';
import { withSteadyListing } from '../pipeline/find/steadyListing.ts';

/** Files taken into the ledger together: enough to hide what a transaction costs, few enough to start sending soon. Our choice. */
const GROUP = 256;

interface Intake {
  readonly places: readonly ScanRoot[];
  readonly leftOut: LeftOut;
  readonly part: Part | null;
}

/** What is found and belongs to the part, in groups of about GROUP; an unreadable directory belongs to every part. */
async function* groupsFound(
  { ports, signal }: Pipeline,
  { places, leftOut, part }: Intake,
): AsyncGenerator<readonly FoundFile[]> {
  const steady = withSteadyListing(ports.files, ports.clock, signal);
  let group: FoundFile[] = [];
  for await (const found of scan(steady, places, leftOut, signal)) {
    for (const one of found) {
      const isForAll = one.error?.code === 'directory.unreadable';
      if (isForAll || isInPart(part, one.relativePath)) group.push(one);
      if (group.length < GROUP) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

/** Scans the places and identifies what is found. */
export function takeIn(pipeline: Pipeline, destinationId: number, from: Intake): Promise<void> {
  const options = { destinationId, ignoreExpired: true, truncatedGraceMs: 0 };
  return identifyGroups(pipeline, options, groupsFound(pipeline, from));
}
