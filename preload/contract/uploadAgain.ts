/** Files that may be uploaded again, for the confirmation question. */
export interface UploadAgain {
  /** Files that still exist on this computer. */
  readonly paths: readonly string[];
  /** How many no longer exist. */
  readonly gone: number;
  /** Batches that already have some of these files, by requested and by actual id: nothing would be sent to these batches. At most 20. */
  readonly batches: readonly string[];
  /** A batch that had these files and was deleted by the service; null when there is none. */
  readonly expired: string | null;
}

/** A batch that the service deleted, for the question before its files are uploaded again. */
export interface BatchAgain {
  /** Files that still exist on this computer, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Files that no longer exist. */
  readonly gone: number;
  /** Files that were already uploaded again, or are being uploaded. */
  readonly done: number;
}
