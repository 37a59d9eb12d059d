/** What was inspected is sent without being read again, unless the file was touched. */
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { SourceMember } from '../../../../../main/engine/core/model.ts';
import { inspectFile } from '../../../../../main/engine/files/read/inspectFile.ts';
import {
  RECENT_FILE_BYTES,
  takeRecent,
} from '../../../../../main/engine/files/read/recentFiles.ts';
import { temporaryDirectory } from '../../../../helpers/ledger.ts';
import { tinyJpeg } from '../../../../helpers/media.ts';

/** How long ago the files were written, as far as the engine can tell. */
let ageMs = 0;
beforeEach(() => {
  ageMs = 60_000;
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ageMs);
});

/** Writes a file and inspects it, as identifying does. */
function inspected(directory: string, name: string, content: Buffer): SourceMember {
  const path = join(directory, name);
  writeFileSync(path, content);
  return inspectedAt(path);
}

function inspectedAt(path: string, inspect = inspectFile): SourceMember {
  const found = inspect(path, 'b3');
  if (!found.ok) throw new Error(found.error.code);
  const { fingerprint, sizeBytes } = found.value;
  return { name: 'x.jpg', path, sizeBytes, mtimeMs: 0, fingerprint };
}

test('a file that was just inspected is handed out once, with its hash', () => {
  const content = tinyJpeg(1, 20_000);
  const member = inspected(temporaryDirectory(), 'a.jpg', content);
  const recent = takeRecent(member);
  expect(Buffer.from(recent?.bytes ?? []).equals(content)).toBe(true);
  expect(`s${content.length}-${recent?.hash}`).toBe(member.fingerprint);
  expect(takeRecent(member)).toBeNull();
});

describe('nothing is handed out', () => {
  it.each<[string, (path: string) => void]>([
    ['was written to', (path) => writeFileSync(path, tinyJpeg(2, 20_000))],
    ['was touched', (path) => utimesSync(path, 1, 1)],
    ['got another link', (path) => linkSync(path, `${path}.link`)],
    ['is gone', (path) => rmSync(path)],
    [
      'was replaced by a copy',
      (path) => {
        writeFileSync(`${path}.new`, readFileSync(path));
        renameSync(`${path}.new`, path);
      },
    ],
    [
      'is a directory now',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('of a file that %s', (_, change) => {
    const member = inspected(temporaryDirectory(), 'a.jpg', tinyJpeg(1, 20_000));
    change(member.path);
    expect(takeRecent(member)).toBeNull();
  });

  it('of a file that was identified with other content', () => {
    const directory = temporaryDirectory();
    const other = inspected(directory, 'b.jpg', tinyJpeg(2, 20_000));
    const member = inspected(directory, 'a.jpg', tinyJpeg(1, 20_000));
    expect(takeRecent({ ...member, fingerprint: other.fingerprint })).toBeNull();
  });

  it('of a file that was written so recently that its stamp may hide another write', () => {
    ageMs = 1_000;
    const member = inspected(temporaryDirectory(), 'a.jpg', tinyJpeg(1, 20_000));
    expect(takeRecent(member)).toBeNull();
  });

  it('of a large file', () => {
    const member = inspected(temporaryDirectory(), 'a.jpg', tinyJpeg(1, RECENT_FILE_BYTES + 1));
    expect(takeRecent(member)).toBeNull();
  });
});

test('a file that is inspected again is as it is now', () => {
  const directory = temporaryDirectory();
  inspected(directory, 'a.jpg', tinyJpeg(1, 20_000));
  const content = tinyJpeg(2, 10_000);
  const member = inspected(directory, 'a.jpg', content);
  expect(Buffer.from(takeRecent(member)?.bytes ?? []).equals(content)).toBe(true);
});

test('the oldest files stay until they are taken, or for ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.resetModules();
  const uptime = vi.spyOn(process, 'uptime').mockReturnValue(100);
  const pass = (ms: number): void => {
    uptime.mockReturnValue(process.uptime() + ms / 1000);
    vi.advanceTimersByTime(ms);
  };
  try {
    // Without what the tests above left.
    const read = '../../../../../main/engine/files/read';
    const { inspectFile: inspect } = await import(`${read}/inspectFile.ts`);
    const { takeRecent: take } = await import(`${read}/recentFiles.ts`);
    const isKept = (member: SourceMember): boolean => take(member) !== null;
    const directory = temporaryDirectory();
    const paths = Array.from({ length: 200 }, (_, index) => {
      const path = join(directory, `${index}.jpg`);
      writeFileSync(path, tinyJpeg(index, 60_000));
      return path;
    });
    const look = (path: string): SourceMember => inspectedAt(path, inspect);
    // 17 fit into a block of 1 MiB; there are 8 of them.
    const fits = paths.map((_, index) => index < 17 * 8);
    expect(paths.map(look).map(isKept)).toEqual(fits);
    const members = paths.map(look);
    const inBlock = (from: number): readonly SourceMember[] =>
      members.slice(from * 17, from * 17 + 17);
    const late = members.slice(-18);
    // A block whose files were all taken is used again.
    pass(5_000);
    expect(inBlock(0).every(isKept)).toBe(true);
    const again = late.map(({ path }) => look(path));
    expect(again.map(isKept)).toEqual(again.map((_, index) => index < 17));
    for (const { path } of late.slice(0, 17)) look(path);
    // Then the oldest makes room.
    pass(5_001);
    const [newest = expect.fail()] = late.slice(17);
    expect(isKept(look(newest.path))).toBe(true);
    expect(inBlock(1).some(isKept)).toBe(false);
    expect(inBlock(2).every(isKept)).toBe(true);
    pass(10_000);
    expect(inBlock(3).some(isKept)).toBe(false);
  } finally {
    vi.useRealTimers();
    uptime.mockRestore();
  }
});
