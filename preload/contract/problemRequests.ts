import { z } from 'zod';
import { ERROR_CODES } from './errors.ts';
import type { ProblemGroup, ProblemJob } from './records.ts';
import { jobId, request, rowId } from './requestParts.ts';
import { WAIT_KINDS } from './waits.ts';

const glob = z.string().min(1).max(500);
const problems = {
  ids: z.array(rowId).max(10_000).nullable(),
  code: z.enum(ERROR_CODES).nullable(),
};
/** The result of a decision: how many files it covers, and the number that undoes it. */
interface Decided {
  readonly count: number;
  readonly undo: number;
}

export const PROBLEM_REQUESTS = {
  'problem.groups': request({}).returns<readonly ProblemGroup[]>(),
  /** Retries the given ids, even ignored ones; all with a code; or, both null, all except those that could be uploaded twice. */
  'problem.retry': request(problems).returns<Decided>(),
  /** Ignores files until their content changes or they are retried. */
  'problem.ignore': request(problems).returns<Decided>(),
  /** Adds a glob to a watch's exclusions, and ignores the problems that match it. */
  'problem.leaveOut': request({ watchId: rowId, pattern: glob }).returns<Decided>(),
  'problem.jobs': request({}).returns<readonly ProblemJob[]>(),
  'problem.dismissJob': request({ jobId, dismissed: z.boolean() }).returns<null>(),
  'problem.delivered': request({ ids: z.array(rowId).min(1).max(10_000) }).returns<Decided>(),
  /** Undoes a decision as far as it has had no effect yet; returns the number of files. */
  'problem.undo': request({ undo: z.number().int() }).returns<{ count: number }>(),
  /** Starts the next try of something that waits now. */
  'wait.tryNow': request({
    kind: z.enum(WAIT_KINDS),
    name: z.string().max(4096).nullable(),
  }).returns<null>(),
  'problem.read': request({}).returns<null>(),
} as const;
