/** Results of a job as the window requests them: their location, their files, and tables page by page. Types only. */
import type { ErrorCode } from './errors.ts';

export const RESULT_KINDS = ['table', 'image', 'archive', 'other'] as const;
export type ResultKind = (typeof RESULT_KINDS)[number];

export interface ResultFile {
  readonly path: string;
  /** Relative to the results folder, with "/" as the separator. */
  readonly name: string;
  readonly kind: ResultKind;
}

export interface ResultGlance {
  readonly sizeBytes: number;
  /** epoch ms */
  readonly changedAt: number;
  /** The beginning of a text file; null for any other. */
  readonly text: string | null;
}

/** The results of a job on this computer. The service may have forgotten them. */
export interface ResultsView {
  readonly jobId: string;
  /**
   * none: nothing was downloaded. fetching: downloading by itself. incomplete: some are missing, see `code`. here: everything that was
   * listed. gone: they were downloaded, but their folder no longer exists.
   */
  readonly state: 'none' | 'fetching' | 'incomplete' | 'here' | 'gone';
  /** Where they are or will be; null when no folder was chosen. */
  readonly folder: string | null;
  /** True when they are downloaded automatically. */
  readonly automatic: boolean;
  /** Files that the service listed, how many of them are on this computer, and their bytes. */
  readonly known: number;
  readonly here: number;
  readonly bytes: number;
  /** Why some are missing; null when nothing is wrong. */
  readonly code: ErrorCode | null;
  /** Files that can be viewed, including those from archives. */
  readonly counts: Readonly<Record<ResultKind, number>>;
  /** Archives that have not been unpacked. */
  readonly packed: number;
  /** At most 200. */
  readonly tables: readonly ResultFile[];
}

export interface TableQuery {
  readonly offset: number;
  readonly limit: number;
  readonly search: string;
  /** The index of the column to sort by; null for the order in the file. */
  readonly sort: number | null;
  readonly descending: boolean;
}

export interface TablePage {
  readonly columns: readonly { readonly name: string; readonly numeric: boolean }[];
  /** Cells by column; a row may be shorter. */
  readonly rows: readonly (readonly string[])[];
  /** Rows that match the search. */
  readonly total: number;
  readonly allRows: number;
  /** Lines that could not be read as rows. */
  readonly unreadable: number;
  /** True when the file has more than is shown. */
  readonly truncated: boolean;
}
