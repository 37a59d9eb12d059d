import type { Result } from '../../../preload/contract/errors.ts';
import { ok } from '../../engine/core/errors.ts';
import { leaveOutLike, undoLeaveOutLike } from '../../engine/decisions/leaveOutLike.ts';
import {
  confirmAsDelivered,
  ignoreProblems,
  noteProblemsRead,
  retryProblems,
} from '../../engine/decisions/problems.ts';
import { problemGroups } from '../../engine/queries/problemPages.ts';
import { type Undoable, undoDecision } from '../../engine/decisions/undoDecision.ts';
import { tryNow } from '../../engine/decisions/tryNow.ts';
import { dismissJob } from '../../engine/decisions/jobs.ts';
import { failedJobs } from '../../engine/status/problemCounts.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';
import { withConnection } from './withConnection.ts';

/** How many decisions can be undone. */
const MOST_DECISIONS = 20;

export function problemHandlers(context: AppContext) {
  const { host } = context;
  const { store, ports, selectedId } = host;
  type Undo = () => Result<number> | Promise<Result<number>>;
  const decisions = new Map<number, Undo>();
  let last = 0;
  /** Keeps a decision so that it can be undone; the window offers Undo for some seconds. */
  const remember = (
    decision: Undoable,
    undo: Undo = () => ok(undoDecision(store, decision, ports.clock.now())),
  ): Result<{ count: number; undo: number }> => {
    host.reload();
    last += 1;
    decisions.set(last, undo);
    decisions.delete(last - MOST_DECISIONS);
    return ok({ count: decision.count, undo: last });
  };
  return {
    'problem.groups': async () => ok(problemGroups(store, selectedId())),
    'problem.retry': async (choice) => remember(retryProblems(host.selection(), choice)),
    'problem.ignore': async (choice) => remember(ignoreProblems(host.selection(), choice)),
    'problem.leaveOut': async (asked) => {
      const done = await leaveOutLike(host, asked);
      if (!done.ok) return done;
      return remember(done.value, () => undoLeaveOutLike(host, asked, done.value));
    },
    'problem.jobs': async () => ok(failedJobs(store, selectedId(), ports.clock.now())),
    'problem.dismissJob': async (request) => {
      dismissJob(host.selection(), request);
      return ok(null);
    },
    'problem.delivered': async ({ ids }) =>
      remember(confirmAsDelivered(store, ids, ports.clock.now())),
    'problem.undo': async ({ undo }) => {
      const undone = (await decisions.get(undo)?.()) ?? ok(0);
      decisions.delete(undo);
      host.reload();
      return undone.ok ? ok({ count: undone.value }) : undone;
    },
    'wait.tryNow': withConnection(host)(tryNow),
    'problem.read': async () => {
      noteProblemsRead(store, ports.clock.now());
      return ok(null);
    },
  } satisfies Partial<Handlers>;
}
