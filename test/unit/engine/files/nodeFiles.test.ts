import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, statfs, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { getSystemErrorName } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  errnoOf,
  listCode,
  readCode,
  writeCode,
  writing,
} from '../../../../main/engine/core/errno.ts';
import { explain } from '../../../../preload/contract/messages.ts';
import { contentHash } from '../../../../main/engine/files/contentHash.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { NO_IMAGES, tinyJpeg } from '../../../helpers/media.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { codeOf, valueOf } from '../../../helpers/results.ts';

const files = createInlineFiles();

async function inspected(path: string) {
  const [result] = await files.inspect([path]);
  if (result === undefined) throw new Error('no answer');
  return result;
}

describe('looking', () => {
  test('a directory is listed with the types of its entries', async () => {
    const directory = scratch();
    writeFileSync(join(directory, 'file.jpg'), 'x');
    mkdirSync(join(directory, 'sub'));
    symlinkSync('file.jpg', join(directory, 'link.jpg'));
    execFileSync('mkfifo', [join(directory, 'pipe.jpg')]);
    const entries = [...valueOf(await files.list(directory))];
    expect(entries.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: 'file.jpg', type: 'file' },
      { name: 'link.jpg', type: 'link' },
      { name: 'pipe.jpg', type: 'other' },
      { name: 'sub', type: 'directory' },
    ]);
    expect(await files.typeOf(join(directory, 'link.jpg'))).toBe('link');
    expect(await files.typeOf(join(directory, 'none'))).toBeNull();
    expect(await files.typeOf(join(directory, 'file.jpg', 'below'))).toBeNull();
    expect(await files.realPath(join(directory, 'link.jpg'))).toBe(
      await files.realPath(join(directory, 'file.jpg')),
    );
    expect(await files.realPath(join(directory, 'none'))).toBeNull();
  });

  test('a stamp distinguishes rewriting, touching and replacing from no change', async () => {
    const path = join(scratch(), 'a.jpg');
    const stamps = new Set<string>();
    const take = async () => stamps.add(valueOf(await files.facts(path)).stamp);
    writeFileSync(path, 'one');
    await take();
    await take();
    expect(stamps.size).toBe(1);
    utimesSync(path, 1, 1);
    await take();
    writeFileSync(`${path}.new`, 'two');
    utimesSync(`${path}.new`, 1, 1);
    renameSync(`${path}.new`, path);
    await take();
    expect(stamps.size).toBe(3);
  });

  test('an old modification time does not hide a recent change', async () => {
    const path = join(scratch(), 'a.jpg');
    writeFileSync(path, 'x');
    utimesSync(path, 1, 1);
    expect(valueOf(await files.facts(path)).touchedAt).toBeGreaterThan(1_600_000_000_000);
    utimesSync(path, 4_102_444_800, 4_102_444_800);
    expect(valueOf(await files.facts(path)).touchedAt).toBe(4_102_444_800_000);
  });

  test('what is no regular file is unsupported, also behind a link', async () => {
    const directory = scratch();
    execFileSync('mkfifo', [join(directory, 'pipe.jpg')]);
    symlinkSync('pipe.jpg', join(directory, 'link.jpg'));
    symlinkSync('loop.jpg', join(directory, 'loop.jpg'));
    for (const name of ['pipe.jpg', 'link.jpg', '.']) {
      expect(codeOf(await files.facts(join(directory, name)))).toBe('item.unsupported');
      expect(codeOf(await inspected(join(directory, name)))).toBe('item.unsupported');
      expect(codeOf(await files.hash(join(directory, name), 'b3'))).toBe('item.unsupported');
    }
    expect(codeOf(await inspected(join(directory, 'loop.jpg')))).toBe('item.link');
    expect(codeOf(await inspected(join(directory, 'none.jpg')))).toBe('item.gone');
    expect(codeOf(await inspected(join(directory, 'a\0b.jpg')))).toBe('item.unreadable');
  });

  test('free space is reported even for a directory that does not exist yet', async () => {
    const free = await files.freeBytes(join(scratch(), 'a', 'b'));
    expect(free).toBeGreaterThan(0);
  });

  test.runIf(process.platform === 'linux')(
    'a file system that does not count its blocks is not taken for a full one',
    async () => {
      expect((await statfs('/proc')).blocks).toBe(0);
      expect(await files.freeBytes('/proc')).toBeNull();
    },
  );
});

describe('inspecting', () => {
  test('an image', async () => {
    const path = join(scratch(), 'a.jpg');
    writeFileSync(path, tinyJpeg(7));
    const found = valueOf(await inspected(path));
    expect(found).toMatchObject({ kind: 'image', truncated: false, sizeBytes: tinyJpeg(7).length });
    expect(found.fingerprint).toBe(`s${found.sizeBytes}-${found.contentHash}`);
    expect(valueOf(await files.hash(path, 'b3'))).toBe(found.contentHash);
  });

  test('a large file: a fingerprint, and no hash yet', async () => {
    const path = join(scratch(), 'a.jpg');
    writeFileSync(path, tinyJpeg(7, 2_000_000));
    const found = valueOf(await inspected(path));
    expect(found).toMatchObject({ kind: 'image', truncated: false, contentHash: null });
    expect(found.fingerprint).toMatch(new RegExp(`^l${found.sizeBytes}-`));
    writeFileSync(path, tinyJpeg(7, 2_000_000).subarray(0, -2));
    expect(valueOf(await inspected(path))).toMatchObject({ kind: 'image', truncated: true });
  });

  test.each(NO_IMAGES)('$name is never taken for a whole image', async ({ name, content }) => {
    const path = join(scratch(), name);
    writeFileSync(path, content);
    const { kind, truncated } = valueOf(await inspected(path));
    expect(kind === null || truncated).toBe(true);
  });

  test('many images, each with its own fingerprint, in order', async () => {
    const directory = scratch();
    const paths = Array.from({ length: 100 }, (_, index) => join(directory, `${index}.jpg`));
    for (const [index, path] of paths.entries()) writeFileSync(path, tinyJpeg(index));
    const results = await files.inspect(paths);
    expect(results.map((result) => valueOf(result).contentHash)).toEqual(
      paths.map((_, index) => contentHash(tinyJpeg(index))),
    );
  });
});

describe('errors of the system', () => {
  const failure = (code: string, errno?: number) =>
    Object.assign(new Error('x'), { code, ...(errno !== undefined && { errno }) });
  test.each([
    ['ENOENT', 'item.gone', 'item.gone', 'disk.failed'],
    ['ENOTDIR', 'item.gone', 'item.unreadable', 'disk.failed'],
    ['EACCES', 'item.unreadable', 'directory.unreadable', 'disk.failed'],
    ['EPERM', 'item.unreadable', 'directory.unreadable', 'disk.failed'],
    ['EIO', 'file.busy', 'file.busy', 'disk.failed'],
    ['UNKNOWN', 'file.busy', 'file.busy', 'disk.failed'],
    ['EHOSTDOWN', 'file.busy', 'file.busy', 'disk.failed'],
    ['EBUSY', 'file.busy', 'file.busy', 'file.busy'],
    ['EMFILE', 'file.busy', 'file.busy', 'system.openFiles'],
    ['ENOSPC', 'item.unreadable', 'directory.unreadable', 'disk.full'],
  ])('%s', (errno, read, list, write) => {
    expect(readCode(failure(errno))).toBe(read);
    expect(listCode(failure(errno))).toBe(list);
    expect(writeCode(failure(errno))).toBe(write);
  });
  const { ESTALE, EDQUOT } = constants.errno;
  test.skipIf(process.platform === 'win32').each([
    ['ESTALE', ESTALE, 'file.busy', 'file.busy', 'disk.failed'],
    ['EDQUOT', EDQUOT, 'item.unreadable', 'directory.unreadable', 'disk.full'],
  ])('%s, as Node states it', (name, errno, read, list, write) => {
    const error = failure(getSystemErrorName(-errno), -errno);
    expect(errnoOf(error)).toBe(name);
    expect(readCode(error)).toBe(read);
    expect(listCode(error)).toBe(list);
    expect(writeCode(error)).toBe(write);
  });
  test('a failed write is explained with its path', async () => {
    const directory = scratch();
    const taken = join(directory, 'taken');
    writeFileSync(taken, 'x');
    const below = await writing(taken, () => mkdir(join(taken, 'files'), { recursive: true }));
    const gone = await writing(taken, () => writeFile(join(directory, 'none', 'a'), 'x'));
    expect([below, gone].map((result) => (result.ok ? '' : explain(result.error).message))).toEqual(
      [
        `Reading from or writing to the disk failed (a file is where a directory belongs: ${taken}).`,
        `Reading from or writing to the disk failed (its directory does not exist: ${taken}).`,
      ],
    );
  });
  test.skipIf(process.platform === 'win32')('a stale drive is reported with its path', async () => {
    const stale = failure(getSystemErrorName(-ESTALE), -ESTALE);
    const result = await writing('out/a.jpg', () => Promise.reject(stale));
    expect(result.ok ? '' : explain(result.error).message).toBe(
      'Reading from or writing to the disk failed (the network drive reports an error: out/a.jpg).',
    );
  });
  test.each([
    ['ENOTCONN', 'is not connected'],
    ['ETIMEDOUT', 'does not answer'],
  ])('a share that is gone is reported with its path: %s', async (errno, said) => {
    const result = await writing('out/a.jpg', () => Promise.reject(failure(errno)));
    expect(result.ok ? '' : explain(result.error).message).toBe(
      `Reading from or writing to the disk failed (the network drive ${said}: out/a.jpg).`,
    );
  });
  test('a full disk is reported with path and name', async () => {
    const result = await writing('out/a.jpg', () => Promise.reject(failure('ENOSPC')));
    expect(result).toMatchObject({
      error: { code: 'disk.full', next: 'wait', context: { path: 'out/a.jpg', errno: 'ENOSPC' } },
    });
  });
});

describe('changing the disk', () => {
  test('files and links are removed, directories never', async () => {
    const directory = scratch();
    const deep = join(directory, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'kept.jpg'), 'x');
    symlinkSync(deep, join(directory, 'link'));
    expect(await files.remove(join(directory, 'link'))).toEqual({ ok: true, value: undefined });
    expect(await files.remove(join(directory, 'none'))).toEqual({ ok: true, value: undefined });
    expect(codeOf(await files.remove(deep))).toBe('disk.failed');
    expect(readdirSync(deep)).toEqual(['kept.jpg']);
  });
});
