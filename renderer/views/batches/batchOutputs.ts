/** The files of a batch that was filled elsewhere, and fetching them. Pure. */
import type { BatchDetail, OutputRow } from '../../../preload/contract/records.ts';
import type { AppSnapshot, DownloadView } from '../../../preload/contract/snapshot.ts';

/** Output files by the part that they belong to, parts in the order the service named them, those without one last. */
export interface OutputGroup {
  readonly part: string | null;
  readonly description: string | null;
  readonly files: readonly OutputRow[];
}

/** Puts outputs together by their part; a part that has no files yet is shown empty. */
export function outputGroups(
  parts: BatchDetail['parts'],
  outputs: readonly OutputRow[],
): readonly OutputGroup[] {
  const names = [
    ...new Set<string | null>([
      ...parts.map(({ name }) => name),
      ...outputs.map(({ part }) => part),
    ]),
  ];
  return names.map((part) => ({
    part,
    description: parts.find(({ name }) => name === part)?.description ?? null,
    files: outputs.filter((output) => output.part === part),
  }));
}

/** The download of a batch that runs or ran last. */
export function downloadOf(
  snapshot: Pick<AppSnapshot, 'downloads'>,
  batchId: string | null,
): DownloadView | null {
  return snapshot.downloads.findLast((download) => download.batchId === batchId) ?? null;
}
