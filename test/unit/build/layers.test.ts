/** Which modules share a file of the bundle. */
import { expect, test } from 'vitest';
import { filesOf } from '../../../build/layers.ts';

/** Modules by id: what each imports, and what it may import later. Those without an importer are entries. */
const MODULES: Readonly<
  Record<string, readonly [now: readonly string[], later?: readonly string[]]>
> = {
  '/cli.ts': [
    ['/help.ts', '/errors.ts'],
    ['/upload.ts', '/rare.ts'],
  ],
  '/fileWorker.ts': [['/errors.ts', '/files.ts'], ['/http.ts']],
  '/help.ts': [['/words.ts']],
  '/words.ts': [[]],
  '/errors.ts': [[]],
  '/files.ts': [['/errors.ts']],
  '/http.ts': [['/errors.ts']],
  '/upload.ts': [['/words.ts', '/http.ts', '/ledger.ts']],
  '/ledger.ts': [['node:sqlite']],
  '/rare.ts': [['/ledger.ts', '/alone.ts']],
  '/alone.ts': [[]],
};

const look: Parameters<typeof filesOf>[2] = (id) => {
  const [importedIds = null, dynamicallyImportedIds = []] = MODULES[id] ?? [];
  if (importedIds === null) return null;
  const isEntry = id === '/cli.ts' || id === '/fileWorker.ts';
  return {
    isEntry,
    importedIds: [...importedIds],
    dynamicallyImportedIds: [...dynamicallyImportedIds],
  };
};

const filesOfThese = (layers: Parameters<typeof filesOf>[0]): Record<string, string> =>
  Object.fromEntries(filesOf(layers, Object.keys(MODULES), look));

test('a module is in the first layer that needs it, and apart when threads need it, too', () => {
  expect(filesOfThese({ start: ['cli.ts'], engine: ['upload.ts'] })).toEqual({
    '/help.ts': 'start',
    '/words.ts': 'start',
    '/errors.ts': 'start-shared',
    '/upload.ts': 'engine',
    '/ledger.ts': 'engine',
    'node:sqlite': 'engine',
    '/http.ts': 'engine-shared',
  });
});

test('no file needs one that is loaded after it', () => {
  const layers = {
    start: ['cli.ts'],
    ledger: ['ledger.ts'],
    engine: ['upload.ts'],
    files: ['files.ts'],
  };
  const files = filesOfThese(layers);
  const rank = (id: string): number =>
    Object.keys(layers).indexOf((files[id] ?? '').replace('-shared', ''));
  for (const [id, file] of Object.entries(files)) {
    for (const needed of MODULES[id]?.[0] ?? []) {
      expect(rank(needed)).toBeLessThanOrEqual(rank(id));
      if (file.endsWith('-shared')) expect(files[needed]).toMatch(/-shared$/);
    }
  }
});

test('a layer of a module that does not exist is a mistake', () => {
  expect(() => filesOfThese({ start: ['gone.ts'] })).toThrow('there is no module gone.ts');
});
