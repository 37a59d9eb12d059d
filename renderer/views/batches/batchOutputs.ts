/** What jobs leave in a batch, and fetching it, in words. Pure. */
import type { BatchDetail, OutputRow } from '../../../preload/contract/records.ts';
import type { AppSnapshot, DownloadView } from '../../../preload/contract/snapshot.ts';
import { countOf, formatBytes, formatCount } from '../../../preload/contract/figures.ts';

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

/** How far a download is: "12 of 40 files, 1.2 GB". */
export function downloadWords({ done, files, bytes }: DownloadView): string {
  const count =
    files > 0 ? `${formatCount(done)} of ${countOf(files, 'file')}` : countOf(done, 'file');
  return `${count}, ${formatBytes(bytes)}`;
}

/** Whether it is known that a batch holds nothing to download: no job has gone over it, or the service deleted it. */
export function nothingToDownload({ batch, parts }: Pick<BatchDetail, 'batch' | 'parts'>): boolean {
  return batch.state !== 'processed' && batch.state !== 'remote' && parts.length === 0;
}
