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
import { readSources, streamLength } from '../../../../../main/engine/files/read/sourceReader.ts';
import type { SourceMember, SourceOutcome } from '../../../../../main/engine/core/model.ts';
import { scratchDirectories, valueOf } from '../scratch.ts';

const scratch = scratchDirectories();
const MIB = 1024 * 1024;
const PATTERN = Buffer.from(Uint8Array.from({ length: 9973 }, (_, index) => (index * index) >> 5));

/** Bytes that repeat after a prime number, so that no two stretches at round places are alike. */
function contentOf(length: number, seed: number): Buffer {
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, PATTERN.subarray(seed));
}

function member(path: string, prefix = '', suffix = ''): SourceMember {
  const { sizeBytes, fingerprint } = valueOf(inspectFile(path, 'b3'));
  return { path, sizeBytes, fingerprint, prefix: Buffer.from(prefix), suffix: Buffer.from(suffix) };
}

interface Read {
  readonly bytes: Buffer;
  readonly outcome: SourceOutcome;
  readonly steps: number;
}

/** Reads everything; `meddle` is called before each step with its number. */
function readAll(
  members: readonly SourceMember[],
  trailer: Uint8Array,
  meddle: (step: number) => void = () => undefined,
): Read {
  const pieces: Uint8Array[] = [];
  let outcome: SourceOutcome = { kind: 'reading' };
  const reading = readSources(members, trailer);
  let steps = 0;
  for (;;) {
    meddle(steps);
    const step = reading.next();
    if (step.done) break;
    expect(outcome).toEqual({ kind: 'reading' });
    outcome = step.value.outcome;
    if (step.value.bytes !== null) pieces.push(step.value.bytes);
    steps += 1;
  }
  return { bytes: Buffer.concat(pieces), outcome, steps };
}

describe('a stream of sources', () => {
  test.each([0, 1, 100, MIB - 1, MIB, MIB + 1, 2 * MIB, 2 * MIB + 5, 3 * MIB])(
    'of one file of %i bytes is exact, and every chunk has its own memory',
    (length) => {
      const path = join(scratch(), 'a.jpg');
      const content = contentOf(length, 1);
      writeFileSync(path, content);
      for (const trailer of [Buffer.alloc(0), Buffer.from('trailer')]) {
        const one = member(path, 'before', 'after');
        const { bytes, outcome } = readAll([one], trailer);
        expect(
          bytes.equals(
            Buffer.concat([Buffer.from('before'), content, Buffer.from('after'), trailer]),
          ),
        ).toBe(true);
        expect(outcome).toEqual({ kind: 'complete', hashes: [contentHash(content)] });
        expect(streamLength([one], trailer)).toBe(bytes.length);
      }
      const memories = [...readSources([member(path)], Buffer.alloc(0))].flatMap(({ bytes }) =>
        bytes === null ? [] : [bytes.buffer],
      );
      expect(new Set(memories).size).toBe(memories.length);
      expect(memories.every((memory) => memory.byteLength <= MIB)).toBe(true);
    },
  );

  test.each([500, 2 * MIB])(
    'that was planned by its SHA-256 is verified by it (%i bytes)',
    (length) => {
      const path = join(scratch(), 'a.jpg');
      const content = contentOf(length, 1);
      writeFileSync(path, content);
      const found = valueOf(inspectFile(path, 'sha256'));
      const planned = { ...member(path), fingerprint: found.fingerprint };
      const hashes = [contentHash(content, 'sha256')];
      expect(readAll([planned], Buffer.alloc(0)).outcome).toEqual({ kind: 'complete', hashes });
      writeFileSync(path, contentOf(length, 2));
      expect(readAll([planned], Buffer.alloc(0)).outcome.kind).toBe('changed');
    },
  );

  test('of many files keeps their order', () => {
    const directory = scratch();
    const members = Array.from({ length: 40 }, (_, index) => {
      const path = join(directory, `${index}.jpg`);
      writeFileSync(path, contentOf(index * 3001 + (index === 20 ? 2 * MIB : 0), index));
      return member(path, `<${index}>`, '</>');
    });
    const { bytes, outcome } = readAll(members, Buffer.from('end'));
    expect(bytes.length).toBe(streamLength(members, Buffer.from('end')));
    expect(bytes.subarray(-3).toString()).toBe('end');
    expect(outcome.kind === 'complete' && outcome.hashes.length).toBe(40);
  });

  test('of nothing is complete without a chunk', () => {
    expect(readAll([], new Uint8Array(0))).toMatchObject({
      outcome: { kind: 'complete', hashes: [] },
      steps: 1,
    });
  });

  test('does not hand out a byte of a small file that is not what was identified', () => {
    const directory = scratch();
    const members = ['a.jpg', 'b.jpg'].map((name, index) => {
      writeFileSync(join(directory, name), contentOf(MIB, index));
      return member(join(directory, name));
    });
    writeFileSync(join(directory, 'b.jpg'), contentOf(MIB, 9));
    const { bytes, outcome } = readAll(members, Buffer.alloc(10));
    expect(outcome).toEqual({ kind: 'changed', index: 1, code: 'item.changed' });
    // The first file's only chunk was still held back.
    expect(bytes.length).toBe(0);
  });

  test('refuses what is no regular file, and never waits for a pipe', () => {
    const directory = scratch();
    const path = join(directory, 'a.jpg');
    writeFileSync(path, '');
    const one = member(path);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    expect(readAll([one], Buffer.alloc(1)).outcome).toMatchObject({
      kind: 'changed',
      code: 'item.changed',
    });
    rmSync(path);
    mkdirSync(path);
    expect(readAll([one], Buffer.alloc(1)).outcome).toMatchObject({ kind: 'changed' });
    rmSync(path, { recursive: true });
    expect(readAll([one], Buffer.alloc(1)).outcome).toEqual({
      kind: 'changed',
      index: 0,
      code: 'item.gone',
    });
  });

  test('closes its file when it is left early', () => {
    const path = join(scratch(), 'a.mp4');
    writeFileSync(path, contentOf(3 * MIB, 1));
    const probe = (): number => {
      const fd = openSync(path, 'r');
      closeSync(fd);
      return fd;
    };
    const free = probe();
    const reading = readSources([member(path)], Buffer.alloc(0));
    reading.next();
    expect(probe()).not.toBe(free);
    reading.return();
    expect(probe()).toBe(free);
  });
});

/** What may happen to a source while it is read; the meddling keeps nothing open. */
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

const TRAILER = Buffer.from('trailer');

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
  ])('%s: never leads to a complete stream of wrong bytes', (_, size) => {
    const directory = scratch();
    const change = CHANGES[name] ?? (() => undefined);
    fc.assert(
      fc.property(fc.nat(1), fc.nat(4), (victim, at) => {
        const paths = ['a.jpg', 'b.jpg'].map((file) => join(directory, file));
        const contents = paths.map((path, index) => {
          const content = contentOf(index === victim ? size : 60_000, index);
          writeFileSync(path, content);
          return content;
        });
        const members = paths.map((path) => member(path));
        const read = readAll(members, TRAILER, (step) => {
          if (step === at) change(paths[victim] ?? '', size);
        });
        if (read.outcome.kind === 'complete') {
          // A change between the samples before the file was opened: what was sent is the new content, whole.
          const sent =
            name.includes('between') && at === 0
              ? paths.map((path) => readFileSync(path))
              : contents;
          expect(read.bytes.equals(Buffer.concat([...sent, TRAILER]))).toBe(true);
          expect(read.outcome.hashes).toEqual(sent.map((bytes) => contentHash(bytes)));
        } else {
          expect(read.outcome).toMatchObject({ kind: 'changed', index: victim });
          expect(read.bytes.length).toBeLessThan(streamLength(members, TRAILER));
        }
      }),
      { numRuns: 4 },
    );
  });

  test('before the first byte: is noticed wherever the fingerprint looks', () => {
    const path = join(scratch(), 'a.jpg');
    writeFileSync(path, contentOf(1_500_000, 1));
    const one = member(path);
    CHANGES[name]?.(path, 1_500_000);
    const { outcome } = readAll([one], Buffer.alloc(5));
    // Between the samples only the stamp tells; the outcome's SHA-256 says what was really sent.
    const expected = name.includes('between') ? 'complete' : 'changed';
    expect(outcome.kind).toBe(expected);
  });
});
