import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rmdir, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  disksIn,
  driveAt,
  mountOf,
  mountsBelow,
  mountsIn,
} from '../../../../main/engine/files/mounts.ts';
import { scratch } from '../../../helpers/scratch.ts';

/** A line as the kernel writes it, read as latin1. */
function line(id: number, path: string): string {
  const bytes = Buffer.from(path).toString('latin1');
  return `${id} 1 0:40 / ${bytes} rw,relatime shared:1 - tmpfs tmpfs rw`;
}

const LIST = [
  line(20, '/'),
  line(21, '/media'),
  line(22, '/media/ann/card'),
  line(23, '/media/ann/my\\040card\\134'),
  line(24, '/media/ann/Bücher/a'),
  line(25, '/mediathek'),
  '',
].join('\n');

function numbers(directory: string): readonly string[] {
  return mountsIn(LIST, directory)
    .split('\n')
    .map((one) => one.split(' ')[0] ?? '');
}

test('mounts below a directory are distinguished from those next to and above it', () => {
  expect(numbers('/media')).toEqual(['22', '23', '24']);
  expect(numbers('/media/ann/card')).toEqual(['']);
  expect(numbers('/')).toEqual(['20', '21', '22', '23', '24', '25']);
});

test('paths with spaces, backslashes and letters beyond ASCII are recognized', () => {
  expect(numbers('/media/ann/Bücher')).toEqual(['24']);
  expect(mountsIn(line(1, '/a\\040b\\134/c'), '/a b\\')).not.toBe('');
});

test('disks of this computer below a directory are told from other file systems', () => {
  const disk = (id: number, path: string): string =>
    line(id, path).replace('tmpfs tmpfs', 'vfat /dev/sdb1');
  const list = [
    disk(1, '/media'),
    disk(2, '/media/my\\040card'),
    disk(3, '/media/Bücher\\134'),
    line(4, '/media/memory'),
    disk(5, '/mediathek/card'),
  ].join('\n');
  expect(disksIn(list, '/media')).toEqual(['/media/my card', '/media/Bücher\\']);
});

test.skipIf(process.platform !== 'linux')(
  'this system says what is mounted below its root',
  async () => {
    expect(await mountsBelow('/')).toContain('/proc');
  },
);

test.skipIf(process.platform !== 'linux')(
  'the file system of a path is that of its nearest parent, with links followed',
  async () => {
    expect(await mountOf('/proc/none/at/all')).toEqual({
      path: '/proc/none/at/all',
      mount: '/proc',
    });
    expect(await mountOf('/proc')).toEqual({ path: '/proc', mount: '/proc' });
    expect(await mountOf('/proc/version')).toEqual({ path: '/proc/version', mount: '/proc' });
    expect(await mountOf('/proc/self/none')).toEqual({
      path: `/proc/${process.pid}/none`,
      mount: '/proc',
    });
  },
);

test.skipIf(process.platform !== 'linux')(
  'a link to what is missing is followed to where that was',
  async () => {
    const directory = scratch();
    const link = join(directory, 'photos');
    await symlink('/proc/none/photos', link);
    await mkdir(join(directory, 'a/b'), { recursive: true });
    await symlink('a/b', join(directory, 'inner'));
    await symlink('../../photos/of', join(directory, 'a/b/other'));
    const other = join(directory, 'inner/other');
    expect(await mountOf(join(other, 'a.jpg'))).toEqual({
      path: '/proc/none/photos/of/a.jpg',
      mount: '/proc',
    });
    const loop = `${link}-loop`;
    await symlink(loop, loop);
    expect(await mountOf(join(loop, 'a.jpg'))).toBeNull();
  },
);

test.skipIf(process.platform === 'win32')(
  'a drive is told from another at the same place, and is the same one wherever it is',
  async () => {
    const [one, other] = [join(scratch(), 'one'), join(scratch(), 'other')];
    for (const directory of [one, other]) {
      await mkdir(directory);
      // The system counts time in steps of several ms: in the first one, the last change looks like the making.
      await vi.waitFor(async () => {
        await utimes(directory, 0, 0);
        expect(await driveAt(directory)).not.toBeNull();
      });
    }
    const [first, second] = [await driveAt(one), await driveAt(other)];
    await rename(one, `${one}-moved`);
    expect(await driveAt(`${one}-moved`)).toBe(first);
    await rename(other, one);
    expect(await driveAt(one)).toBe(second);
    expect(first).not.toBe(second);
    expect([await driveAt('/'), await driveAt(other)]).toEqual([null, null]);
  },
);

test.skipIf(!existsSync('/dev/shm'))(
  'a share is not told from another by when its root was made: servers state times that change',
  async () => {
    // Like a share, it is on no block device.
    const directory = await mkdtemp('/dev/shm/sluice-');
    await vi.waitFor(async () => {
      await utimes(directory, 0, 0);
      expect(await driveAt(directory)).not.toBeNull();
    });
    expect(await driveAt(directory, () => Promise.resolve(true))).toBeNull();
    await rmdir(directory);
  },
);
