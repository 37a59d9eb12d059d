/** How ids at the service look. No imports: used on both sides of the window's border. */

/** A batch id. Ids of jobs that other programs started look the same. */
export const BATCH_ID = /^[a-z0-9_-]{1,64}$/;

/** A job id that the service takes from us. */
export const JOB_ID = /^[a-z0-9-]{1,20}$/;
