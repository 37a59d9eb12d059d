/** Results of a job as the window requests them: where they are, which files, and tables page by page. Types only. */
import type { ErrorCode } from './errors.ts';

/** What a result file can be looked at as. */
export const RESULT_KINDS = ['table', 'image', 'archive', 'other'] as const;
export type ResultKind = (typeof RESULT_KINDS)[number];

/** A result file on this computer. */
export interface ResultFile {
  readonly path: string;
  /** Within the folder of the results, with "/" between. */
  readonly name: string;
  readonly kind: ResultKind;
}

/** What a result file is, at a glance. */
export interface ResultGlance {
  readonly sizeBytes: number;
  /** epoch ms */
  readonly changedAt: number;
  /** The beginning of a file that is text; null for any other. */
  readonly text: string | null;
}

/** The results of a job on this computer. The service may have forgotten them. */
export interface ResultsView {
  readonly jobId: string;
  /**
   * none: nothing was downloaded. fetching: they come by themselves. incomplete: some are not here, see `code`. here: all that was
   * listed. gone: they were here, and their folder is gone.
   */
  readonly state: 'none' | 'fetching' | 'incomplete' | 'here' | 'gone';
  /** Where they are, or will be; null when no place was chosen. */
  readonly folder: string | null;
  /** True when they are downloaded by themselves. */
  readonly automatic: boolean;
  /** The batch at the service that holds them; null when it is not known yet. */
  readonly resultsBatch: string | null;
  /** Files that the service listed, those of them that are here, and their bytes. */
  readonly known: number;
  readonly here: number;
  readonly bytes: number;
  /** Why some are not here; null when nothing is wrong. */
  readonly code: ErrorCode | null;
  /** When the last file came, epoch ms; null before the first. */
  readonly at: number | null;
  /** Files to look at, also those out of archives. */
  readonly counts: Readonly<Record<ResultKind, number>>;
  /** Archives that are not unpacked. */
  readonly packed: number;
  /** At most 200. */
  readonly tables: readonly ResultFile[];
}

/** What of a table is looked at. */
export interface TableQuery {
  readonly offset: number;
  readonly limit: number;
  readonly search: string;
  /** The place of the column to sort by; null: as in the file. */
  readonly sort: number | null;
  readonly descending: boolean;
}

/** A page of a table. */
export interface TablePage {
  readonly columns: readonly { readonly name: string; readonly numeric: boolean }[];
  /** Cells by column; a row may be shorter. */
  readonly rows: readonly (readonly string[])[];
  /** Rows that fit the search. */
  readonly total: number;
  readonly offset: number;
  readonly allRows: number;
  /** Lines that could not be read as rows. */
  readonly unreadable: number;
  /** True when the file holds more than is shown. */
  readonly truncated: boolean;
}
