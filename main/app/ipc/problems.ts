import { ok } from '../../engine/core/errors.ts';
import { leaveOutLike, undoLeaveOutLike } from '../../engine/decisions/leaveOutLike.ts';
import {
  confirmAsDelivered,
  ignoreProblems,
  noteProblemsRead,
  restoreItems,
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

function leaveOutHandlers({ host }: AppContext) {
  return {
    'problem.leaveOut': async (request) => {
      const done = await leaveOutLike(host, request);
      host.reload();
      return done.ok ? ok({ ids: done.value.ids }) : done;
    },
    'problem.undoLeaveOut': async (request) => {
      const undone = await undoLeaveOutLike(host, request);
      host.reload();
      return undone;
    },
  } satisfies Partial<Handlers>;
}

export function problemHandlers(context: AppContext) {
  const { host } = context;
  const { store, ports, selectedId } = host;
  const decisions = new Map<number, Undoable>();
  let last = 0;
  /** Keeps a decision so that it can be undone; the window offers Undo for some seconds. */
  const remember = (decision: Undoable): { count: number; undo: number } => {
    last += 1;
    decisions.set(last, decision);
    decisions.delete(last - MOST_DECISIONS);
    return { count: decision.before.length, undo: last };
  };
  return {
    ...leaveOutHandlers(context),
    'problem.groups': async () => ok(problemGroups(store, selectedId())),
    'problem.retry': async (choice) => {
      const decision = retryProblems(store, selectedId(), choice, ports.clock.now());
      host.reload();
      return ok(remember(decision));
    },
    'problem.ignore': async (choice) => {
      const ids = ignoreProblems(store, selectedId(), choice, ports.clock.now());
      host.reload();
      return ok({ count: ids.length, ids });
    },
    'problem.restore': async ({ ids }) => {
      const count = restoreItems(store, ids, ports.clock.now());
      host.reload();
      return ok({ count });
    },
    'problem.jobs': async () => ok(failedJobs(store, selectedId(), ports.clock.now())),
    'problem.dismissJob': async (request) => {
      dismissJob(store, selectedId(), request, ports.clock.now());
      return ok(null);
    },
    'problem.delivered': async ({ ids }) => {
      const decision = confirmAsDelivered(store, ids, ports.clock.now());
      host.reload();
      return ok(remember(decision));
    },
    'problem.undo': async ({ undo }) => {
      const decision = decisions.get(undo);
      decisions.delete(undo);
      if (decision === undefined) return ok({ count: 0 });
      const count = undoDecision(store, decision, ports.clock.now());
      host.reload();
      return ok({ count });
    },
    'wait.tryNow': withConnection(host)(tryNow),
    'problem.read': async () => {
      noteProblemsRead(store, ports.clock.now());
      return ok(null);
    },
  } satisfies Partial<Handlers>;
}
