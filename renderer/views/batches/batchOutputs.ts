/** The files of a batch that was filled elsewhere, and their download. Pure. */
import type { BatchDetail, OutputRow } from '../../../preload/contract/records.ts';
import type { AppSnapshot, DownloadView } from '../../../preload/contract/snapshot.ts';

/** Output files grouped by part, in the order in which the service named the parts; files without a part come last. */
export interface OutputGroup {
  readonly part: string | null;
  readonly description: string | null;
  readonly files: readonly OutputRow[];
}

/** Groups outputs by part; a part without files yet is shown empty. */
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

/** The current or last download of a batch: the snapshot lists the newest first. */
export function downloadOf(
  snapshot: Pick<AppSnapshot, 'downloads'>,
  batchId: string | null,
): DownloadView | null {
  return snapshot.downloads.find((download) => download.batchId === batchId) ?? null;
}
