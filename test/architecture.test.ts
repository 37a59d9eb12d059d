/** The project obeys its own rules, and each rule fails on a small tree that breaks it. */
import { describe, expect, test } from 'vitest';
import {
  contentRules,
  importCycles,
  importRules,
  nameRules,
  sizeRules,
} from './helpers/architecture.ts';
import { readProject } from './helpers/sourceTree.ts';

const project = await readProject(new URL('..', import.meta.url).pathname);

/** A small project: path → text. */
function tree(files: Readonly<Record<string, string>>) {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

describe('this project', () => {
  test('was read', () => {
    expect(project.map(({ path }) => path)).toContain('preload/contract/requests.ts');
  });
  test.each([
    ['imports only what its layers allow', importRules],
    ['has no circles of imports', importCycles],
    ['has no barrels and no utils', nameRules],
    ['keeps its files short', sizeRules],
    ['holds no notes to self, registries or home directories', contentRules],
  ] as const)('%s', (_, rule) => {
    expect(rule(project)).toEqual([]);
  });
});

describe('import rules', () => {
  test.each([
    ['preload/contract/requests.ts', 'node:path'],
    ['preload/contract/requests.ts', '../../main/engine/core/model.ts'],
    ['preload/contract/messages.ts', 'zod'],
    ['preload/contract/messages.ts', '../../main/engine/core/errors.ts'],
    ['preload/contract/snapshot.ts', '../bridge.ts'],
    ['preload/bridge.ts', '../main/engine/core/errors.ts'],
    ['preload/bridge.ts', 'node:fs'],
    ['renderer/App.svelte', '../main/engine/core/model.ts'],
    ['renderer/App.svelte', 'electron'],
    ['renderer/state/uploads.svelte.ts', 'node:fs'],
    ['renderer/state/uploads.svelte.ts', 'zod'],
    ['renderer/state/uploads.svelte.ts', '../../preload/bridge.ts'],
    ['main/app/window/window.ts', '../../engine/store/store.ts'],
    ['main/app/window/window.ts', '../../engine/files/nodeFiles.ts'],
    ['main/app/window/window.ts', '../../cli/upload.ts'],
    ['main/app/window/window.ts', 'undici'],
    ['main/cli/upload.ts', '../engine/pipeline/plan/plan.ts'],
    ['main/cli/upload.ts', '../engine/service/api/client.ts'],
    ['main/cli/upload.ts', '../app/window/window.ts'],
    ['main/cli/upload.ts', 'electron'],
    ['main/main.ts', 'electron'],
    ['main/main.ts', './cli/upload.ts'],
    ['main/cli.ts', './app/window/window.ts'],
    ['main/engine/host/engine.ts', 'electron'],
    ['main/engine/host/engine.ts', 'electron-store'],
    ['main/engine/host/engine.ts', '../../app/window/window.ts'],
    ['main/engine/host/engine.ts', '../../cli/upload.ts'],
    ['main/engine/host/engine.ts', '../../../renderer/main.ts'],
    ['main/engine/host/engine.ts', '../../../test/helpers/world.ts'],
    ['main/engine/host/engine.ts', '../queries/why.ts'],
    ['main/engine/core/errors.ts', '../files/nodeFiles.ts'],
    ['main/engine/engine.ts', './core/errors.ts'],
    ['main/engine/jobs/jobs.ts', '../../../preload/contract/errors.ts'],
    ['main/engine/watches/rule.ts', '../../../preload/contract/watchRule.ts'],
    ['main/engine/evidence/answers.ts', '../service/api/client.ts'],
    ['main/engine/pipeline/plan/plan.ts', '../send/transfer.ts'],
    ['main/engine/pipeline/plan/plan.ts', '../send/transferBody.ts'],
    ['main/engine/pipeline/send/transfer.ts', '../plan/plan.ts'],
    ['main/engine/pipeline/lane.ts', './plan/plan.ts'],
    ['main/engine/pipeline/presence/inventory.ts', '../find/scan.ts'],
    ['main/engine/pipeline/plan/plan.ts', '../../runner/hints.ts'],
    ['main/engine/store/tables/items.ts', '../../service/api/client.ts'],
    ['main/engine/service/api/client.ts', '../../store/tables/items.ts'],
    ['build/start.ts', 'electron'],
    ['test/unit/plan.test.ts', 'electron'],
  ])('%s may not import %s', (from, specifier) => {
    for (const text of [
      `import { x } from '${specifier}';`,
      `import type { X } from '${specifier}';`,
      `export { x } from '${specifier}';`,
      `const x = await import('${specifier}');`,
      `type X = import('${specifier}').X;`,
    ]) {
      const script = from.endsWith('.svelte') ? `<script lang="ts">\n${text}\n</script>` : text;
      expect(importRules(tree({ [from]: script }))).not.toEqual([]);
    }
  });

  test.each([
    ['preload/contract/requests.ts', 'zod'],
    ['preload/bridge.ts', 'electron'],
    ['preload/bridge.ts', './contract/requests.ts'],
    ['renderer/App.svelte', 'svelte'],
    ['renderer/App.svelte', 'bits-ui'],
    ['renderer/App.svelte', './styles/tokens.css'],
    ['renderer/App.svelte', '../preload/contract/messages.ts'],
    ['main/app/window/window.ts', 'electron'],
    ['main/app/window/window.ts', 'node:path'],
    ['main/app/window/window.ts', '../../engine/host/engine.ts'],
    ['main/app/window/window.ts', '../../../preload/contract/requests.ts'],
    ['main/cli/upload.ts', '../engine/core/errors.ts'],
    ['main/cli/upload.ts', '../../preload/contract/messages.ts'],
    ['main/cli.ts', './engine/store/store.ts'],
    ['main/main.ts', './app/window/window.ts'],
    ['main/engine/core/errors.ts', '../../../preload/contract/errors.ts'],
    ['main/engine/queries/why.ts', '../host/engine.ts'],
    ['main/engine/queries/why.ts', './receipt.ts'],
    ['main/engine/pipeline/plan/plan.ts', '../lane.ts'],
    ['main/engine/pipeline/plan/plan.ts', './shards.ts'],
    ['main/engine/pipeline/send/transferSettle.ts', '../identify/judge.ts'],
    ['main/engine/pipeline/plan/plan.ts', '../../store/tables/items.ts'],
    ['build/demo.ts', './service/main.ts'],
    ['test/unit/plan.test.ts', '../../main/engine/pipeline/plan/plan.ts'],
  ])('%s may import %s', (from, specifier) => {
    const text = `import { x } from '${specifier}';`;
    const script = from.endsWith('.svelte') ? `<script lang="ts">\n${text}\n</script>` : text;
    expect(importRules(tree({ [from]: script }))).toEqual([]);
  });

  test('what the window uses at run time does not import zod', () => {
    const types = "import type { WatchRule } from './watchRule.ts';";
    expect(importRules(tree({ 'preload/contract/standardRule.ts': types }))).toEqual([]);
    const values = "import { watchRuleSchema } from './watchRule.ts';";
    expect(importRules(tree({ 'preload/contract/standardRule.ts': values }))).toHaveLength(1);
  });

  test.each([
    ["import type { ErrorCode } from '../preload/contract/requests.ts';", true],
    ["import { type ErrorCode } from '../preload/contract/requests.ts';", true],
    ["import { type ErrorCode, ERROR_CODES } from '../preload/contract/requests.ts';", false],
    ["import '../preload/contract/requests.ts';", false],
  ])('the renderer takes only types of the contract: %s', (text, fine) => {
    expect(importRules(tree({ 'renderer/main.ts': text })).length === 0).toBe(fine);
  });
});

describe('the other rules fail when they should', () => {
  test('cycles, direct and long, including type imports', () => {
    const round = tree({
      'main/a.ts': "import { b } from './b.ts';",
      'main/b.ts': "import type { C } from './c.ts';",
      'main/c.ts': "export { a } from './a.ts';",
      'main/d.ts': "import { a } from './a.ts';",
    });
    expect(importCycles(round)).toEqual(['main/a.ts → main/b.ts → main/c.ts → main/a.ts']);
    expect(importCycles(round.slice(1))).toEqual([]);
    const elsewhere = round.map((file) => ({ ...file, path: file.path.replace('main', 'build') }));
    expect(importCycles(elsewhere)).toEqual([]);
  });

  test('names', () => {
    const wrong = ['main/engine/index.ts', 'renderer/utils/x.ts', 'main/util.ts'];
    const right = ['main/app/ipcUtil/y.ts', 'main/futile.ts', 'renderer/index.html'];
    const found = nameRules([...wrong, ...right].map((path) => ({ path, text: '' })));
    expect(found.map((line) => line.split(':')[0])).toEqual(wrong);
  });

  test('sizes', () => {
    const lines = (count: number): string => 'x\n'.repeat(count);
    expect(sizeRules(tree({ 'main/a.ts': lines(300), 'test/a.test.ts': lines(500) }))).toEqual([]);
    expect(sizeRules(tree({ 'main/engine/store/migrations/newest.sql': lines(400) }))).toEqual([]);
    expect(sizeRules(tree({ 'main/a.ts': lines(301), 'renderer/a.css': lines(301) }))).toEqual([
      'main/a.ts: 301 lines, limit 300',
      'renderer/a.css: 301 lines, limit 300',
    ]);
    expect(sizeRules(tree({ 'test/a.test.ts': lines(501) }))).toHaveLength(1);
  });

  test.each([
    `// ${'TO'}DO later`,
    `// ${'FIX'}ME`,
    `fetch('https://${'registry'}.example.org/x')`,
    '{\n  "resolved": "x"\n}',
    `cd ${'/home'}/bob/x`,
    `cd ${'/Users'}/bob/x`,
    `cd ${'/root'}/x`,
    `cd ${'/work'}/main`,
  ])('content: %s', (text) => {
    expect(contentRules(tree({ 'main/a.ts': text }))).toHaveLength(1);
  });

  test('content that only looks alike', () => {
    const text = 'todos; /home/ann/cam; https://x.org/root/a; src/work/main; the network/work';
    expect(contentRules(tree({ 'main/a.ts': text }))).toEqual([]);
  });
});
