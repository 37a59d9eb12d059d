export const BATCH_SORTS = ['started', 'name', 'uploaded', 'expires'] as const;
export type BatchSort = (typeof BATCH_SORTS)[number];

export const JOB_SORTS = ['started', 'name', 'batch', 'duration'] as const;
export type JobSort = (typeof JOB_SORTS)[number];

/** Files that were left out: `found` is the order in which they were found. */
export const LEFT_OUT_SORTS = ['found', 'name', 'size'] as const;
export type LeftOutSort = (typeof LEFT_OUT_SORTS)[number];

/** Result files: `listed` is the order of the service, `type` is by extension. */
export const RESULT_FILE_SORTS = ['listed', 'name', 'type'] as const;
export type ResultFileSort = (typeof RESULT_FILE_SORTS)[number];
