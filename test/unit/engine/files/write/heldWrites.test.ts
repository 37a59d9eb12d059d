import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createSilence } from '../../../../../main/engine/files/silence.ts';
import { createHeldWrites } from '../../../../../main/engine/files/write/heldWrites.ts';
import { diskTurns } from '../../../../../main/engine/files/write/diskTurns.ts';
import { ok, type Result } from '../../../../../main/engine/core/errors.ts';
import type { PartFile } from '../../../../../main/engine/core/ports.ts';
import { codeOf, valueOf } from '../../../../helpers/results.ts';

const PART = '/nas/a.part';
const KEEP = { replace: false };

/** A share that answers once `back` is called, and writes to it. */
function share() {
  const answer = Promise.withResolvers<void>();
  const silence = createSilence({
    times: { tickMs: 2, workMs: 0, answerMs: 5 },
    mountsOf: () => ['/nas'],
    idOf: () => null,
    ask: () => answer.promise,
    behind: () => Promise.resolve(null),
  });
  const back = async (): Promise<void> => {
    answer.resolve();
    await vi.waitFor(() => expect(silence.at(PART)).toBeNull());
  };
  return { ...createHeldWrites(silence), back };
}

const done = (): Promise<Result<string>> => Promise.resolve(ok('done'));

test('a write is given up with its drive, and another to this path begins when it has ended', async () => {
  const { write, back } = share();
  const first = Promise.withResolvers<Result<string>>();
  const late = vi.fn();
  expect(codeOf(await write(PART, () => first.promise, late))).toBe('disk.missing');
  await back();
  expect(codeOf(await write(PART, done))).toBe('file.busy');
  expect(await write('/nas/b.part', done)).toEqual(ok('done'));
  first.resolve(ok('first'));
  await vi.waitFor(async () => expect(await write(PART, done)).toEqual(ok('done')));
  expect(late.mock.calls).toEqual([[ok('first')]]);
});

test('of several writes to a path that were given up, all must have ended', async () => {
  const { write, back } = share();
  const [first, second] = [
    Promise.withResolvers<Result<string>>(),
    Promise.withResolvers<Result<string>>(),
  ];
  const both = [write(PART, () => first.promise), write(PART, () => second.promise)];
  expect((await Promise.all(both)).map(codeOf)).toEqual(['disk.missing', 'disk.missing']);
  await back();
  second.resolve(ok('second'));
  await setTimeout(0);
  expect(codeOf(await write(PART, done))).toBe('file.busy');
  first.resolve(ok('first'));
  await vi.waitFor(async () => expect(await write(PART, done)).toEqual(ok('done')));
});

/** A part of which the first call of one kind never ends before `release`. */
function partThatHangs(method: 'write' | 'commit') {
  const hanging = Promise.withResolvers<void>();
  const calls: string[] = [];
  const called = <T>(name: string, result: T): Promise<T> => {
    calls.push(name);
    return name === method ? hanging.promise.then(() => result) : Promise.resolve(result);
  };
  const file: PartFile = {
    offsetBytes: 0,
    kept: async function* () {
      yield await Promise.resolve(Buffer.of(1));
      yield Buffer.of(2);
    },
    write: () => called('write', ok(undefined)),
    truncate: () => called('truncate', ok(undefined)),
    commit: () => called('commit', ok({ kind: 'written', stamp: null })),
    close: () => called('close', undefined),
  };
  return { file, calls, release: () => hanging.resolve() };
}

test.each(['write', 'commit'] as const)(
  'a part is closed, and opened again, once a %s that was given up has ended',
  async (method) => {
    const { openPart, back } = share();
    const { file, calls, release } = partThatHangs(method);
    const part = valueOf(await openPart(PART, () => Promise.resolve(ok(file))));
    const ended = method === 'write' ? part.write(Buffer.of(1)) : part.commit(KEEP);
    expect(codeOf(await ended)).toBe('disk.missing');
    await part.close();
    await back();
    expect(codeOf(await part.truncate())).toBe('file.busy');
    const again = vi.fn(() => Promise.resolve(ok(file)));
    expect(codeOf(await openPart(PART, again))).toBe('file.busy');
    expect(again).not.toHaveBeenCalled();
    expect(calls).toEqual([method]);
    release();
    await vi.waitFor(async () => expect((await openPart(PART, again)).ok).toBe(true));
    expect(calls).toEqual([method, 'close']);
  },
);

test('a part is closed although its drive stopped answering while nothing was written to it', async () => {
  const { openPart, write } = share();
  const { file, calls } = partThatHangs('commit');
  const part = valueOf(await openPart(PART, () => Promise.resolve(ok(file))));
  expect(codeOf(await write('/nas/b', () => new Promise(() => undefined)))).toBe('disk.missing');
  expect(codeOf(await part.write(Buffer.of(1)))).toBe('disk.missing');
  await part.close();
  expect(calls).toEqual(['close']);
});

test('a part that is opened too late is closed', async () => {
  const { openPart } = share();
  const { file, calls } = partThatHangs('write');
  const opening = Promise.withResolvers<Result<PartFile>>();
  expect(codeOf(await openPart(PART, () => opening.promise))).toBe('disk.missing');
  opening.resolve(ok(file));
  await vi.waitFor(() => expect(calls).toEqual(['close']));
});

test('what a part holds already is read block by block', async () => {
  const { openPart } = share();
  const part = valueOf(
    await openPart(PART, () => Promise.resolve(ok(partThatHangs('write').file))),
  );
  const blocks: number[] = [];
  for await (const block of part.kept()) blocks.push(...block);
  expect(blocks).toEqual([1, 2]);
});

/** A drive is mounted at /nas. */
function turnsIn(directory: string) {
  return diskTurns(directory, (paths) =>
    paths.filter((path) => path.startsWith('/nas')).map(() => '/nas'),
  );
}

test('a drive that does not answer keeps few of the threads that ask the disks, however many directories are written', async () => {
  const hanging = Promise.withResolvers<string>();
  let begun = 0;
  const works = Array.from({ length: 40 }, (_, index) =>
    turnsIn(`/nas/${index % 4}`)(() => {
      begun += 1;
      return hanging.promise;
    }),
  );
  expect(await turnsIn('/data')(() => Promise.resolve('there'))).toBe('there');
  expect(begun).toBe(8);
  hanging.resolve('back');
  expect(new Set(await Promise.all(works))).toEqual(new Set(['back']));
  expect(begun).toBe(40);
});
