/** Uploading files once more. Types only. */

/** Files that may be uploaded once more, for the question before it. */
export interface UploadAgain {
  /** Those that are still on this computer. */
  readonly paths: readonly string[];
  /** Those that are not. */
  readonly gone: number;
  /** Batches that have some of them, with their ids as asked for and as they are: nothing would be sent to these. At most 20. */
  readonly batches: readonly string[];
  /** A batch of which the service deleted them; null when there is none. */
  readonly expired: string | null;
}

/** A batch that the service deleted, for the question before its files are uploaded once more. */
export interface BatchAgain {
  /** Files that are still on this computer, with their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Files that are not. */
  readonly gone: number;
  /** Files that were uploaded once more already, or are on their way. */
  readonly done: number;
}
