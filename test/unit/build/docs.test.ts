/** The pages are correct: links lead somewhere, commands work, paths exist, and tables match the code. */
import { glob, readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documents } from '../../../build/commandDocs.ts';
import { COMMANDS, optionsOf, subcommandsOf } from '../../../main/cli/options/pages.ts';
import { readArguments } from '../../../main/cli/terminal/args.ts';
import { EXIT_MEANINGS } from '../../../main/cli/terminal/exitCode.ts';
import { receiptCsvHeading } from '../../../main/engine/queries/receipt.ts';
import { STANDARD_SETTINGS } from '../../../main/engine/settings/engineSettings.ts';
import { LANES, SETTLE_MS } from '../../../preload/contract/bounds.ts';
import {
  anchorsIn,
  commandsIn,
  linksIn,
  readPages,
  ROOT,
  spansIn,
} from '../../helpers/documents.ts';
import { OPERATIONS } from '../../helpers/operations.ts';

const pages = await readPages();
const page = (path: string): string => pages.get(path) ?? '';
const linesOf = (path: string): number => page(path).trimEnd().split('\n').length;

/** The first cells of the table under a heading row that begins like this. */
function firstCells(path: string, heading: string): readonly string[] {
  const table = page(path).split(`\n${heading}`)[1]?.split('\n\n')[0] ?? '';
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((row) => (row.split('|')[1] ?? '').trim());
}

async function exists(path: string): Promise<boolean> {
  return stat(join(ROOT, path)).then(
    () => true,
    () => false,
  );
}

describe('every page', () => {
  test('links to pages and headings that exist', async () => {
    const broken: string[] = [];
    for (const [path, text] of pages) {
      for (const link of linksIn(path, text)) {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : posix.join(dirname(path), decodeURI(file));
        const isThere = await exists(target);
        const hasAnchor = anchor === undefined || anchorsIn(page(target)).includes(anchor);
        if (!isThere || !hasAnchor) broken.push(`${path}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('names commands that sluice takes', () => {
    const refused: string[] = [];
    let count = 0;
    for (const [path, text] of pages) {
      for (const line of commandsIn(path, text, 'sluice')) {
        count += 1;
        const words = line.replaceAll(/['"]/g, '').split(/\s+/);
        const [name = '', ...rest] = words[0] === 'help' ? words.slice(1) : words;
        const command = COMMANDS[name];
        // A placeholder, an option of the program itself, or a container's name with the program in it.
        if (/^(COMMAND|--version|--help|\/.*)?$/.test(name)) continue;
        const subs = command === undefined ? [] : Object.keys(subcommandsOf(command));
        const isFamily = command?.operands === undefined && subs.length > 0;
        const isKnown =
          command !== undefined &&
          readArguments(rest, optionsOf(command)).ok &&
          (!isFamily || rest.length === 0 || [...subs, 'COMMAND', '…'].includes(rest[0] ?? ''));
        if (!isKnown) refused.push(`${path}: sluice ${line}`);
      }
    }
    expect(refused).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });

  test('names npm scripts that there are', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const wrong: string[] = [];
    for (const [path, text] of pages) {
      for (const line of commandsIn(path, text, 'npm run')) {
        const [script = ''] = line.replace(/^(?:-s|--silent) /, '').split(/\s+/);
        if (!Object.hasOwn(scripts, script)) wrong.push(`${path}: npm run ${line}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('names files of the project that exist', async () => {
    const wrong: string[] = [];
    const sources: string[] = [];
    for await (const file of glob('{main,preload,renderer,test,build}/**/*.ts', { cwd: ROOT }))
      sources.push(`/${file.replaceAll('\\', '/')}`);
    for (const [path, text] of pages) {
      // Where the folder is clear, a page names only the end of a path.
      for (const span of spansIn(path, text).filter((one) => /^[\w/]+\.ts$/.test(one)))
        if (!sources.some((file) => file.endsWith(`/${span}`))) wrong.push(`${path}: ${span}`);
      const spans = spansIn(path, text).filter((span) =>
        /^(?:main|preload|renderer|test|build|\.github)\/[\w./{},@*-]*$/.test(span),
      );
      for (const span of spans) {
        const first = await glob(span.replace(/\/$/, ''), { cwd: ROOT }).next();
        if (first.done === true) wrong.push(`${path}: ${span}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

test('the references of commands and errors are those of the code; npm run docs writes them', () => {
  for (const [path, text] of Object.entries(documents())) expect(page(path), path).toBe(text);
});

test('every operation of the specification has its place', () => {
  const named = firstCells('docs/operations.md', '| operation |').flatMap((cell) =>
    cell.split('·').map((name) => name.trim()),
  );
  expect(named.toSorted()).toEqual(OPERATIONS.map(({ name }) => name).toSorted());
});

/** Read from the environment by name, or through the table of options. */
const READS_VARIABLE = /(?:(?:env|environment)\[?\.?'?|variable: ')(SLUICE_\w+)/g;

describe('the configuration page', () => {
  test('has every variable that the sources read, and no other', async () => {
    const read = new Set<string>();
    for await (const path of glob('{main,build}/**/*.{ts,mjs}', { cwd: ROOT })) {
      const source = await readFile(join(ROOT, path), 'utf8');
      for (const [, name = ''] of source.matchAll(READS_VARIABLE)) {
        read.add(name);
      }
    }
    // Passed from one part of Sluice to another.
    const INTERNAL = ['SLUICE_DEV_PAGE', 'SLUICE_DEV_NONCE', 'SLUICE_HOST_CONTROL'];
    const ofTests = ['SLUICE_TEST_TIMES'];
    const wanted = [...read].filter((name) => ![...INTERNAL, ...ofTests].includes(name));
    const text = page('docs/configuration.md');
    const stated = new Set([...text.matchAll(/SLUICE_\w+/g)].map(([name]) => name));
    expect([...stated].sort()).toEqual([...wanted, 'SLUICE_SEED'].sort());
  });

  test('has the exit codes and the ranges of the settings', () => {
    const text = page('docs/configuration.md');
    const rows = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `| ${code} | ${meaning} |`);
    for (const row of rows) expect(text).toContain(row);
    expect(text).toContain(`${LANES.min} to ${LANES.max}`);
    expect(text).toContain(`adapts | ${STANDARD_SETTINGS.lanesMost} |`);
    const seconds = [SETTLE_MS.min, SETTLE_MS.max, SETTLE_MS.standard].map((ms) => ms / 1000);
    expect(text).toContain(`${seconds[0]} to ${seconds[1]} seconds | ${seconds[2]} seconds`);
  });
});

test('the events for programs are those that the page lists', async () => {
  const made = new Set<string>();
  for await (const path of glob('main/cli/**/*.ts', { cwd: ROOT })) {
    const source = await readFile(join(ROOT, path), 'utf8');
    for (const [, name = ''] of source.matchAll(/event: '(\w+)'/g)) made.add(name);
  }
  const listed = firstCells('docs/automation.md', '| event |').flatMap((cell) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(listed.toSorted()).toEqual([...made].sort());
});

test('the receipt has the columns that its page lists', () => {
  const listed = firstCells('docs/file-formats.md', '| column |');
  const columns = receiptCsvHeading().join('').trim().split(',');
  expect(listed.map((cell) => cell.replaceAll('`', ''))).toEqual(columns);
});

test('metrics in the page, the alerts and the dashboard are made by the program', async () => {
  const source = await readFile(join(ROOT, 'main/engine/status/metrics.ts'), 'utf8');
  const made = new Set([...source.matchAll(/'(sluice_[a-z_]+)'/g)].map(([, name]) => name));
  for (const name of ['metrics.md', 'grafana-dashboard.json']) {
    const text = await readFile(join(ROOT, 'docs/deploy', name), 'utf8');
    const used = [...text.matchAll(/sluice_[a-z_]+/g)].map(([one]) => one.replace(/_total$/, ''));
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((one) => !made.has(one))).toEqual([]);
  }
});

test('README is short, and so is CONTRIBUTING, which has every folder', async () => {
  expect(linesOf('README.md')).toBeLessThanOrEqual(110);
  expect(linesOf('CONTRIBUTING.md')).toBeLessThanOrEqual(150);
  const spans = spansIn('CONTRIBUTING.md', page('CONTRIBUTING.md')).join(' ');
  for (const parent of ['main', 'main/engine', 'test']) {
    const entries = await readdir(join(ROOT, parent), { withFileTypes: true });
    for (const entry of entries.filter((one) => one.isDirectory())) {
      expect(spans, `${parent}/${entry.name}`).toMatch(new RegExp(`\\b${entry.name}\\b`));
    }
  }
});

test('the changelog is one that people and programs can read', async () => {
  const text = page('CHANGELOG.md');
  const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind);
  expect(headings.length).toBeGreaterThan(0);
  expect(headings.filter((kind) => !kinds.includes(kind ?? ''))).toEqual([]);
  const versions = [...text.matchAll(/^## (.+)$/gm)].map(([, version]) => version);
  expect(versions[0]).toBe('[Unreleased]');
  for (const version of versions.slice(1)) {
    expect(version).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  }
});
