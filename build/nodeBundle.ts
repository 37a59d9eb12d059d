/** The Vite configuration for code that runs in Node: one flat directory of modules, including dependencies. */
import { cp, glob } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Plugin, UserConfig } from 'vite';
import { NATIVE } from './bundles.ts';
import { inLayers } from './layers.ts';
import { LICENCES_FILE } from './licences.ts';

const ROOT = join(import.meta.dirname, '..');
const MIGRATIONS = 'main/engine/store/migrations';
const PICTURES = 'build/resources/pictures';

/** Configures a bundle of `entry` and of every engine worker (`*Worker.ts`), with the files they read next to them. */
export async function nodeBundle(
  entry: string,
  outDir: string,
  runsIn: 'node' | 'electron',
): Promise<UserConfig> {
  const input: Record<string, string> = { [basename(entry, '.ts')]: join(ROOT, entry) };
  for await (const path of glob('main/engine/**/*Worker.ts', { cwd: ROOT })) {
    input[basename(path, '.ts')] = join(ROOT, path);
  }
  const inNode = runsIn === 'node';
  return {
    root: ROOT,
    logLevel: 'warn',
    publicDir: false,
    plugins: [
      workerPaths(),
      builtInsDirectly(),
      copyDirectories(join(ROOT, outDir), inNode ? [MIGRATIONS] : [MIGRATIONS, PICTURES]),
    ],
    // Everything else is bundled: the installed application has no other node_modules.
    ssr: { noExternal: true, external: ['electron', ...NATIVE], target: 'node' },
    build: {
      ssr: true,
      target: 'node22.22',
      outDir,
      emptyOutDir: true,
      minify: false,
      reportCompressedSize: false,
      license: { fileName: LICENCES_FILE },
      rolldownOptions: {
        input,
        // What several files need may be in the file of an entry.
        ...(inNode ? { preserveEntrySignatures: 'allow-extension' } : {}),
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          // Flat, so that import.meta.dirname is the same directory in every file.
          chunkFileNames: '[name]-[hash].js',
          ...(inNode ? { codeSplitting: inLayers() } : {}),
          // Names and lines stay as they are: they are in the log of a bug. In ASCII the engine needs half of the memory for the text.
          comments: false,
          minify: {
            compress: false,
            mangle: false,
            codegen: { asciiOnly: true, removeWhitespace: false },
          },
        },
      },
    },
  };
}

/** Sources refer to workers next to them as `./x.ts`; in the bundle these are `./x.js`. */
function workerPaths(): Plugin {
  return {
    name: 'sluice-worker-paths',
    enforce: 'pre',
    transform: {
      filter: { id: /main\/engine\/.*\.ts$/ },
      handler: (code) => ({
        code: code.replace(
          /new URL\((['"])(?:\.{1,2}\/)+(?:\w+\/)*(\w+Worker)\.ts\1, import\.meta\.url\)/g,
          "new URL('./$2.js', import.meta.url)",
        ),
        map: null,
      }),
    },
  };
}

const BUILT_IN_IMPORT =
  /^import (?:(?:\* as )?(?<whole>[\w$]+))?(?:, )?(?<named>\{[^}]*\})? from "(?<name>node:[\w/]+)";$/gm;

/** Modules that are slow to load (2 to 8 ms) and that many commands do not need. Only functions may be imported from them. */
const LATER = ['node:child_process', 'node:crypto', 'node:fs/promises', 'node:tls', 'node:zlib'];

/** Functions that take a function of the same name from a module when they are called; each import is written `name` or `name: own`. */
function takenWhenCalled(module: string, imports: readonly string[]): string {
  return imports
    .map((one) => {
      const [name = '', own = name] = one.split(': ');
      if (/^[A-Z]|^constants$/.test(name)) throw new Error(`${name} is not taken by a call`);
      return `const ${own} = (...given) => ${module}.${name}(...given);`;
    })
    .join(' ');
}

/**
 * Code that takes Node's built-in modules without importing them: an import reads every property of a module, some of which load
 * further modules or open streams. That would take a quarter of the processor time of `sluice --help`. Some are taken only when they are
 * first used.
 */
export function takingBuiltInsDirectly(code: string): string {
  return code.replaceAll(BUILT_IN_IMPORT, (...match) => {
    const { whole, named, name = '' }: Record<string, string | undefined> = match.at(-1);
    const module = `globalThis.process.getBuiltinModule("${name}")`;
    const names = named?.replaceAll(' as ', ': ');
    if (!LATER.includes(name)) {
      return [whole, names]
        .filter((target) => target !== undefined)
        .map((target) => `const ${target} = ${module};`)
        .join(' ');
    }
    const imports = names?.slice(1, -1).split(',') ?? [];
    const functions = takenWhenCalled(
      module,
      imports.map((one) => one.trim()),
    );
    if (whole === undefined) return functions;
    return `const ${whole} = new Proxy({}, { get: (_, name) => ${module}[name] }); ${functions}`.trim();
  });
}

function builtInsDirectly(): Plugin {
  return {
    name: 'sluice-built-ins-directly',
    renderChunk: (code) => ({ code: takingBuiltInsDirectly(code), map: null }),
  };
}

/** Copies directories next to the bundle, under their own names. */
function copyDirectories(outDir: string, directories: readonly string[]): Plugin {
  return {
    name: 'sluice-copy-directories',
    closeBundle: async () => {
      for (const directory of directories) {
        await cp(join(ROOT, directory), join(outDir, basename(directory)), { recursive: true });
      }
    },
  };
}
