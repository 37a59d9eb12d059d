/** The formats of ids at the service. No imports: engine and window use them. */

/** A batch id. Ids of jobs that other programs started have this format too. */
export const BATCH_ID = /^[a-z0-9_-]{1,64}$/;

/** A job id that the service accepts from us. */
export const JOB_ID = /^[a-z0-9-]{1,20}$/;
