import {
  appendFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  closeSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentHash } from '../../../../../main/engine/files/contentHash.ts';
import { inspectFile } from '../../../../../main/engine/files/read/inspectFile.ts';
import { bodyBytes } from '../../../../../main/engine/files/read/bodyLayout.ts';
import { createMemories } from '../../../../../main/engine/files/read/memories.ts';
import { readSources } from '../../../../../main/engine/files/read/sourceReader.ts';
import type {
  SourceMember,
  SourceOutcome,
  SourcePlan,
} from '../../../../../main/engine/core/model.ts';
import { scratch } from '../../../../helpers/scratch.ts';
import { valueOf } from '../../../../helpers/results.ts';

const MIB = 1024 * 1024;
const PATTERN = Buffer.from(Uint8Array.from({ length: 9973 }, (_, index) => (index * index) >> 5));

/** Bytes with a prime period, so that no two ranges at round offsets are equal. */
function contentOf(length: number, seed: number): Buffer {
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, PATTERN.subarray(seed));
}

function member(path: string): SourceMember {
  const { sizeBytes, fingerprint } = valueOf(inspectFile(path, 'b3'));
  return { path, sizeBytes, fingerprint, name: 'a.jpg', mtimeMs: 0 };
}

const FRAME = {
  kind: 'form',
  prefix: Buffer.from('<before>'),
  suffix: Buffer.from('</>'),
} as const;

function framed(...contents: readonly Buffer[]): Buffer {
  return Buffer.concat(contents.flatMap((content) => [FRAME.prefix, content, FRAME.suffix]));
}

interface Read {
  readonly bytes: Buffer;
  readonly outcome: SourceOutcome;
  readonly chunks: number;
}

/** Reads everything; calls `meddle` before each chunk with its number. */
async function readAll(
  plan: SourcePlan,
  meddle: (chunk: number) => void = () => undefined,
): Promise<Read> {
  const pieces: Uint8Array[] = [];
  let outcome: SourceOutcome = { kind: 'reading' };
  const reading = readSources(plan, (end) => (outcome = end), createMemories());
  for (;;) {
    meddle(pieces.length);
    const before = outcome;
    const step = await reading.next();
    if (step.done === true) break;
    // After the outcome is reported, nothing comes except the one chunk that it was reported with.
    expect(before).toEqual({ kind: 'reading' });
    // Copied, because its memory is reused.
    pieces.push(Uint8Array.from(step.value));
  }
  return { bytes: Buffer.concat(pieces), outcome, chunks: pieces.length };
}

/** Reads the files alone, one after the other, with a frame around each. */
const readForms = (members: readonly SourceMember[], meddle?: (chunk: number) => void) =>
  readAll({ members, frame: FRAME }, meddle);
const readBare = (members: readonly SourceMember[]) =>
  readAll({ members, frame: { kind: 'bare' } });

describe('a stream of sources', () => {
  test.each([0, 1, 100, MIB - 1, MIB, MIB + 1, 2 * MIB, 2 * MIB + 5, 3 * MIB])(
    'of one file of %i bytes is exact, alone and in a frame',
    async (length) => {
      const path = join(scratch(), 'a.jpg');
      const content = contentOf(length, 1);
      writeFileSync(path, content);
      const one = member(path);
      const outcome = { kind: 'complete', hashes: [contentHash(content)] };
      const bare = await readBare([one]);
      expect(bare.bytes.equals(content)).toBe(true);
      expect(bare.outcome).toEqual(outcome);
      const form = await readForms([one]);
      expect(form.bytes.equals(framed(content))).toBe(true);
      expect(form.outcome).toEqual(outcome);
      expect(bodyBytes({ members: [one], frame: FRAME })).toBe(form.bytes.length);
    },
  );

  test('uses few memories, and a chunk stays as it is until the second one after it', async () => {
    const directory = scratch();
    const members = Array.from({ length: 60 }, (_, index) => {
      const path = join(directory, `${index}.jpg`);
      writeFileSync(path, contentOf(index % 10 === 0 ? 3 * MIB : 400_000, index));
      return member(path);
    });
    const memories = new Set<ArrayBufferLike>();
    const turns = createMemories();
    const held: { readonly chunk: Uint8Array; readonly copy: Uint8Array }[] = [];
    const plan = { members, frame: FRAME };
    for await (const chunk of readSources(plan, () => undefined, turns)) {
      memories.add(chunk.buffer);
      held.push({ chunk, copy: Uint8Array.from(chunk) });
      for (const one of held.slice(-2)) expect(Buffer.compare(one.chunk, one.copy)).toBe(0);
    }
    // Three for small files, and three for the blocks of large ones.
    expect(memories.size).toBe(3 + 3);
    // The next body reads into the same buffers.
    turns.release();
    const next = createMemories();
    for await (const chunk of readSources(plan, () => undefined, next)) {
      memories.add(chunk.buffer);
    }
    expect(memories.size).toBe(3 + 3);
  });

  test('splits what surrounds its files if that is longer than a chunk', async () => {
    const path = join(scratch(), 'a.jpg');
    writeFileSync(path, contentOf(500, 1));
    const bytes = contentOf(1_000_000, 2);
    const frame = { kind: 'archive', extra: [{ name: 'notes', bytes }] } as const;
    const plan = { members: [member(path)], frame };
    const read = await readAll(plan);
    expect(read.bytes.length).toBe(bodyBytes(plan));
    expect(read.bytes.includes(bytes)).toBe(true);
  });

  test.each([500, 2 * MIB])(
    'that was planned by its SHA-256 is verified by it (%i bytes)',
    async (length) => {
      const path = join(scratch(), 'a.jpg');
      const content = contentOf(length, 1);
      writeFileSync(path, content);
      const found = valueOf(inspectFile(path, 'sha256'));
      const planned = { ...member(path), fingerprint: found.fingerprint };
      const hashes = [contentHash(content, 'sha256')];
      expect((await readBare([planned])).outcome).toEqual({ kind: 'complete', hashes });
      writeFileSync(path, contentOf(length, 2));
      expect((await readBare([planned])).outcome.kind).toBe('changed');
    },
  );

  test('of many files keeps their order', async () => {
    const directory = scratch();
    const contents = Array.from({ length: 40 }, (_, index) =>
      contentOf(index * 3001 + (index === 20 ? 2 * MIB : 0), index),
    );
    const members = contents.map((content, index) => {
      const path = join(directory, `${index}.jpg`);
      writeFileSync(path, content);
      return member(path);
    });
    const { bytes, outcome } = await readForms(members);
    expect(bytes.equals(framed(...contents))).toBe(true);
    expect(outcome.kind === 'complete' && outcome.hashes.length).toBe(40);
  });

  test('of nothing is complete without a chunk', async () => {
    expect(await readBare([])).toMatchObject({
      outcome: { kind: 'complete', hashes: [] },
      chunks: 0,
    });
  });

  test('does not hand out a byte of a small file that is not what was identified', async () => {
    const directory = scratch();
    const members = ['a.jpg', 'b.jpg'].map((name, index) => {
      writeFileSync(join(directory, name), contentOf(100_000, index));
      return member(join(directory, name));
    });
    writeFileSync(join(directory, 'b.jpg'), contentOf(100_000, 9));
    const { bytes, outcome } = await readForms(members);
    expect(outcome).toEqual({ kind: 'changed', index: 1, code: 'item.changed' });
    // The chunk with the first file was still held back.
    expect(bytes.length).toBe(0);
  });

  test('refuses what is no regular file, and never waits for a pipe', async () => {
    const directory = scratch();
    const path = join(directory, 'a.jpg');
    writeFileSync(path, '');
    const one = member(path);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    expect((await readForms([one])).outcome).toMatchObject({
      kind: 'changed',
      code: 'item.changed',
    });
    rmSync(path);
    mkdirSync(path);
    expect((await readForms([one])).outcome).toMatchObject({ kind: 'changed' });
    rmSync(path, { recursive: true });
    expect((await readForms([one])).outcome).toEqual({
      kind: 'changed',
      index: 0,
      code: 'item.gone',
    });
  });

  test('closes its file when it is left early', async () => {
    const path = join(scratch(), 'a.mp4');
    writeFileSync(path, contentOf(3 * MIB, 1));
    const probe = (): number => {
      const fd = openSync(path, 'r');
      closeSync(fd);
      return fd;
    };
    const free = probe();
    const plan: SourcePlan = { members: [member(path)], frame: { kind: 'bare' } };
    const reading = readSources(plan, () => undefined, createMemories());
    await reading.next();
    expect(probe()).not.toBe(free);
    await reading.return();
    expect(probe()).toBe(free);
  });
});

/** What may happen to a source while it is read; the changes keep no file open. */
const CHANGES: Readonly<Record<string, (path: string, size: number) => void>> = {
  grows: (path) => appendFileSync(path, 'more'),
  shrinks: (path, size) => truncateSync(path, Math.max(0, size - 1)),
  'is emptied': (path) => truncateSync(path, 0),
  'is overwritten at its start': (path) => overwrite(path, 0),
  'is overwritten at its end': (path, size) => overwrite(path, size - 1),
  'is overwritten between the samples, its time put back': (path, size) => {
    overwrite(path, Math.floor(size / 2));
    utimesSync(path, 1, 1);
  },
  'is replaced by rename': (path, size) => {
    writeFileSync(`${path}.new`, contentOf(size, 99));
    renameSync(`${path}.new`, path);
  },
  'is deleted': (path) => rmSync(path),
  'is renamed': (path) => renameSync(path, `${path}.moved`),
};

function overwrite(path: string, at: number): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, Buffer.from([0xee]), 0, 1, at);
  closeSync(fd);
}

describe.each(Object.keys(CHANGES))('a source that %s while it is read', (name) => {
  test.each([
    ['small', 300_000],
    ['just small', MIB],
    ['large', 2 * MIB + 77],
  ])('%s: never leads to a complete stream of wrong bytes', async (_, size) => {
    const directory = scratch();
    const change = CHANGES[name] ?? (() => undefined);
    await fc.assert(
      fc.asyncProperty(fc.nat(1), fc.nat(4), async (victim, at) => {
        const paths = ['a.jpg', 'b.jpg'].map((file) => join(directory, file));
        const contents = paths.map((path, index) => {
          const content = contentOf(index === victim ? size : 60_000, index);
          writeFileSync(path, content);
          return content;
        });
        const members = paths.map((path) => member(path));
        const read = await readForms(members, (chunk) => {
          if (chunk === at) change(paths[victim] ?? '', size);
        });
        if (read.outcome.kind === 'complete') {
          // A change between the samples, before the file was opened: the new content was sent, completely.
          const sent =
            name.includes('between') && at === 0
              ? paths.map((path) => readFileSync(path))
              : contents;
          expect(read.bytes.equals(framed(...sent))).toBe(true);
          expect(read.outcome.hashes).toEqual(sent.map((bytes) => contentHash(bytes)));
        } else {
          expect(read.outcome).toMatchObject({ kind: 'changed', index: victim });
          expect(read.bytes.length).toBeLessThan(bodyBytes({ members, frame: FRAME }));
        }
      }),
      { numRuns: 4 },
    );
  });

  test('before the first byte: is noticed wherever the fingerprint samples', async () => {
    const path = join(scratch(), 'a.jpg');
    writeFileSync(path, contentOf(1_500_000, 1));
    const one = member(path);
    CHANGES[name]?.(path, 1_500_000);
    const { outcome } = await readForms([one]);
    // Between the samples only the stamp reveals it; the outcome's hash says what was really sent.
    const expected = name.includes('between') ? 'complete' : 'changed';
    expect(outcome.kind).toBe(expected);
  });
});
