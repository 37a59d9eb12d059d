import type { Part } from '../core/contract.ts';
import { identify } from '../pipeline/identify/identify.ts';
import type { Pipeline } from '../pipeline/context.ts';
import { isInPart } from '../pipeline/find/part.ts';
import { type FoundFile, type LeftOut, scan, type ScanRoot } from '../pipeline/find/scan.ts';
import { withSteadyListing } from '../pipeline/find/steadyListing.ts';

const GROUP = 512;

/** Scans the places and identifies what is found and belongs to the part; an unreadable directory belongs to every part. */
export async function takeIn(
  pipeline: Pipeline,
  destinationId: number,
  from: {
    readonly places: readonly ScanRoot[];
    readonly leftOut: LeftOut;
    readonly part: Part | null;
  },
): Promise<void> {
  const { ports, signal } = pipeline;
  const options = { destinationId, ignoreExpired: true, truncatedGraceMs: 0 };
  const steady = withSteadyListing(ports.files, ports.clock, signal);
  let group: FoundFile[] = [];
  for await (const found of scan(steady, from.places, from.leftOut, signal)) {
    for (const one of found) {
      const isForAll = one.error?.code === 'directory.unreadable';
      if (isForAll || isInPart(from.part, one.relativePath)) group.push(one);
    }
    if (group.length < GROUP) continue;
    await identify(pipeline, options, group);
    group = [];
  }
  await identify(pipeline, options, group);
}
