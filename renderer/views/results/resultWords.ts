import type { JobRow } from '../../../preload/contract/records.ts';
import type { ResultFile, ResultKind, ResultsView } from '../../../preload/contract/results.ts';
import type { AppSnapshot, DownloadView } from '../../../preload/contract/snapshot.ts';
import { countOf, formatBytes, formatCount } from '../../../preload/contract/figures.ts';

type ResultsStep = 'download' | 'continue' | 'again' | 'open' | null;

export interface ResultsWords {
  readonly text: string;
  readonly step: ResultsStep;
  /** True when the folder is shown after the text. */
  readonly showsFolder: boolean;
}

/** The current or last download of a job's results that a person requested. */
export function downloadOfJob(
  { downloads }: Pick<AppSnapshot, 'downloads'>,
  jobId: string,
): DownloadView | null {
  return downloads.find((download) => download.jobId === jobId) ?? null;
}

/** The progress of a download: "12 of 40 files, 1.2 GB". */
export function downloadWords({
  done,
  files,
  bytes,
}: Pick<DownloadView, 'done' | 'files' | 'bytes'>): string {
  const count =
    files > 0 ? `${formatCount(done)} of ${countOf(files, 'file')}` : countOf(done, 'file');
  return `${count}, ${formatBytes(bytes)}`;
}

const NOT_YET: Readonly<Record<JobRow['state'], string>> = {
  planned: 'The job has not started. Its results appear here when it is done.',
  queued: 'The job waits for machines. Its results appear here when it is done.',
  running: 'The job is running. Its results appear here when it is done.',
  succeeded: 'The service keeps the results until they expire. Tables and images appear here.',
  failed: 'The job failed and left no results.',
  aborted: 'The job was stopped and left no results.',
  parked: 'The job was not started, so there are no results.',
};

/** The state of results that are not on this computer. */
function notHere(view: ResultsView, job: JobFacts): ResultsWords {
  const isOver = job.state === 'succeeded' || job.isPartial;
  if (!isOver) {
    const comes = view.automatic && ['planned', 'queued', 'running'].includes(job.state);
    const text = comes
      ? `${NOT_YET[job.state]} They are downloaded automatically to`
      : NOT_YET[job.state];
    return { text, step: null, showsFolder: comes };
  }
  if (!job.isAtService) {
    const text = 'The results were not downloaded, and the service has deleted them.';
    return { text, step: null, showsFolder: false };
  }
  const text = job.isPartial
    ? 'The job failed. What it had finished by then can be downloaded.'
    : NOT_YET.succeeded;
  return { text, step: 'download', showsFolder: false };
}

export interface JobFacts {
  readonly state: JobRow['state'];
  /** False when the service has deleted the job. */
  readonly isAtService: boolean;
  /** True for a failed job that left some results on the service. */
  readonly isPartial: boolean;
}

export function resultsWords(view: ResultsView, job: JobFacts): ResultsWords {
  const files = countOf(view.here, 'file');
  switch (view.state) {
    case 'none':
      return notHere(view, job);
    case 'fetching':
      return {
        text: `Downloading: ${downloadWords({ done: view.here, files: view.known, bytes: view.bytes })} so far, to`,
        step: null,
        showsFolder: true,
      };
    case 'here': {
      const how = view.automatic ? 'downloaded automatically to' : 'in';
      const text = `${files}, ${formatBytes(view.bytes)}, ${how}`;
      return { text, step: 'open', showsFolder: true };
    }
    case 'incomplete': {
      const text = `${formatCount(view.here)} of ${countOf(view.known, 'file')} downloaded to`;
      return {
        text: view.known === 0 ? 'The results could not be downloaded yet.' : text,
        step: 'continue',
        showsFolder: view.known > 0,
      };
    }
    case 'gone':
      return {
        text: 'The results were downloaded, but their folder was moved or deleted:',
        step: 'again',
        showsFolder: true,
      };
  }
}

const KIND_NOUNS: Readonly<Record<ResultKind, readonly [string, string]>> = {
  table: ['Table', 'Tables'],
  image: ['Image', 'Images'],
  archive: ['Archive', 'Archives'],
  other: ['Other file', 'Other files'],
};

/** The kinds of files that exist, with their counts: "Tables 3". */
export function kindChoices(
  counts: ResultsView['counts'],
): readonly { readonly value: ResultKind; readonly label: string }[] {
  const kinds: readonly ResultKind[] = ['table', 'image', 'archive', 'other'];
  return kinds
    .filter((kind) => counts[kind] > 0)
    .map((value) => ({
      value,
      label: `${KIND_NOUNS[value][counts[value] === 1 ? 0 : 1]} ${formatCount(counts[value])}`,
    }));
}

/** The table shown first: the summary, otherwise the first one. */
export function firstTable(tables: readonly ResultFile[]): ResultFile | null {
  return tables.find(({ name }) => /(^|\/)summary\.(csv|jsonl)$/i.test(name)) ?? tables[0] ?? null;
}

/** What remains of a table: "4 of 120 rows", and what is not shown of the file. */
export function tableWords(page: {
  readonly total: number;
  readonly allRows: number;
  readonly unreadable: number;
  readonly truncated: boolean;
}): string {
  const rows =
    page.total === page.allRows
      ? countOf(page.allRows, 'row')
      : `${formatCount(page.total)} of ${countOf(page.allRows, 'row')}`;
  const odd = page.unreadable > 0 ? `, ${countOf(page.unreadable, 'line')} could not be read` : '';
  return page.truncated ? `${rows}${odd}. The file is longer than what is shown here.` : rows + odd;
}

/** The width of a character in a cell, and the padding around it, in px. */
const LETTER = 7;
const ROOM = 12;
const NARROWEST = 64;
const WIDEST = 320;

/** Ids and hashes are not read character by character; the tooltip has the full text. */
const OPAQUE = /^(\w+:)?[0-9a-f-]{28,}$/i;
const OPAQUE_WIDTH = 120;

/** The room that a text needs in a cell, in px. */
function roomFor(letters: number): number {
  return letters * LETTER + ROOM;
}

/**
 * Whether a cell of this width is cut in the middle: a name, a path or an id that may not fit. Its end tells it from the ones next to
 * it; a sentence is read from its beginning.
 */
export function isMiddleCut(cell: string, width: number): boolean {
  return roomFor(cell.length) > width && /^\S+$|\.\w{2,5}$/.test(cell);
}

export function columnWidths(
  names: readonly string[],
  rows: readonly (readonly string[])[],
): readonly number[] {
  return names.map((name, index) => {
    const longest = rows.reduce(
      (most, row) => Math.max(most, row[index]?.length ?? 0),
      name.length + 2,
    );
    const opaque = rows.length > 0 && rows.every((row) => OPAQUE.test(row[index] ?? ''));
    return Math.min(opaque ? OPAQUE_WIDTH : WIDEST, Math.max(NARROWEST, roomFor(longest)));
  });
}
