/** The formats of ids on the service. No imports: the engine and the window both use them. */

/** A batch id. Ids of jobs started by other programs also have this format. */
export const BATCH_ID = /^[a-z0-9_-]{1,64}$/;

/** A job id that the service accepts from us. */
export const JOB_ID = /^[a-z0-9-]{1,20}$/;
