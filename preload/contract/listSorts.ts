/** What lists can be sorted by. */

export const BATCH_SORTS = ['started', 'name', 'uploaded', 'expires'] as const;
export type BatchSort = (typeof BATCH_SORTS)[number];

export const JOB_SORTS = ['started', 'name', 'batch', 'duration'] as const;
export type JobSort = (typeof JOB_SORTS)[number];
