/** A fake main for the window: answers from tables, one file per view (`<view>.ts`). */
/// <reference types="vite/client" />
import type { Bridge } from '../../../preload/contract/requests.ts';
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
  const tables = Object.values(TABLES).map(({ handlers }) => handlers?.(scenario) ?? {});
  const own: Handlers = { 'snapshot.get': () => answer(snapshotOf(scenario)) };
  const all: Handlers = Object.assign(own, ...tables);
  return {
    async request(name, input) {
      const handler: unknown = all[name];
      // The table is keyed by the name, which the compiler cannot follow through a union.
      const value: unknown = typeof handler === 'function' ? handler(input) : answer(null);
      return JSON.parse(JSON.stringify(value));
    },
    on: () => () => undefined,
    async pathsOf(files) {
      return files.map(({ name }) => `/home/ann/Pictures/${name}`);
    },
  };
}
