/**
 * Which modules of the command line share a file. By itself, the bundler makes a file for each set of commands that need the same
 * modules: an upload would load 60 of them, and each takes as long as 20 kB of code.
 */
import type { Rolldown } from 'vite';

/** Files in the order in which they are loaded: each has what its modules import and the ones before it do not have. */
export type Layers = Readonly<Record<string, readonly string[]>>;

const LAYERS: Layers = {
  start: ['main/cli.ts'],
  threads: ['main/engine/files/pool/threadPool.ts'],
  ledger: ['main/cli/session/ledger.ts'],
  state: ['main/cli/commands/status.ts'],
  client: ['main/cli/session/client.ts', 'main/openPorts.ts'],
  engine: [
    'main/cli/session/session.ts',
    'main/cli/commands/upload.ts',
    'main/engine/service/http/direct/directPool.ts',
  ],
  files: ['main/engine/files/read/inspectAsync.ts', 'main/engine/files/read/sourceReader.ts'],
};

/** What the bundler knows of a module; null for one that is not ours. */
type Look = (
  id: string,
) => Pick<Rolldown.ModuleInfo, 'isEntry' | 'importedIds' | 'dynamicallyImportedIds'> | null;

/** The modules with these ids and everything that they import; with `later`, also what they may import later. */
function needed(roots: readonly string[], look: Look, later: boolean): ReadonlySet<string> {
  const found = new Set(roots);
  for (const id of found) {
    const module = look(id);
    if (module === null) continue;
    for (const one of module.importedIds) found.add(one);
    if (later) for (const one of module.dynamicallyImportedIds) found.add(one);
  }
  return found;
}

/**
 * The file of each module of a layer, by id. What threads need, too, is in files of its own: they have no use for the rest. Throws when
 * a module that a layer names does not exist.
 */
export function filesOf(
  layers: Layers,
  ids: readonly string[],
  look: Look,
): ReadonlyMap<string, string> {
  const entries = ids.filter((id) => look(id)?.isEntry === true);
  const workers = entries.filter((id) => id.endsWith('Worker.ts'));
  const inThreads = needed(workers, look, true);
  const files = new Map<string, string>();
  for (const [layer, names] of Object.entries(layers)) {
    const roots = names.map((name) => {
      const id = ids.find((one) => one.endsWith(`/${name}`));
      if (id === undefined) throw new Error(`build/layers.ts: there is no module ${name}`);
      return id;
    });
    for (const id of needed(roots, look, false)) {
      if (files.has(id) || entries.includes(id)) continue;
      files.set(id, inThreads.has(id) ? `${layer}-shared` : layer);
    }
  }
  return files;
}

/** The bundler's option `codeSplitting`. */
export function inLayers(): NonNullable<Rolldown.OutputOptions['codeSplitting']> {
  const ids = new Set<string>();
  let files: ReadonlyMap<string, string> | null = null;
  return {
    // Otherwise a file would also take what its modules import from the files before it.
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: 'layers',
        // Called for every module before the first name is asked for.
        test: (id) => {
          ids.add(id);
          files = null;
          return true;
        },
        name: (id, chunking) => {
          files ??= filesOf(LAYERS, [...ids], (one) => chunking.getModuleInfo(one));
          return files.get(id) ?? null;
        },
      },
    ],
  };
}
