/** The walk through directories: how much it passes on at once, what it leaves out, and how it treats links. */
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { createInlineFiles } from '../../../../helpers/inlineFiles.ts';
import { type ErrorCode, fail } from '../../../../../main/engine/core/errors.ts';
import { SCAN_CHUNK_FILES } from '../../../../../main/engine/core/limits.ts';
import type { DirectoryEntry } from '../../../../../main/engine/core/model.ts';
import {
  type EntryType,
  type FoundFile,
  gathered,
  type LeftOut,
  scan,
  temporaryName,
  uploadFilter,
} from '../../../../../main/engine/pipeline/find/scan.ts';
import {
  createHintFilter,
  leaveOut,
} from '../../../../../main/engine/pipeline/find/watchFilter.ts';
import type { Files } from '../../../../../main/engine/core/ports.ts';

const NEVER = new AbortController().signal;

/** Directories in memory: entries by path, and where links lead. */
interface FakeTree {
  readonly directories: Readonly<Record<string, readonly DirectoryEntry[]>>;
  readonly links?: Readonly<Record<string, string>>;
}

function fakeFiles({ directories, links = {} }: FakeTree): Files {
  const typeOf = (path: string): EntryType => (path in directories ? 'directory' : 'file');
  return {
    ...createInlineFiles(),
    realPath: (path) => Promise.resolve(links[path] ?? path),
    typeOf: (path) => Promise.resolve(path in links ? 'link' : typeOf(path)),
    list: (path) => {
      const value = directories[links[path] ?? path];
      if (value === undefined) throw new Error(`${path} is no directory of this test`);
      return Promise.resolve({ ok: true, value });
    },
  };
}

async function groupsOf(
  files: Files,
  paths: readonly string[],
  leftOut: LeftOut = temporaryName,
): Promise<readonly (readonly FoundFile[])[]> {
  const places = paths.map((path) => ({ path, root: '/in' }));
  const groups: (readonly FoundFile[])[] = [];
  for await (const group of scan(files, places, leftOut, NEVER)) groups.push(group);
  return groups;
}

/** What was found: the paths taken, and the others with their reason. */
function wordsOf(groups: readonly (readonly FoundFile[])[]): readonly string[] {
  return groups
    .flat()
    .map(({ relativePath, error }) =>
      error === null ? relativePath : `${relativePath} ${error.code}`,
    );
}

test('130,000 files of one directory come in groups that a caller can spread', async () => {
  const entries = Array.from({ length: 130_000 }, (_, number): DirectoryEntry => ({
    name: `${number}.jpg`,
    type: 'file',
  }));
  const groups = await groupsOf(fakeFiles({ directories: { '/in': entries } }), ['/in']);
  expect(Math.max(...groups.map((group) => group.length))).toBe(SCAN_CHUNK_FILES);
  expect(new Set(groups.flat().map(({ path }) => path)).size).toBe(entries.length);
});

test('files of many directories are put together, but wait only a moment for each other', async () => {
  const found = (...names: readonly string[]): readonly FoundFile[] =>
    names.map((name) => ({ path: `/in/${name}`, relativePath: name, error: null }));
  let now = 0;
  /** Directories with the time that listing each takes, in ms. */
  async function* directories(): AsyncGenerator<readonly FoundFile[]> {
    const listings = [
      { ms: 10, files: found('a/1') },
      { ms: 10, files: found('b/1', 'b/2') },
      { ms: 10, files: found() },
      { ms: 10, files: found('d/1') },
      { ms: 500, files: found('e/1') },
      { ms: 500, files: found() },
      { ms: 10, files: found('g/1') },
    ];
    for (const { ms, files } of listings) {
      now += ms;
      yield Promise.resolve(files);
    }
  }
  const groups: string[] = [];
  for await (const group of gathered(directories(), 4, { monotonicMs: () => now }))
    groups.push(group.map(({ relativePath }) => relativePath).join(' '));
  expect(groups).toEqual(['a/1 b/1 b/2 d/1', 'e/1', 'g/1']);
});

test('the extension of temporary files does not exclude a directory; a leading dot hides both', async () => {
  const directories = {
    '/in': [
      { name: 'cam.part', type: 'directory' },
      { name: 'old~', type: 'directory' },
      { name: '.hidden', type: 'directory' },
      { name: 'copy.jpg.part', type: 'file' },
      { name: 'copy.jpg~', type: 'file' },
    ],
    '/in/cam.part': [{ name: '1.jpg', type: 'file' }],
    '/in/old~': [{ name: '2.jpg', type: 'file' }],
  } as const;
  expect(wordsOf(await groupsOf(fakeFiles({ directories }), ['/in']))).toEqual([
    '.hidden item.temporary',
    'copy.jpg.part item.temporary',
    'copy.jpg~ item.temporary',
    'cam.part/1.jpg',
    'old~/2.jpg',
  ]);
});

const LINKED: FakeTree = {
  directories: {
    '/in': [
      { name: 'a.jpg', type: 'file' },
      { name: 'b.jpg', type: 'link' },
      { name: 'camera', type: 'link' },
    ],
    '/elsewhere': [{ name: 'c.jpg', type: 'file' }],
  },
  links: { '/in/b.jpg': '/elsewhere/b.jpg', '/in/camera': '/elsewhere', '/in/mine.jpg': '/x.jpg' },
};

test('links are followed, out of the directory too, or left out with a reason', async () => {
  const files = fakeFiles(LINKED);
  expect(wordsOf(await groupsOf(files, ['/in'], uploadFilter(true)))).toEqual([
    'a.jpg',
    'b.jpg',
    'camera/c.jpg',
  ]);
  expect(wordsOf(await groupsOf(files, ['/in'], uploadFilter(false)))).toEqual([
    'a.jpg',
    'b.jpg item.excluded',
    'camera item.excluded',
  ]);
  // A link that is named explicitly is wanted.
  expect(wordsOf(await groupsOf(files, ['/in/mine.jpg'], uploadFilter(false)))).toEqual([
    'mine.jpg',
  ]);
});

test('what cannot be looked at is not left out without a word', async () => {
  const codes = new Map<string, ErrorCode>([
    ['barred.jpg', 'item.unreadable'],
    ['camera', 'item.unsupported'],
    ['lost.jpg', 'item.gone'],
    ['ring', 'item.link'],
  ]);
  const entries = [...codes.keys()].map((name): DirectoryEntry => ({ name, type: 'link' }));
  const files: Files = {
    ...fakeFiles({ directories: { '/in': [] } }),
    realPath: (path) => Promise.resolve(path === '/in' ? path : null),
    facts: (path) => Promise.resolve(fail(codes.get(basename(path)) ?? 'bug.unexpected')),
    list: (path) =>
      Promise.resolve(
        path === '/in'
          ? { ok: true, value: [...entries, { name: 'closed', type: 'directory' }] }
          : fail('directory.unreadable'),
      ),
  };
  expect(wordsOf(await groupsOf(files, ['/in']))).toEqual([
    'closed directory.unreadable',
    'barred.jpg',
    'camera directory.unreadable',
    'lost.jpg item.link',
    'ring item.link',
  ]);
});

test('what a link leads to is asked about as a file', async () => {
  const asked: string[] = [];
  const leftOut: LeftOut = (path, type) => {
    asked.push(`${path} ${type}`);
    return path === 'b.jpg' && type === 'file' ? 'item.excluded' : null;
  };
  const groups = await groupsOf(fakeFiles(LINKED), ['/in'], leftOut);
  expect(wordsOf(groups)).toContain('b.jpg item.excluded');
  expect(asked.filter((one) => one.startsWith('b.jpg'))).toEqual(['b.jpg link', 'b.jpg file']);
});

test('hints: a temporary name that is gone again is passed over, a directory of such a name is not', () => {
  const wants = { directory: '/in', leftOut: () => null, forbidden: ['/in/results'] };
  const ignored = createHintFilter(wants);
  expect(ignored('/in/copy.jpg.part', null)).toBe(true);
  expect(ignored('/in/cam', null)).toBe(false);
  expect(ignored('/in/cam.part', 'directory')).toBe(false);
  expect(ignored('/in/cam.part', null)).toBe(false);
  expect(ignored('/in/.git', null)).toBe(true);
  expect(ignored('/in/results/1.jpg', 'file')).toBe(true);
  expect(leaveOut(wants, '/in/cam.part/1.jpg', 'file')).toBeNull();
  expect(leaveOut(wants, '/in/.git/1.jpg', 'file')).toBe('item.temporary');
});

test.each([
  [['/in', '/in/a.jpg']],
  [['/in/a.jpg', '/in']],
  [['/in/a.jpg', '/in', '/in/a.jpg']],
  [['/in', '/link/a.jpg']],
])('a file that is given with its directory is found once: %j', async (paths) => {
  const files = fakeFiles({
    directories: { '/in': ['a.jpg', 'b.jpg'].map((name) => ({ name, type: 'file' })) },
    links: { '/link': '/in' },
  });
  const found = (await groupsOf(files, paths)).flat().map(({ path }) => basename(path));
  expect(found.sort()).toEqual(['a.jpg', 'b.jpg']);
});

test('a file and a link that are given with their directory are found once, whatever their names', async () => {
  const files = fakeFiles({
    directories: {
      '/in': [
        { name: 'half.part', type: 'file' },
        { name: 'link.part', type: 'link' },
        { name: 'other.part', type: 'file' },
      ],
    },
    links: { '/in/link.part': '/elsewhere/a.jpg' },
  });
  const groups = await groupsOf(files, ['/in', '/in/half.part', '/in/link.part']);
  expect(wordsOf(groups)).toEqual(['half.part', 'other.part item.temporary', 'link.part']);
});
