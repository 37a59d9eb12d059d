/** Requests about files that need the user. */
import { ok } from '../../engine/core/errors.ts';
import {
  confirmAsDelivered,
  ignoreProblems,
  noteProblemsRead,
  problemGroups,
  retryProblems,
} from '../../engine/queries/problemPages.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './ipcServer.ts';

/** Handles `problem.*`. */
export function problemHandlers(context: AppContext) {
  const { host } = context;
  const { store, ports } = host;
  const selectedId = (): number => host.selected()?.id ?? 0;
  return {
    'problem.groups': async () => ok(problemGroups(store, selectedId())),
    'problem.retry': async (choice) => {
      const count = retryProblems(store, selectedId(), choice, ports.clock.now());
      host.reload();
      return ok({ count });
    },
    'problem.ignore': async (choice) => {
      const count = ignoreProblems(store, selectedId(), choice, ports.clock.now());
      host.reload();
      return ok({ count });
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
