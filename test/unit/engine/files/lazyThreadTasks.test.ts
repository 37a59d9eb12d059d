/** Few small files are read and sent without a thread, with the same results. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FEW_FILES, WHOLE_HASH_MAX_BYTES } from '../../../../main/engine/core/limits.ts';
import type { SourceMember } from '../../../../main/engine/core/model.ts';
import type { Files } from '../../../../main/engine/core/ports.ts';
import { createLazyThreadFiles } from '../../../../main/engine/files/nodeFiles.ts';
import { createPool, type Pool } from '../../../../main/engine/files/pool/threadPool.ts';
import {
  createSilence,
  type Silence,
  unlessSilent,
} from '../../../../main/engine/files/silence.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { tinyJpeg } from '../../../helpers/media.ts';
import { scratch } from '../../../helpers/scratch.ts';
import { collected, imagesIn, NEVER, PLAIN } from './scratch.ts';
import { createSink, trickle } from './sink.ts';
import { codeOf, valueOf } from '../../../helpers/results.ts';

const inline = createInlineFiles();
const opened: Files[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((files) => files.close()));
});

function lazyThread(silence?: Silence): { readonly files: Files; readonly pool: Pool } {
  const workerUrl = new URL('../../../../main/engine/files/pool/fileWorker.ts', import.meta.url);
  const pool = createPool({ workerUrl, workers: 1, ...(silence !== undefined && { silence }) });
  const files = createLazyThreadFiles(pool);
  opened.push(files);
  return { files, pool };
}

const images = (count: number): readonly string[] => imagesIn(scratch(), count);

async function memberAt(path: string): Promise<SourceMember> {
  const [found] = await inline.inspect([path]);
  if (found === undefined) throw new Error('a path without an answer');
  const { sizeBytes, fingerprint } = valueOf(found);
  return { path, name: 'a.jpg', mtimeMs: 0, sizeBytes, fingerprint };
}

test('few files are looked at without a thread, also those that are no images', async () => {
  const { files, pool } = lazyThread();
  const directory = scratch();
  const [empty, largest, pipe] = ['empty.jpg', 'largest.png', 'pipe.jpg'].map((name) =>
    join(directory, name),
  );
  writeFileSync(String(empty), '');
  writeFileSync(String(largest), Buffer.alloc(WHOLE_HASH_MAX_BYTES, tinyJpeg(1)));
  if (process.platform !== 'win32') execFileSync('mkfifo', [String(pipe)]);
  const paths = [...images(FEW_FILES - 4), String(empty), String(largest), String(pipe), directory];
  expect(await files.stat(paths)).toEqual(await inline.stat(paths));
  expect(await files.inspect(paths)).toEqual(await inline.inspect(paths));
  const older = paths.slice(0, 3);
  expect(await files.inspect(older, 'sha256')).toEqual(await inline.inspect(older, 'sha256'));
  expect(codeOf(await files.facts(join(directory, 'none.jpg')))).toBe('item.gone');
  expect(await files.inspect([])).toEqual([]);
  expect(pool.hasThread()).toBe(false);
});

test('few files are sent without a thread, in the rate and with the checksums that are wanted', async () => {
  const { files, pool } = lazyThread();
  const sink = await createSink();
  const members = await Promise.all(images(3).map(memberAt));
  for (const frame of [{ kind: 'archive', extra: [] }, { kind: 'bare' }] as const) {
    const plan = { members: frame.kind === 'bare' ? members.slice(0, 1) : members, frame };
    const throttle = trickle(100);
    const options = { ...PLAIN, withMd5: true, throttle };
    const body = files.openSources(plan, options, NEVER);
    expect(await sink.put(body)).toMatchObject({ kind: 'answer', status: 200 });
    const same = inline.openSources(plan, { ...PLAIN, withMd5: true }, NEVER);
    expect(sink.bodies.at(-1)).toEqual(await collected(same.chunks()));
    expect(body.outcome()).toEqual(same.outcome());
    expect(body.checksums()).toEqual(same.checksums());
    expect(throttle.asked()).toBeGreaterThan(1);
  }
  expect(pool.hasThread()).toBe(false);
});

test.each(['longer', 'another', 'gone', 'a directory'] as const)(
  'a file that is %s when it is sent is noticed before its last byte leaves',
  async (change) => {
    const { files } = lazyThread();
    const [path = ''] = images(1);
    const member = await memberAt(path);
    if (change === 'longer') appendFileSync(path, 'x');
    if (change === 'another') writeFileSync(path, Buffer.alloc(member.sizeBytes));
    const directory = join(scratch(), 'a');
    mkdirSync(directory);
    const now = { gone: join(directory, 'none'), 'a directory': directory, longer: path };
    const changed = { ...member, path: change === 'another' ? path : now[change] };
    const sink = await createSink();
    const plan = { members: [changed], frame: { kind: 'bare' } } as const;
    const body = files.openSources(plan, PLAIN, NEVER);
    expect(await sink.put(body)).toMatchObject({ kind: 'failure', maybeSent: false });
    expect(sink.bodies).toEqual([]);
    const same = inline.openSources(plan, PLAIN, NEVER);
    await expect(collected(same.chunks())).rejects.toThrow();
    expect(body.outcome()).toEqual(same.outcome());
  },
);

test('an upload that is stopped may have sent nothing, and no thread goes on with it', async () => {
  const { files, pool } = lazyThread();
  const sink = await createSink();
  const stopper = new AbortController();
  const plan = { members: [await memberAt(images(1)[0] ?? '')], frame: { kind: 'bare' } } as const;
  const throttle = {
    isBound: () => true,
    take: () => {
      stopper.abort();
      return Promise.resolve(0);
    },
  };
  const body = files.openSources(plan, { ...PLAIN, throttle }, stopper.signal);
  const end = await sink.put(body, stopper.signal);
  expect(end).toMatchObject({ kind: 'failure', fault: 'aborted', maybeSent: false });
  expect(pool.hasThread()).toBe(false);
});

test('on a drive that does not answer, few files are not read either', async () => {
  const [path = ''] = images(1);
  const never = (): Promise<never> => new Promise(() => undefined);
  const times = { tickMs: 2, workMs: 0, answerMs: 5 };
  const silence = createSilence({
    times,
    mountsOf: () => [dirname(path)],
    idOf: () => null,
    ask: never,
    behind: () => Promise.resolve(null),
  });
  await unlessSilent(silence, path, never, () => null);
  const { files, pool } = lazyThread(silence);
  for (const [result] of [await files.stat([path]), await files.inspect([path])])
    expect(result).toMatchObject({ ok: false, error: { code: 'disk.missing' } });
  const plan = { members: [await memberAt(path)], frame: { kind: 'bare' } } as const;
  const body = files.openSources(plan, PLAIN, NEVER);
  const sink = await createSink();
  expect(await sink.put(body)).toMatchObject({ kind: 'failure', maybeSent: false });
  expect(body.outcome()).toEqual({ kind: 'changed', index: 0, code: 'item.unreadable' });
  expect(pool.hasThread()).toBe(false);
});

test('a large file needs a thread, and then all others use it', async () => {
  const { files, pool } = lazyThread();
  const large = join(scratch(), 'large.jpg');
  writeFileSync(large, Buffer.alloc(WHOLE_HASH_MAX_BYTES + 1, tinyJpeg(1)));
  const paths = [...images(2), large];
  expect(await files.stat(paths)).toEqual(await inline.stat(paths));
  expect(pool.hasThread()).toBe(false);
  expect(await files.inspect(paths)).toEqual(await inline.inspect(paths));
  expect(pool.hasThread()).toBe(true);
  const plan = { members: [await memberAt(paths[0] ?? '')], frame: { kind: 'bare' } } as const;
  expect(files.openSources(plan, PLAIN, NEVER).sendFrom).toBeDefined();
  const other = lazyThread();
  const largePlan = { members: [await memberAt(large)], frame: { kind: 'bare' } } as const;
  expect(other.files.openSources(largePlan, PLAIN, NEVER).sendFrom).toBeDefined();
});

test('many files need a thread', async () => {
  const { files, pool } = lazyThread();
  const paths = images(FEW_FILES);
  for (let round = 0; round < 4; round += 1) await files.stat(paths);
  expect(pool.hasThread()).toBe(false);
  await files.stat(paths.slice(0, 1));
  expect(pool.hasThread()).toBe(true);
});

test('a few small files are written without a thread, also those that share a part', async () => {
  const { files, pool } = lazyThread();
  const directory = scratch();
  const write = (name: string, text: string): ReturnType<Files['writeWhole']> => {
    const path = join(directory, name);
    return files.writeWhole(path, `${path}.part`, Buffer.from(text), { replace: true });
  };
  const texts = ['one', 'two, which is longer', 'three'];
  const all = await Promise.all([
    ...texts.map((text) => write('a.csv', text)),
    write('b.csv', 'b'),
    write('c.csv', 'c'),
  ]);
  for (const one of all) expect(valueOf(one)).toMatchObject({ kind: 'written' });
  const contents = ['a.csv', 'b.csv', 'c.csv'].map((name) =>
    readFileSync(join(directory, name), 'utf8'),
  );
  expect(contents).toEqual(['three', 'b', 'c']);
  expect(readdirSync(directory)).toHaveLength(3);
  expect(pool.hasThread()).toBe(false);
});

test('when many files are written, a thread is ready in time', async () => {
  const { files, pool } = lazyThread();
  const directory = scratch();
  const had: boolean[] = [];
  for (let index = 0; index < FEW_FILES + 2; index += 1) {
    const path = join(directory, `${index}.csv`);
    const bytes = Buffer.from(String(index));
    const written = await files.writeWhole(path, `${path}.part`, bytes, { replace: false });
    expect(valueOf(written)).toMatchObject({ kind: 'written' });
    had.push(pool.hasThread());
  }
  expect(had.indexOf(true)).toBe((FEW_FILES * 3) / 4 - 1);
  expect(readdirSync(directory)).toHaveLength(FEW_FILES + 2);
});
