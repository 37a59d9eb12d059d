/** Requests about what needs a person. */
import { ok } from '../../engine/core/errors.ts';
import {
  believeDelivered,
  ignoreProblems,
  noteProblemsRead,
  problemGroups,
  retryProblems,
} from '../../engine/queries/problemPages.ts';
import type { AppContext } from '../appContext.ts';
import type { Handlers } from './requestTypes.ts';

type Family = Pick<
  Handlers,
  'problem.groups' | 'problem.retry' | 'problem.ignore' | 'problem.delivered' | 'problem.read'
>;

/** Handlers of problems. */
export function problemHandlers(context: AppContext): Family {
  const { station } = context;
  const { store, ports } = station;
  const selectedId = (): number => station.selected()?.id ?? 0;
  return {
    'problem.groups': async () => ok(problemGroups(store, selectedId())),
    'problem.retry': async (choice) => {
      const count = retryProblems(store, selectedId(), choice, ports.clock.now());
      station.reload();
      return ok({ count });
    },
    'problem.ignore': async (choice) => {
      const count = ignoreProblems(store, selectedId(), choice, ports.clock.now());
      station.reload();
      return ok({ count });
    },
    'problem.delivered': async ({ ids }) => {
      const count = believeDelivered(store, ids, ports.clock.now());
      station.reload();
      return ok({ count });
    },
    'problem.read': async () => {
      noteProblemsRead(store, ports.clock.now());
      return ok(null);
    },
  };
}
