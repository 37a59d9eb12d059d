/** A fake main for the window: answers from tables, one file per view (`<view>.ts`). */
/// <reference types="vite/client" />
import type { Bridge } from '../../../preload/contract/requests.ts';
import type { AppSnapshot } from '../../../preload/contract/snapshot.ts';
import type { Result } from '../../../preload/contract/errors.ts';
import { answer, type Handlers, type Scenario } from './scenario.ts';
import { snapshotOf } from './snapshots.ts';

type Table = (scenario: Scenario) => Handlers;
/** Every file of this folder that exports `handlers` contributes answers. */
const TABLES = import.meta.glob<{ readonly handlers?: Table }>(
  ['./*.ts', '!./site.ts', '!./fakeBridge.ts', '!./galleryPage.ts'],
  { eager: true },
);

/** A bridge that answers like main in a scenario. */
export function fakeBridge(scenario: Scenario): Bridge {
  let snapshot = snapshotOf(scenario);
  const listeners = new Set<(value: AppSnapshot) => void>();
  const push = (change: Partial<AppSnapshot>): Result<null> => {
    snapshot = { ...snapshot, ...change, revision: snapshot.revision + 1 };
    for (const listener of listeners) listener(snapshot);
    return answer(null);
  };
  const own: Handlers = {
    'snapshot.get': () => answer(snapshot),
    'notice.dismiss': ({ id }) =>
      push({ notices: snapshot.notices.filter((notice) => notice.id !== id) }),
    'uploads.pause': ({ paused }) => push({ pipeline: { ...snapshot.pipeline, paused } }),
    'settings.save': (settings) => push({ settings }),
  };
  const tables = Object.values(TABLES).map(({ handlers }) => handlers?.(scenario) ?? {});
  const all: Handlers = Object.assign({}, ...tables, own);
  return {
    async request(name, input) {
      const handler: unknown = all[name];
      // The table is keyed by the name, which the compiler cannot follow through a union.
      const value: unknown = typeof handler === 'function' ? handler(input) : answer(null);
      return JSON.parse(JSON.stringify(value));
    },
    on(name, listener) {
      if (name !== 'snapshot') return () => undefined;
      const hear = (value: AppSnapshot): void => void Reflect.apply(listener, null, [value]);
      listeners.add(hear);
      return () => void listeners.delete(hear);
    },
    async pathsOf(files) {
      return files.map(({ name }) => `/home/ann/Pictures/${name}`);
    },
  };
}
