/** What a listener reports about a real directory: every file that comes or changes, whatever happens to directories. */
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fail } from '../../../../main/engine/core/errors.ts';
import { listenBelow, type Looking } from '../../../../main/engine/files/listenBelow.ts';
import { decodeName } from '../../../../main/engine/files/names/pathBytes.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { scratch } from '../../../helpers/scratch.ts';

/** What a fake look at the disk sees. */
const SEEN = { type: 'directory', inode: 1, madeAt: 0 } as const;
const FILE = { type: 'file', inode: 2, madeAt: 0 } as const;

/** The test's own time limit applies. */
const PATIENCE = { timeout: 60_000, interval: 5 };

interface Listening {
  /** Names within the directory that were reported since the last call of forget(). */
  readonly touched: Set<string>;
  /** Those of them that came with their directory. */
  readonly listed: Set<string>;
  /** Names that it was asked whether they are left out. */
  readonly asked: Set<string>;
  readonly trouble: string[];
  /** Resolves when all of these were reported. */
  reports(...names: readonly string[]): Promise<void>;
  forget(): void;
}

async function listenTo(directory: string): Promise<Listening> {
  const [touched, listed, asked] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const trouble: string[] = [];
  const nameOf = (path: string): string => relative(directory, path).split(sep).join('/');
  const notifying = createInlineFiles().notify(directory, {
    leftOut: (path, type) => {
      asked.add(nameOf(path));
      return path.endsWith('.git') || (path.endsWith('.part') && type !== 'directory');
    },
    onTouched: (path, _type, isListed) => {
      touched.add(nameOf(path));
      if (isListed === true) listed.add(nameOf(path));
    },
    onTrouble: (_kind, detail) => trouble.push(detail),
  });
  onTestFinished(() => notifying.close());
  await notifying.ready;
  return {
    touched,
    listed,
    asked,
    trouble,
    reports: (...names) =>
      vi.waitFor(() => {
        const missing = names.filter((name) => !touched.has(name));
        expect(missing).toEqual([]);
      }, PATIENCE),
    forget: () => {
      touched.clear();
      asked.clear();
    },
  };
}

/** Listens with these looks at the disk. */
function listenWith(directory: string, looking: Looking) {
  const [touched, trouble] = [new Set<string>(), new Array<string>()];
  const notifying = listenBelow(directory, looking, {
    leftOut: () => false,
    onTouched: (path) => touched.add(relative(directory, path)),
    onTrouble: (_kind, detail) => trouble.push(detail),
  });
  onTestFinished(() => notifying.close());
  return { notifying, touched, trouble };
}

/** Makes files, and the directories they are in. */
async function put(root: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), name);
  }
}

describe('a file', () => {
  test('that was there is not reported; one that is written, renamed or touched is', async () => {
    const root = scratch();
    await put(root, 'old.jpg', 'a/old.jpg', 'a/b/old.jpg', 'a/touched.jpg');
    const listening = await listenTo(root);
    await put(root, 'new.jpg', 'a/b/new.jpg', 'a/copy.jpg.part');
    await rename(join(root, 'a/copy.jpg.part'), join(root, 'a/copy.jpg'));
    await utimes(join(root, 'a/touched.jpg'), 1, 1);
    const news = ['new.jpg', 'a/b/new.jpg', 'a/copy.jpg', 'a/touched.jpg'];
    await listening.reports(...news);
    expect([...listening.touched].sort()).toEqual([...news].sort());
    expect(listening.trouble).toEqual([]);
  });

  test('that goes away costs no look at the others', async () => {
    const root = scratch();
    const names = Array.from({ length: 300 }, (_, number) => `${number}.jpg`);
    await put(root, ...names);
    const listening = await listenTo(root);
    listening.forget();
    for (const name of names.slice(0, 20)) await rm(join(root, name));
    await put(root, 'last.jpg');
    await listening.reports('last.jpg');
    expect([...listening.touched]).toEqual(['last.jpg']);
    const others = names.slice(20).filter((name) => listening.asked.has(name));
    expect(others).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('with an odd name is reported by it', async () => {
    const root = scratch();
    const listening = await listenTo(root);
    const names = ['a\\b.jpg', 'two\nlines.jpg', ' .jpg', 'é.jpg'];
    for (const name of names) await writeFile(join(root, name), name);
    await listening.reports(...names);
  });

  test.skipIf(process.platform !== 'linux')(
    'whose name is not UTF-8, or that of its directory, is reported by it',
    async () => {
      const root = scratch();
      const listening = await listenTo(root);
      const bytes = (name: string): Buffer => Buffer.from(name, 'latin1');
      const below = (name: string): Buffer => Buffer.concat([Buffer.from(`${root}/`), bytes(name)]);
      const names = ['\xfc.jpg', 'gr\xfcn/1.jpg', 'gr\xfcn/2.jpg'];
      await mkdir(below('gr\xfcn'));
      for (const name of names) {
        await writeFile(below(name), '');
        await listening.reports(decodeName(bytes(name)));
      }
      expect(listening.trouble).toEqual([]);
    },
  );
});

describe('a directory', () => {
  test('that appears is reported with all that is in it, and listened to', async () => {
    const root = scratch();
    const elsewhere = scratch();
    const listening = await listenTo(root);
    await put(root, 'made/1.jpg', 'made/deep/2.jpg');
    await put(elsewhere, 'full/3.jpg', 'full/deep/4.jpg');
    await utimes(join(elsewhere, 'full/3.jpg'), 1, 1);
    await rename(join(elsewhere, 'full'), join(root, 'full'));
    await listening.reports('made/1.jpg', 'made/deep/2.jpg', 'full/3.jpg', 'full/deep/4.jpg');
    await put(root, 'made/5.jpg', 'made/deep/6.jpg', 'full/7.jpg', 'full/deep/8.jpg');
    await listening.reports('made/5.jpg', 'made/deep/6.jpg', 'full/7.jpg', 'full/deep/8.jpg');
    const moved = [...listening.listed].filter((name) => name.startsWith('full')).sort();
    const isTold = process.platform === 'linux';
    expect(moved).toEqual(isTold ? ['full/3.jpg', 'full/deep/4.jpg'] : []);
  });

  test('that is named like an unfinished file is listened to all the same', async () => {
    const root = scratch();
    const listening = await listenTo(root);
    await put(root, 'copy.part/1.jpg', 'copy.part/2.part');
    await listening.reports('copy.part/1.jpg');
    await put(root, 'copy.part/3.jpg');
    await listening.reports('copy.part/3.jpg');
    expect([...listening.touched].sort()).toEqual(['copy.part/1.jpg', 'copy.part/3.jpg']);
  });

  test('that is filled at once is reported whole', async () => {
    const root = scratch();
    const listening = await listenTo(root);
    const names = Array.from({ length: 3_000 }, (_, number) => `in/${number}.jpg`);
    await mkdir(join(root, 'in'));
    await Promise.all(names.map((name) => writeFile(join(root, name), name)));
    await listening.reports(...names);
  });

  test('that is renamed is reported under its new name, and listened to', async () => {
    const root = scratch();
    await put(root, 'a/deep/1.jpg', 'a/2.jpg');
    const listening = await listenTo(root);
    await rename(join(root, 'a'), join(root, 'b'));
    await listening.reports('b/deep/1.jpg', 'b/2.jpg');
    await put(root, 'b/3.jpg', 'b/deep/4.jpg', 'a/5.jpg');
    await listening.reports('b/3.jpg', 'b/deep/4.jpg', 'a/5.jpg');
    await rm(join(root, 'a'), { recursive: true });
    await rename(join(root, 'b'), join(root, 'a'));
    await listening.reports('a/deep/1.jpg', 'a/2.jpg', 'a/3.jpg', 'a/deep/4.jpg');
  });

  test('that is removed and made again at once is listened to', async () => {
    const root = scratch();
    await put(root, 'a/deep/0.jpg');
    const listening = await listenTo(root);
    for (let turn = 1; turn <= 20; turn += 1) {
      await rm(join(root, 'a'), { recursive: true });
      await put(root, `a/${turn}.jpg`, `a/deep/${turn}.jpg`);
      if (turn % 5 === 0) await listening.reports(`a/${turn}.jpg`, `a/deep/${turn}.jpg`);
    }
    listening.forget();
    await put(root, 'a/last.jpg', 'a/deep/last.jpg');
    await listening.reports('a/last.jpg', 'a/deep/last.jpg');
  });

  test('that is removed while it is found, and made again, is listened to', async () => {
    const root = scratch();
    const listening = await listenTo(root);
    const names = Array.from({ length: 200 }, (_, number) => `${number}`);
    for (const name of names) {
      await mkdir(join(root, name));
      await rm(join(root, name), { recursive: true });
      await put(root, `${name}/early.jpg`);
    }
    await listening.reports(...names.map((name) => `${name}/early.jpg`));
    await put(root, ...names.map((name) => `${name}/late.jpg`));
    await listening.reports(...names.map((name) => `${name}/late.jpg`));
  });

  test('that is watched itself, and removed and made again, is listened to', async () => {
    const root = join(scratch(), 'root');
    await put(root, 'a/0.jpg');
    const listening = await listenTo(root);
    for (let turn = 1; turn <= 20; turn += 1) {
      await rm(root, { recursive: true });
      await put(root, `a/${turn}.jpg`);
      await listening.reports(`a/${turn}.jpg`);
    }
  });

  test('that is only touched brings no reports about its files', async () => {
    const root = scratch();
    await put(root, 'a/1.jpg', 'a/deep/2.jpg');
    const listening = await listenTo(root);
    await utimes(join(root, 'a'), 1, 1);
    await utimes(root, 1, 1);
    await put(root, 'a/last.jpg');
    await listening.reports('a/last.jpg');
    expect([...listening.touched]).toEqual(['a/last.jpg']);
  });

  test('that is left out is not listened to', async () => {
    const root = scratch();
    await put(root, 'a.git/1.jpg');
    const listening = await listenTo(root);
    await put(root, 'a.git/2.jpg', 'last.jpg');
    await listening.reports('last.jpg');
    expect([...listening.touched]).toEqual(['last.jpg']);
  });
});

test('what appears while it begins to listen is there for the scan, or reported', async () => {
  const root = scratch();
  await put(root, ...Array.from({ length: 50 }, (_, number) => `${number}/old.jpg`));
  const [touched, names] = [new Set<string>(), new Array<string>()];
  const notifying = createInlineFiles().notify(root, {
    leftOut: () => false,
    onTouched: (path) => touched.add(relative(root, path)),
    onTrouble: () => undefined,
  });
  onTestFinished(() => notifying.close());
  let isReady = false;
  void notifying.ready.then(() => (isReady = true));
  for (let number = 0; number < 50; number += 1) {
    const name = join(`${number}`, 'new.jpg');
    const before = isReady;
    await writeFile(join(root, name), 'new');
    if (before) names.push(name);
  }
  await notifying.ready;
  await writeFile(join(root, 'last.jpg'), 'last');
  await vi.waitFor(
    () => expect([...names, 'last.jpg'].filter((name) => !touched.has(name))).toEqual([]),
    PATIENCE,
  );
});

test.skipIf(process.platform !== 'linux')(
  'however many directories there are, few are listed at the same time',
  async () => {
    const root = scratch();
    await put(root, ...Array.from({ length: 300 }, (_, number) => `${number}/in/1.jpg`));
    const files = createInlineFiles();
    let [now, most, all] = [0, 0, 0];
    const looking: Looking = {
      list: async (path) => {
        now += 1;
        all += 1;
        most = Math.max(most, now);
        const listed = await files.list(path);
        now -= 1;
        return listed;
      },
      look: (path) => Promise.resolve({ type: 'directory', inode: path.length, madeAt: 0 }),
    };
    await listenWith(root, looking).notifying.ready;
    expect(all).toBe(601);
    expect(most).toBeLessThanOrEqual(8);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a directory that cannot be listed for a moment is listened to afterwards, with what came meanwhile',
  async () => {
    const root = scratch();
    await put(root, 'a/1.jpg');
    const files = createInlineFiles();
    let failures = 2;
    const looking: Looking = {
      list: async (path) => {
        if (path === root || failures === 0) return files.list(path);
        failures -= 1;
        return fail('file.busy', { path });
      },
      look: async (path) => ((await files.typeOf(path)) === 'directory' ? SEEN : FILE),
    };
    const { touched } = listenWith(root, looking);
    await vi.waitFor(() => expect([...touched]).toEqual(['a/1.jpg']), PATIENCE);
    await put(root, 'a/2.jpg');
    await vi.waitFor(() => expect(touched).toContain('a/2.jpg'), PATIENCE);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a directory whose event was lost is listened to once a scan has found a file in it',
  async () => {
    const root = scratch();
    await put(root, 'a/1.jpg');
    const files = createInlineFiles();
    let isLost = true;
    const looking: Looking = {
      list: files.list,
      look: async (path) => {
        const type = await files.typeOf(path);
        if (type === 'file') return FILE;
        return type === null || (isLost && path.endsWith('late')) ? null : SEEN;
      },
    };
    const { notifying, touched } = listenWith(root, looking);
    await notifying.ready;
    await put(root, 'a/late/deep/2.jpg', 'a/3.jpg');
    await vi.waitFor(() => expect([...touched]).toEqual(['a/3.jpg']), PATIENCE);
    isLost = false;
    notifying.found?.([join(root, 'a/1.jpg'), join(root, 'a/late/deep/2.jpg')]);
    await vi.waitFor(() => expect(touched).toContain('a/late/deep/2.jpg'), PATIENCE);
    await put(root, 'a/late/4.jpg', 'a/late/deep/5.jpg');
    const late = ['a/late/4.jpg', 'a/late/deep/5.jpg'];
    await vi.waitFor(() => expect([...touched]).toEqual(expect.arrayContaining(late)), PATIENCE);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a directory that cannot be listened to is tried again, but reported once',
  async () => {
    // The system takes no name that is this long.
    const directory = join(scratch(), 'a'.repeat(300));
    let looks = 0;
    const looking: Looking = {
      list: createInlineFiles().list,
      look: () => {
        looks += 1;
        return Promise.resolve(SEEN);
      },
    };
    const { trouble } = listenWith(directory, looking);
    await vi.waitFor(() => expect(looks).toBeGreaterThan(2), PATIENCE);
    expect(trouble).toEqual(['ENAMETOOLONG']);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a file that came while a directory was elsewhere is reported once the directory is back',
  async () => {
    const root = scratch();
    const away = join(scratch(), 'away');
    await put(root, 'a/old.jpg');
    const looking: Looking = {
      list: createInlineFiles().list,
      // It is slow: it looks for the file while the directory is elsewhere, and for the directory when it is back.
      look: (path) => {
        if (path.endsWith('new.jpg')) return Promise.resolve(null);
        return Promise.resolve(path.endsWith('.jpg') ? FILE : SEEN);
      },
    };
    const { notifying, touched } = listenWith(root, looking);
    await notifying.ready;
    await rename(join(root, 'a'), away);
    await writeFile(join(away, 'new.jpg'), 'new');
    await rename(away, join(root, 'a'));
    await vi.waitFor(() => expect(touched).toContain('a/new.jpg'), PATIENCE);
  },
);
