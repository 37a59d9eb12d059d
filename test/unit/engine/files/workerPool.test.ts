import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { contentHash } from '../../../../main/engine/files/contentHash.ts';
import { createFiles } from '../../../../main/engine/files/nodeFiles.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { tarMembers } from '../../../../main/engine/files/archive/tarStream.ts';
import type { SourceMember } from '../../../../main/engine/core/model.ts';
import type { Files } from '../../../../main/engine/core/ports.ts';
import { tinyJpeg } from '../../../helpers/media.ts';
import { codeOf, collected, NEVER, scratchDirectories, valueOf } from './scratch.ts';

const scratch = scratchDirectories();
const opened: Files[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((files) => files.close()));
});

function pooled(worker = '../../../../main/engine/files/pool/fileWorker.ts', workers = 2): Files {
  const files = createFiles({ workerUrl: new URL(worker, import.meta.url), workers });
  opened.push(files);
  return files;
}

const EMPTY = new Uint8Array(0);

async function membersOf(files: Files, paths: readonly string[]): Promise<readonly SourceMember[]> {
  const found = (await files.inspect(paths)).map(valueOf);
  return found.map(({ sizeBytes, fingerprint }, index) => ({
    path: paths[index] ?? '',
    sizeBytes,
    fingerprint,
    prefix: EMPTY,
    suffix: EMPTY,
  }));
}

function images(count: number): readonly string[] {
  const directory = scratch();
  return Array.from({ length: count }, (_, index) => {
    const path = join(directory, `${index}.jpg`);
    writeFileSync(path, tinyJpeg(index));
    return path;
  });
}

describe('worker threads', () => {
  test('answer in the order of the paths, as the inline ones do', async () => {
    const paths = [...images(300)];
    paths.splice(77, 0, join(scratch(), 'none.jpg'));
    const inline = createInlineFiles();
    const files = pooled();
    expect(await files.inspect(paths)).toEqual(await inline.inspect(paths));
    expect(await files.look(paths)).toEqual(await inline.look(paths));
    expect(await files.inspect([])).toEqual([]);
    expect(await files.facts(paths[0] ?? '')).toEqual(await inline.facts(paths[0] ?? ''));
    expect(codeOf(await files.facts(paths[77] ?? ''))).toBe('item.gone');
  });

  test('hash a large file while a stream goes on', async () => {
    const path = join(scratch(), 'a.mp4');
    const content = Buffer.alloc(5_000_003, tinyJpeg(1));
    writeFileSync(path, content);
    const files = pooled(undefined, 1);
    const members = await membersOf(files, [path]);
    const hashing = files.hash(path, 'b3');
    const stream = files.openSources(members, EMPTY, NEVER);
    expect((await collected(stream.chunks)).equals(content)).toBe(true);
    expect(valueOf(await hashing)).toBe(contentHash(content));
    expect(stream.outcome()).toEqual({ kind: 'complete', hashes: [contentHash(content)] });
  });

  test('stream shards side by side, each whole', async () => {
    const files = pooled();
    const shards = await Promise.all(
      [0, 1, 2, 3].map(async (number) => {
        const members = await membersOf(files, images(50 + number));
        const entries = members.map((one, index) => ({ ...one, name: `${index}.jpg`, mtimeMs: 0 }));
        return tarMembers(entries, []);
      }),
    );
    const lengths = shards.map(async ({ members, trailer }) => {
      const stream = files.openSources(members, trailer, NEVER);
      const bytes = await collected(stream.chunks);
      expect(stream.outcome().kind).toBe('complete');
      return bytes.length;
    });
    expect(await Promise.all(lengths)).toEqual(shards.map(({ lengthBytes }) => lengthBytes));
  });

  test('know how the reading ended before the last chunk is handed out', async () => {
    const files = pooled();
    const path = join(scratch(), 'a.mp4');
    writeFileSync(path, Buffer.alloc(3_500_000, 5));
    const stream = files.openSources(await membersOf(files, [path]), EMPTY, NEVER);
    const kinds: string[] = [];
    for await (const chunk of stream.chunks) kinds.push(`${chunk.length} ${stream.outcome().kind}`);
    expect(kinds).toEqual([
      '1048576 reading',
      '1048576 reading',
      '1048576 reading',
      '354272 complete',
    ]);
  });

  test('throw when a source is gone, and the outcome says which', async () => {
    const files = pooled();
    const paths = images(3);
    const members = await membersOf(files, paths);
    rmSync(paths[1] ?? '');
    const stream = files.openSources(members, EMPTY, NEVER);
    await expect(collected(stream.chunks)).rejects.toMatchObject({
      error: { code: 'item.gone', context: { path: paths[1] } },
    });
    expect(stream.outcome()).toEqual({ kind: 'changed', index: 1, code: 'item.gone' });
  });

  test('stop when the signal says so, and when the user leaves early', async () => {
    const files = pooled(undefined, 1);
    const path = join(scratch(), 'a.mp4');
    writeFileSync(path, Buffer.alloc(20_000_000, 5));
    const members = await membersOf(files, [path]);
    const stopper = new AbortController();
    const stream = files.openSources(members, EMPTY, stopper.signal);
    const reading = stream.chunks[Symbol.asyncIterator]();
    await reading.next();
    stopper.abort(new Error('enough'));
    await expect(reading.next()).rejects.toThrow('enough');
    expect(stream.outcome()).toEqual({ kind: 'reading' });
    for await (const chunk of files.openSources(members, EMPTY, NEVER).chunks) {
      expect(chunk.length).toBe(1_048_576);
      break;
    }
    await expect(
      collected(files.openSources(members, EMPTY, AbortSignal.abort(new Error('no'))).chunks),
    ).rejects.toThrow('no');
    // The same worker still serves.
    expect((await files.look([path])).map(({ ok }) => ok)).toEqual([true]);
  });
});

describe('a worker that dies', () => {
  test('costs only the file that killed it', async () => {
    const files = pooled('./dyingWorker.ts');
    const paths = Array.from({ length: 12 }, (_, index) => `file-${index}`);
    paths[3] = 'poison';
    const results = await files.inspect(paths);
    expect(results).toHaveLength(12);
    for (const [index, result] of results.entries()) {
      const expected = index === 3 ? 'item.unreadable' : 'no failure';
      expect(codeOf(result)).toBe(expected);
    }
    expect(codeOf(await files.hash('poison', 'b3'))).toBe('item.unreadable');
    expect(valueOf(await files.hash('fine', 'b3'))).toBe('fine');
  });

  test('breaks its stream with an error that is tried again', async () => {
    const files = pooled('./dyingWorker.ts');
    const stream = files.openSources([], Buffer.from('x'), NEVER);
    await expect(collected(stream.chunks)).rejects.toMatchObject({
      error: { code: 'file.busy', next: 'retry' },
    });
    expect(stream.outcome()).toEqual({ kind: 'reading' });
  });

  test('at every start is given up, and nothing hangs', async () => {
    const files = pooled('./no-such-worker.ts');
    const codes = new Set((await files.inspect(images(40))).map(codeOf));
    expect([...codes]).toEqual(['file.busy']);
    expect(codeOf(await files.hash('x', 'b3'))).toBe('file.busy');
    const stream = files.openSources([], Buffer.from('x'), NEVER);
    await expect(collected(stream.chunks)).rejects.toMatchObject({ error: { code: 'file.busy' } });
  });

  test('by closing answers whoever still waits', async () => {
    const files = pooled();
    const waiting = files.inspect(images(500));
    await files.close();
    expect(await waiting).toHaveLength(500);
    expect(codeOf(await files.hash('x', 'b3'))).toBe('file.busy');
  });
});
