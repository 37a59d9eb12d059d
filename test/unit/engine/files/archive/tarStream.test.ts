import { execFileSync } from 'node:child_process';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { contentHash } from '../../../../../main/engine/files/contentHash.ts';
import { createInlineFiles } from '../../../../helpers/inlineFiles.ts';
import { bodyBytes } from '../../../../../main/engine/files/read/bodyLayout.ts';
import { tarBytes, tarHeader } from '../../../../../main/engine/files/archive/tarStream.ts';
import type { SourcePlan } from '../../../../../main/engine/core/model.ts';
import { scratch } from '../../../../helpers/scratch.ts';
import { collected, NEVER, PLAIN } from '../scratch.ts';
import { valueOf } from '../../../../helpers/results.ts';

const files = createInlineFiles();
const NAMES = [
  'plain.jpg',
  'x'.repeat(100),
  'x'.repeat(101),
  `${'y'.repeat(251)}.jpg`,
  'früh.jpg',
  '日本語 🎉.png',
  'space and "quotes".jpg',
  'tilde~0a1b2c3d.jpg',
  'ü'.repeat(127),
];
const NOTE = { name: 'notification_config.json', bytes: Buffer.from('{"ingestId":"x"}') };

async function planOf(
  directory: string,
  names: readonly string[],
  extra = [NOTE],
): Promise<SourcePlan> {
  const paths = names.map((_, index) => join(directory, `${index}.bin`));
  for (const [index, path] of paths.entries()) {
    writeFileSync(
      path,
      Buffer.alloc([0, 1, 511, 512, 513, 70_000, 1_100_000][index % 7] ?? 0, index + 1),
    );
    utimesSync(path, 1_700_000_000 + index, 1_700_000_000 + index);
  }
  const found = (await files.inspect(paths)).map(valueOf);
  const entries = found.map(({ sizeBytes, fingerprint }, index) => ({
    name: names[index] ?? '',
    sizeBytes,
    mtimeMs: (1_700_000_000 + index) * 1000 + 999,
    path: paths[index] ?? '',
    fingerprint,
  }));
  return { members: entries, frame: { kind: 'archive', extra } };
}

async function bytesOf(plan: SourcePlan): Promise<Buffer> {
  return collected(files.openSources(plan, PLAIN, NEVER).chunks());
}

async function unpacked(archive: Buffer) {
  const members: { name: string; size: number; seconds: number; sum: string }[] = [];
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader) {
    const pieces: Uint8Array[] = [];
    for await (const piece of entry) if (piece instanceof Uint8Array) pieces.push(piece);
    const { name, size, mtime } = entry.header;
    const sum = contentHash(Buffer.concat(pieces));
    members.push({ name, size, seconds: mtime.getTime() / 1000, sum });
  }
  return members;
}

describe('archives generated while they are read', () => {
  test('are read back by a tar library, byte for byte', async () => {
    const plan = await planOf(scratch(), NAMES);
    const archive = await bytesOf(plan);
    expect(archive.length).toBe(bodyBytes(plan));
    const members = await unpacked(archive);
    expect(members.map(({ name }) => name)).toEqual([...NAMES, NOTE.name]);
    expect(members.at(-1)?.sum).toBe(contentHash(NOTE.bytes));
    for (const [index, member] of plan.members.entries()) {
      expect(members[index]?.sum).toBe(contentHash(readFileSync(member.path)));
      expect(members[index]).toMatchObject({
        size: member.sizeBytes,
        seconds: 1_700_000_000 + index,
      });
    }
  });

  test('are read by the system tar', async () => {
    const directory = scratch();
    const archive = await bytesOf(await planOf(directory, NAMES));
    writeFileSync(join(directory, 'shard.tar'), archive);
    const listed = execFileSync('tar', ['--quoting-style=literal', '-tf', 'shard.tar'], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    expect(listed.trimEnd().split('\n')).toEqual([...NAMES, NOTE.name]);
  });

  test('are the same bytes for the same manifest', async () => {
    const plan = await planOf(scratch(), NAMES, []);
    expect(contentHash(await bytesOf(plan))).toBe(contentHash(await bytesOf(plan)));
    expect((await unpacked(await bytesOf(plan))).length).toBe(NAMES.length);
  });

  test('without members are an empty archive', async () => {
    expect(tarBytes([], [])).toBe(1024);
    const empty: SourcePlan = { members: [], frame: { kind: 'archive', extra: [] } };
    expect(await unpacked(await bytesOf(empty))).toEqual([]);
  });

  test('keep sizes beyond 8 GiB and times beyond all calendars readable', async () => {
    const entry = { name: 'huge.mp4', sizeBytes: 9 * 1024 ** 3, mtimeMs: -5 };
    expect(tarHeader({ ...entry, mtimeMs: 1e18 })).toHaveLength(3 * 512);
    expect(tarBytes([entry], [])).toBe(3 * 512 + entry.sizeBytes + 1024);
    const reader = extract();
    const header = new Promise<{ size: number; mtime: Date }>((resolve) => {
      reader.on('entry', resolve);
    });
    reader.write(tarHeader(entry));
    expect(await header).toMatchObject({ size: 9 * 1024 ** 3, mtime: new Date(0) });
    reader.destroy();
  });
});
