/** Requests about what needs a person. */
import { z } from 'zod';
import { ERROR_CODES } from './errors.ts';
import type { ProblemGroup, ProblemJob } from './records.ts';
import { jobId, request, rowId } from './requestParts.ts';
import { WAIT_KINDS } from './waits.ts';

const nothing = z.strictObject({});
const glob = z.string().min(1).max(500);
const problems = z.strictObject({
  ids: z.array(rowId).max(10_000).nullable(),
  code: z.enum(ERROR_CODES).nullable(),
});
/** What was decided: for how many files, and what its Undo is called by. */
interface Decided {
  readonly count: number;
  readonly undo: number;
}

/** Every request `problem.*` and `wait.*`. */
export const PROBLEM_REQUESTS = {
  'problem.groups': request(nothing).returns<readonly ProblemGroup[]>(),
  /** The given ids, ignored ones too; or all of a code; or (both null) all except those that could be uploaded twice. */
  'problem.retry': request(problems).returns<Decided>(),
  /** Ignores files until their content changes or they are retried. */
  'problem.ignore': request(problems).returns<{ count: number; ids: readonly number[] }>(),
  /** Undoes problem.ignore: nothing is sent, the files are listed again. */
  'problem.restore': request(z.strictObject({ ids: z.array(rowId).min(1).max(10_000) })).returns<{
    count: number;
  }>(),
  /** Adds a glob to what a watch leaves out, and ignores the problems that fit it. */
  'problem.leaveOut': request(z.strictObject({ watchId: rowId, pattern: glob })).returns<{
    ids: readonly number[];
  }>(),
  'problem.undoLeaveOut': request(
    z.strictObject({ watchId: rowId, pattern: glob, ids: z.array(rowId).max(10_000) }),
  ).returns<null>(),
  'problem.jobs': request(nothing).returns<readonly ProblemJob[]>(),
  'problem.dismissJob': request(z.strictObject({ jobId, dismissed: z.boolean() })).returns<null>(),
  'problem.delivered': request(
    z.strictObject({ ids: z.array(rowId).min(1).max(10_000) }),
  ).returns<Decided>(),
  /** Takes a decision back as far as nothing came of it yet; answers for how many files. */
  'problem.undo': request(z.strictObject({ undo: z.number().int() })).returns<{ count: number }>(),
  /** Begins the next try of something that waits now. */
  'wait.tryNow': request(
    z.strictObject({ kind: z.enum(WAIT_KINDS), name: z.string().max(4096).nullable() }),
  ).returns<null>(),
  'problem.read': request(nothing).returns<null>(),
} as const;
