/** Requests about files that need the user. */
import { ok } from '../../engine/core/errors.ts';
import { leaveOutLike, undoLeaveOutLike } from '../../engine/queries/leaveOutLike.ts';
import {
  confirmAsDelivered,
  ignoreProblems,
  noteProblemsRead,
  problemGroups,
  retryProblems,
} from '../../engine/queries/problemPages.ts';
import { restoreItems } from '../../engine/queries/retry.ts';
import { dismissJob, failedJobs } from '../../engine/status/problemCounts.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';

/** Handles `problem.*`. */
export function problemHandlers(context: AppContext) {
  const { host } = context;
  const { store, ports } = host;
  const { selectedId } = host;
  return {
    'problem.groups': async () => ok(problemGroups(store, selectedId())),
    'problem.retry': async (choice) => {
      const count = retryProblems(store, selectedId(), choice, ports.clock.now());
      host.reload();
      return ok({ count });
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
    'problem.jobs': async () => ok(failedJobs(store, selectedId(), ports.clock.now())),
    'problem.dismissJob': async (request) => {
      dismissJob(store, selectedId(), request, ports.clock.now());
      return ok(null);
    },
    'problem.delivered': async ({ ids }) => {
      const count = confirmAsDelivered(store, ids, ports.clock.now());
      host.reload();
      return ok({ count });
    },
    'problem.read': async () => {
      noteProblemsRead(store, ports.clock.now());
      return ok(null);
    },
  } satisfies Partial<Handlers>;
}
