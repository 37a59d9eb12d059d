/** A user's file is moved completely or not at all, and what another program writes in its place meanwhile stays. */
import fs, {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { moveFile } from '../../../../../main/engine/files/write/moveFile.ts';
import { scratch } from '../../../../helpers/scratch.ts';
import { codeOf, valueOf } from '../../../../helpers/results.ts';

type Calls = Pick<typeof fs.promises, 'access' | 'open' | 'link'>;

/** A file and the place it moves to, while calls of the system do what a test says. */
function scene(given: (calls: Calls, from: string) => Partial<Calls>) {
  const directory = scratch();
  const from = join(directory, 'a.jpg');
  const to = join(directory, 'moved', 'a.jpg');
  writeFileSync(from, 'the file');
  const { access, open, link } = fs.promises;
  const calls = { access, open, link };
  Object.assign(fs.promises, given(calls, from));
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs.promises, calls);
    syncBuiltinESMExports();
  });
  return { from, to, part: `${to}.part`, moved: join(directory, 'moved') };
}

/** The place is on another disk. */
const otherDisk = ({ link }: Calls, from: string): Pick<Calls, 'link'> => ({
  link: async (one, other) => {
    if (String(one) === from) throw Object.assign(new Error('another disk'), { code: 'EXDEV' });
    await link(one, other);
  },
});

/** Changes the file that a copy is written to. */
const copying = ({ open }: Calls, change: (copy: fs.promises.FileHandle) => void) => ({
  open: async (...given: Parameters<typeof open>) => {
    const handle = await open(...given);
    if (given[1] === 'wx') change(handle);
    return handle;
  },
});

function replace(path: string): void {
  writeFileSync(`${path}.new`, 'a newer file');
  renameSync(`${path}.new`, path);
}

test('a file on another disk keeps its content, times and mode, and an interrupted copy is replaced', async () => {
  const { from, to, part, moved } = scene(otherDisk);
  utimesSync(from, 1_000_000, 1_000_000);
  chmodSync(from, 0o444);
  fs.mkdirSync(moved);
  writeFileSync(part, 'half');
  valueOf(await moveFile(from, to, part));
  expect(readFileSync(to, 'utf8')).toBe('the file');
  expect(statSync(to)).toMatchObject({ mtimeMs: 1_000_000_000, mode: 0o100444 });
  expect([existsSync(from), readdirSync(moved)]).toEqual([false, ['a.jpg']]);
});

test('a file on another disk keeps its time to the microsecond', async () => {
  const { from, to, part } = scene(otherDisk);
  utimesSync(from, 1_000_000, 1_600_000_000.123456);
  const { mtimeNs } = statSync(from, { bigint: true });
  valueOf(await moveFile(from, to, part));
  const shift = Number(statSync(to, { bigint: true }).mtimeNs - mtimeNs);
  expect(Math.abs(shift)).toBeLessThan(1_000);
});

test('a file that is replaced while it is copied stays, and the copy is discarded', async () => {
  const { from, to, part, moved } = scene((calls, path) => ({
    ...otherDisk(calls, path),
    ...copying(calls, (copy) => {
      const sync = copy.sync.bind(copy);
      copy.sync = () => sync().then(() => replace(path));
    }),
  }));
  expect(codeOf(await moveFile(from, to, part))).toBe('item.changed');
  expect(readFileSync(from, 'utf8')).toBe('a newer file');
  expect(readdirSync(moved)).toEqual([]);
});

test('a disk without modes, such as FAT, takes the file with its times', async () => {
  const { from, to, part } = scene((calls, path) => ({
    ...otherDisk(calls, path),
    ...copying(calls, (copy) => {
      copy.chmod = () => Promise.reject(Object.assign(new Error('no modes'), { code: 'EPERM' }));
    }),
  }));
  utimesSync(from, 1_000_000, 1_000_000);
  valueOf(await moveFile(from, to, part));
  expect([readFileSync(to, 'utf8'), statSync(to).mtimeMs]).toEqual(['the file', 1_000_000_000]);
});

test('a new file that takes the place of the moved one stays', async () => {
  const { from, to, part } = scene(({ link }, path) => ({
    link: async (...given) => {
      await link(...given);
      replace(path);
    },
  }));
  valueOf(await moveFile(from, to, part));
  expect(readFileSync(from, 'utf8')).toBe('a newer file');
  expect(readFileSync(to, 'utf8')).toBe('the file');
});

test('an existing file is never replaced by a copy', async () => {
  const { from, to, part, moved } = scene(otherDisk);
  fs.mkdirSync(moved);
  writeFileSync(to, 'another file');
  expect(codeOf(await moveFile(from, to, part))).toBe('item.changed');
  expect(readFileSync(to, 'utf8')).toBe('another file');
  expect([readFileSync(from, 'utf8'), readdirSync(moved)]).toEqual(['the file', ['a.jpg']]);
});

test('from a disk that is read-only nothing is copied', async () => {
  const { from, to, part, moved } = scene((calls, path) => ({
    ...otherDisk(calls, path),
    access: () => Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' })),
  }));
  const error = { code: 'disk.failed', context: { path: dirname(from) } };
  expect(await moveFile(from, to, part)).toMatchObject({ error });
  expect([readFileSync(from, 'utf8'), existsSync(moved)]).toEqual(['the file', false]);
});

test('a relative link leads to the same file after it was moved, and again after it was moved back', async () => {
  const directory = scratch();
  const from = join(directory, 'watched', 'link.jpg');
  const to = join(directory, 'moved', 'deep', 'link.jpg');
  mkdirSync(join(directory, 'watched'));
  writeFileSync(join(directory, 'a.jpg'), 'the file');
  symlinkSync('../a.jpg', from);
  valueOf(await moveFile(from, to, `${to}.part`));
  expect(existsSync(from)).toBe(false);
  expect(readFileSync(to, 'utf8')).toBe('the file');
  valueOf(await moveFile(to, from, `${from}.part`));
  expect(readlinkSync(from)).toBe('../a.jpg');
});

test('a link does not replace what has its name at the new place', async () => {
  const directory = scratch();
  const from = join(directory, 'link.jpg');
  const to = join(directory, 'moved', 'link.jpg');
  mkdirSync(join(directory, 'moved'));
  writeFileSync(join(directory, 'a.jpg'), 'the file');
  writeFileSync(to, 'another');
  symlinkSync('a.jpg', from);
  expect(codeOf(await moveFile(from, to, `${to}.part`))).toBe('item.changed');
  expect(readFileSync(to, 'utf8')).toBe('another');
  expect(readlinkSync(from)).toBe('a.jpg');
});
