/**
 * The architecture rules: who may import what, and what no file may contain. Each rule maps the files of a project to
 * sentences about violations; no sentence means that all is well.
 */
import { type ImportFact, importsOf, isSource, type SourceFile } from './sourceTree.ts';

/** The contract: the types and values that cross process boundaries. */
const CONTRACT = 'preload/contract';
/** Contract files that the window may use at run time, because they do not import zod. */
const WITHOUT_ZOD = [
  'bounds.ts',
  'calendarDay.ts',
  'errorDetail.ts',
  'errors.ts',
  'fileType.ts',
  'idPatterns.ts',
  'jobTimes.ts',
  'listSorts.ts',
  'sharedBatch.ts',
  'messages.ts',
  'safety.ts',
  'serviceAddress.ts',
  'silence.ts',
  'standardRule.ts',
  'timetable.ts',
  'figures.ts',
  'visibleText.ts',
  'problemTotal.ts',
  'toGo.ts',
  'waitMessages.ts',
].map((name) => `${CONTRACT}/${name}`);
/** The only folder of the engine that imports the contract: the others import it from here. */
const CONTRACT_DOOR = 'main/engine/core';
/** Folders of the engine that only the engine may use. */
const PRIVATE = ['evidence', 'files', 'pipeline', 'service', 'store'];
/** The engine's folders from the bottom layer up: each may use the layers below it. */
const FLOORS = [
  ['core'],
  ['evidence'],
  // Above http, because the threads that read files also send them.
  ['service/http'],
  ['files'],
  ['service', 'store'],
  ['pipeline'],
  ['settings'],
  ['runner'],
  ['doctor', 'jobs', 'webhooks'],
  ['status', 'watches'],
  ['uploads'],
  ['host'],
  ['decisions', 'projects', 'queries'],
] as const;
/** The steps in pipeline order, each in its folder with its entry. A step may use parts of earlier ones. */
const STEPS = [
  ['presence', null],
  ['find', 'watch.ts'],
  ['identify', 'identify.ts'],
  ['plan', 'plan.ts'],
  ['send', 'transfer.ts'],
  ['confirm', 'confirm.ts'],
  ['process', 'process.ts'],
  ['download', 'download.ts'],
] as const;
const FONTS = ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono'];
/** `@internationalized/date` is there for the date fields of bits-ui. */
const UI_LIBRARIES = ['svelte', 'bits-ui', '@internationalized/date', '@lucide/svelte', ...FONTS];
const APP_LIBRARIES = ['electron', 'electron-store', 'electron-updater'];

const MAX_LINES = 300;
const MAX_TEST_LINES = 500;
/** Names in example paths; any other home directory counts as a real one. */
const EXAMPLE_PEOPLE = 'ann|me|user|you|camera';

/** Whether app and command line may use this part of the engine: everything outside its private folders. */
function isPublic(path: string): boolean {
  return (
    isIn(path, 'main/engine') && !PRIVATE.some((folder) => isIn(path, `main/engine/${folder}`))
  );
}

function isIn(path: string | null, folder: string): boolean {
  return path !== null && path.startsWith(`${folder}/`);
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

function isNode(specifier: string): boolean {
  return specifier.startsWith('node:');
}

/** The layer of an engine file; -1 if it is in none. */
function floorOf(path: string): number {
  return FLOORS.findIndex((folders) =>
    folders.some((folder) => isIn(path, `main/engine/${folder}`)),
  );
}

/** The position of a step in the pipeline; -1 for code that every step may use. */
function stepOf(path: string): number {
  return STEPS.findIndex(([folder]) => isIn(path, `main/engine/pipeline/${folder}`));
}

function wrongInPipeline(from: string, target: string): string | null {
  const [own, other] = [stepOf(from), stepOf(target)];
  if (own === other) return null;
  if (other > own) return 'a step uses only what comes before it in the pipeline';
  const entry = STEPS[other]?.[1] ?? null;
  const isEntry = entry !== null && target.endsWith(`/${entry}`);
  return isEntry ? 'steps meet in the store, never in each other' : null;
}

/** Says why an import is wrong, or null. One entry per layer; the first whose `of` matches applies. */
interface Layer {
  readonly of: (path: string) => boolean;
  readonly wrong: (fact: ImportFact) => string | null;
}

const within =
  (allowed: (target: string) => boolean, libraries: (specifier: string) => boolean, what: string) =>
  (fact: ImportFact): string | null => {
    const fine = fact.target === null ? libraries(fact.specifier) : allowed(fact.target);
    return fine ? null : what;
  };

const LAYERS: readonly Layer[] = [
  {
    of: (path) => WITHOUT_ZOD.includes(path),
    wrong: ({ target, typeOnly }) =>
      WITHOUT_ZOD.includes(target ?? '') || (typeOnly && isIn(target, CONTRACT))
        ? null
        : 'what the window uses at run time takes only types from the rest of the contract',
  },
  {
    of: (path) => isIn(path, CONTRACT),
    wrong: within(
      (target) => isIn(target, CONTRACT),
      (specifier) => packageOf(specifier) === 'zod',
      'the contract imports only zod and itself',
    ),
  },
  {
    of: (path) => isIn(path, 'preload'),
    wrong: within(
      (target) => isIn(target, 'preload'),
      (specifier) => specifier === 'electron' || packageOf(specifier) === 'zod',
      'the preload imports electron, zod and the contract',
    ),
  },
  { of: (path) => isIn(path, 'renderer'), wrong: wrongInRenderer },
  {
    of: (path) => isIn(path, 'main/app'),
    wrong: within(
      (target) => isIn(target, 'main/app') || isPublic(target) || isIn(target, CONTRACT),
      (specifier) => isNode(specifier) || [...APP_LIBRARIES, 'zod'].includes(packageOf(specifier)),
      "main/app imports electron, the engine's public folders and the contract",
    ),
  },
  {
    of: (path) => isIn(path, 'main/cli'),
    wrong: within(
      (target) => isIn(target, 'main/cli') || isPublic(target) || isIn(target, CONTRACT),
      (specifier) => isNode(specifier) || ['commander', 'zod'].includes(packageOf(specifier)),
      "main/cli imports the engine's public folders and the contract",
    ),
  },
  { of: (path) => isIn(path, 'main/engine'), wrong: wrongInEngine },
  {
    of: (path) => path === 'main/main.ts',
    wrong: within(
      (target) =>
        /^main\/[^/]+\.ts$/.test(target) ||
        isIn(target, 'main/app') ||
        isIn(target, 'main/engine') ||
        isIn(target, 'preload'),
      isNode,
      'main.ts puts main/app and the engine together, nothing else',
    ),
  },
  {
    of: (path) => isIn(path, 'main'),
    wrong: within(
      (target) =>
        /^main\/[^/]+\.ts$/.test(target) ||
        isIn(target, 'main/cli') ||
        isIn(target, 'main/engine') ||
        isIn(target, 'preload'),
      isNode,
      'cli.ts puts main/cli and the engine together, nothing else',
    ),
  },
];

function wrongInRenderer(fact: ImportFact): string | null {
  const { target, specifier, typeOnly } = fact;
  if (target === null) {
    return UI_LIBRARIES.includes(packageOf(specifier))
      ? null
      : 'the renderer imports svelte and UI libraries';
  }
  if (isIn(target, 'renderer') || WITHOUT_ZOD.includes(target)) return null;
  if (!isIn(target, CONTRACT)) return 'the renderer imports itself and the contract';
  return typeOnly ? null : 'the renderer imports only types of the contract';
}

function wrongInEngine(fact: ImportFact): string | null {
  const { from, target, specifier } = fact;
  if (target === null) {
    return /^(electron|svelte|vite|playwright)/.test(packageOf(specifier))
      ? 'the engine runs in plain Node'
      : null;
  }
  if (!isIn(target, 'main/engine') && !isIn(target, CONTRACT)) {
    return 'the engine imports itself and the contract';
  }
  if (!isIn(target, 'main/engine')) {
    return isIn(from, CONTRACT_DOOR)
      ? null
      : `the engine imports the contract only in ${CONTRACT_DOOR}`;
  }
  if (isIn(from, 'main/engine/pipeline') && isIn(target, 'main/engine/pipeline'))
    return wrongInPipeline(from, target);
  const [own, other] = [floorOf(from), floorOf(target)];
  if (own === -1) return 'a file of the engine is in one of its folders';
  const isSameFolder = from.split('/')[2] === target.split('/')[2];
  return isSameFolder || other < own ? null : 'a folder of the engine uses only those below it';
}

/** Who may import what. */
export function importRules(files: readonly SourceFile[]): readonly string[] {
  const problems: string[] = [];
  for (const fact of allImports(files)) {
    const add = (why: string): void => {
      problems.push(`${fact.from} imports ${fact.specifier}: ${why}`);
    };
    const layer = LAYERS.find((candidate) => candidate.of(fact.from));
    const why = layer?.wrong(fact) ?? null;
    if (why !== null) add(why);
    if (isIn(fact.target, 'test') && !isIn(fact.from, 'test') && !isIn(fact.from, 'build')) {
      add('nothing that ships imports test/');
    }
    if (packageOf(fact.specifier) === 'electron' && !mayImportElectron(fact)) {
      add(
        'only main/app, the preload, the Chromium host and what is built for development import electron',
      );
    }
  }
  return problems;
}

function mayImportElectron({ from, typeOnly }: ImportFact): boolean {
  // Tests that drive Electron from outside use its types.
  if (typeOnly && isIn(from, 'test/e2e')) return true;
  return ['main/app', 'preload', 'build/chromiumHost', 'build/dev', 'test/e2e/fixtureApp'].some(
    (folder) => isIn(from, folder),
  );
}

function allImports(files: readonly SourceFile[]): readonly ImportFact[] {
  return files.filter(({ path }) => isSource(path)).flatMap(importsOf);
}

/** Import cycles, each reported once. In shipped code type imports count too: a cycle of types is a leaking layer. */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, target, typeOnly } of allImports(files)) {
    if (target === null || (typeOnly && !/^(main|preload|renderer)\//.test(from))) continue;
    const targets = edges.get(from) ?? new Set<string>();
    edges.set(from, targets.add(target));
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      cycles.push([...trail.slice(start), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const target of edges.get(path) ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return cycles;
}

/** Names that say nothing: barrels and utils. */
export function nameRules(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path }) => {
    if (/(^|\/)index\.(ts|js|mjs)$/.test(path)) return [`${path}: no barrels`];
    if (/(^|[/._-])utils?([/._-]|$)/i.test(path)) return [`${path}: name what it does, not utils`];
    return [];
  });
}

/** Files that are too long; one is written by a test. */
export function sizeRules(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => isSource(path) || /\.(css|html|sql|sh)$/.test(path))
    .filter(({ path }) => !path.endsWith('/migrations/newest.sql'))
    .flatMap(({ path, text }) => {
      const limit = isIn(path, 'test') ? MAX_TEST_LINES : MAX_LINES;
      const lines = text.split('\n').length - 1;
      return lines > limit ? [`${path}: ${lines} lines, limit ${limit}`] : [];
    });
}

/** What no tracked file may contain: notes to self, addresses of package registries, paths of a real machine. */
export function contentRules(files: readonly SourceFile[]): readonly string[] {
  const forbidden: readonly (readonly [RegExp, string])[] = [
    [/\b(TO)DO\b|\b(FIX)ME\b/, 'a note to self; do it or leave it out'],
    [/\bregistry\.[a-z0-9-]+\.[a-z]|\bnpm\.pkg\.|_auth(Token)?\s*=/i, 'names a package registry'],
    [/^\s*"resolved":/m, 'the lock file keeps no addresses (.npmrc)'],
    [
      new RegExp(`(?<![\\w.])/(home|Users)/(?!(${EXAMPLE_PEOPLE})\\b)[a-z]`),
      'names a home directory',
    ],
    [/(?<![\w.])\/(root|work)\/[a-z]/, 'names a path of one machine'],
  ];
  return files.flatMap(({ path, text }) =>
    forbidden.filter(([pattern]) => pattern.test(text)).map(([, why]) => `${path}: ${why}`),
  );
}
