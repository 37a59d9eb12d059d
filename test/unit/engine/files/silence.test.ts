import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { contentHash } from '../../../../main/engine/files/contentHash.ts';
import { smallFingerprint } from '../../../../main/engine/files/fingerprint.ts';
import { mountAbove, mountIdIn, mountsListed } from '../../../../main/engine/files/mounts.ts';
import { createFiles, filesOver } from '../../../../main/engine/files/nodeFiles.ts';
import { createPool } from '../../../../main/engine/files/pool/threadPool.ts';
import { createSilence, unlessSilent } from '../../../../main/engine/files/silence.ts';
import { ok, type Result } from '../../../../main/engine/core/errors.ts';
import type { SourcePlan } from '../../../../main/engine/core/model.ts';
import type { Written } from '../../../../main/engine/core/ports.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { codeOf } from '../../../helpers/results.ts';
import { NEVER, PLAIN } from './scratch.ts';
import { createSink } from './sink.ts';

const NAS = '/mnt/nas';
const times = { tickMs: 2, workMs: 0, answerMs: 5 };

/** A drive that answers only when asked to, and links to it or elsewhere. */
function drive() {
  const asked: string[] = [];
  const mounted = { id: '41' };
  const links = new Map<string, string>();
  let answer = Promise.withResolvers<void>();
  const silence = createSilence({
    times,
    mountsOf: (paths) => [...new Set(paths.filter((path) => path.startsWith(NAS)).map(() => NAS))],
    idOf: () => mounted.id,
    ask: (mount) => {
      asked.push(mount);
      return answer.promise;
    },
    behind: (directory, name) => Promise.resolve(links.get(join(directory, name)) ?? null),
  });
  const back = (): void => {
    answer.resolve();
    answer = Promise.withResolvers();
    answer.resolve();
  };
  return { silence, asked, back, mounted, links };
}

const behind = (): Promise<null> => Promise.resolve(null);
const fingerprint = smallFingerprint(1, contentHash(Buffer.of(1)));
const never = (): Promise<never> => new Promise(() => undefined);

test('work on a drive that does not answer is given up, and nothing more is asked of it until it answers', async () => {
  const { silence, asked, back } = drive();
  const look = (path: string, work = never): Promise<string> =>
    unlessSilent(silence, path, work, ({ code, context }) => `${code}: ${context['said']}`);
  expect(await look(`${NAS}/a`)).toBe('disk.missing: /mnt/nas does not answer');
  const later = vi.fn(never);
  expect(await look(`${NAS}/b/c`, later)).toBe('disk.missing: /mnt/nas does not answer');
  expect(later).not.toHaveBeenCalled();
  expect(asked).toEqual([NAS]);
  expect(silence.at('/mnt/nas2/a')).toBeNull();
  back();
  await vi.waitFor(() => expect(silence.at(`${NAS}/a`)).toBeNull());
});

test('what is mounted in place of a drive that never answers is used, and asked for itself', async () => {
  const { silence, asked, mounted } = drive();
  const look = (work: () => Promise<string>) =>
    unlessSilent(silence, `${NAS}/a`, work, () => 'silent');
  expect(await look(never)).toBe('silent');
  mounted.id = '42';
  await vi.waitFor(() => expect(silence.at(`${NAS}/a`)).toBeNull());
  expect(await look(() => Promise.resolve('there'))).toBe('there');
  expect(await look(never)).toBe('silent');
  expect(asked).toEqual([NAS, NAS]);
});

test.each([
  ['/data/cam', '/mnt/nas/cam', '/data/cam/1.jpg'],
  ['/data', 'mnt/nas', '/data/in/1.jpg'],
  ['/in/1.jpg', '../mnt/nas/1.jpg', '/in/1.jpg'],
])('a drive is known that is reached through a link: %s -> %s', async (link, target, path) => {
  const { silence, asked, back, links } = drive();
  links.set(link, resolve(dirname(link), target));
  const look = (at: string) => unlessSilent(silence, at, never, ({ context }) => context['said']);
  expect(await look(path)).toBe('/mnt/nas does not answer');
  expect(asked).toEqual([NAS]);
  expect(silence.at(path)).not.toBeNull();
  // Another link to the same drive, found only now.
  links.set('/other', NAS);
  expect(await look('/other/a')).toBe('/mnt/nas does not answer');
  // The first one leads elsewhere.
  links.set(link, '/srv');
  await vi.waitFor(() => expect(silence.at(path)).toBeNull());
  back();
  await vi.waitFor(() => expect(silence.at('/other/a')).toBeNull());
});

test('links that lead to each other are not followed without end', async () => {
  const { silence, links } = drive();
  links.set('/a', '/b').set('/b', '/a');
  const work = (): Promise<string> => setTimeout(60, 'done');
  expect(await unlessSilent(silence, '/a/1.jpg', work, () => 'given up')).toBe('done');
  expect(await unlessSilent(silence, NAS, never, () => 'given up')).toBe('given up');
  expect(silence.at('/a/1.jpg')).toBeNull();
});

test('work that takes long on a drive that answers is waited for', async () => {
  const { silence, asked, back } = drive();
  back();
  const work = (): Promise<string> => setTimeout(60, 'done');
  expect(await unlessSilent(silence, `${NAS}/a`, work, () => 'given up')).toBe('done');
  expect(asked.length).toBeGreaterThan(0);
  const atEnd = asked.length;
  await setTimeout(20);
  expect(asked).toHaveLength(atEnd);
});

test('while the mounts cannot be read, work is waited for, and drives are asked later', async () => {
  const mountsOf = vi
    .fn(() => [NAS])
    .mockImplementationOnce(() => {
      throw new Error('EMFILE');
    });
  const silence = createSilence({ times, mountsOf, idOf: () => null, ask: never, behind });
  expect(await unlessSilent(silence, `${NAS}/a`, never, ({ code }) => code)).toBe('disk.missing');
  expect(mountsOf.mock.results[0]?.type).toBe('throw');
});

test('on a drive that does not answer nothing is written, and reading says so', async () => {
  const { silence } = drive();
  const tasks = { stat: never, inspect: never, hash: never, sumSources: never, writeWhole: never };
  const openSources = (): never => {
    throw new Error('not here');
  };
  const files = filesOver({ ...tasks, openSources, close: never }, silence);
  await unlessSilent(silence, NAS, never, () => null);
  const path = `${NAS}/a`;
  expect(await files.typeOf(path)).toBe('other');
  expect(await files.placeOf(path)).toBeNull();
  expect(await files.typeOf(path)).toBe('other');
  expect(await files.mountOf(path)).toMatchObject({
    mount: null,
    silent: { code: 'disk.missing' },
  });
  expect(codeOf(await files.list(path))).toBe('file.busy');
  expect(codeOf(await files.directoryAt(path))).toBe('file.busy');
  expect(codeOf(await files.moveFile('/tmp/none', path, `${path}.part`))).toBe('disk.missing');
  expect(codeOf(await files.remove(path))).toBe('disk.missing');
  expect(codeOf(await files.openPart(path, `${path}.part`, null))).toBe('disk.missing');
});

test('until a small file that was given up is written or not, nothing else is written to its part', async () => {
  const { silence, back } = drive();
  const writing = Promise.withResolvers<Result<Written>>();
  const writeWhole = vi.fn(() => writing.promise);
  const files = filesOver({ ...createInlineFiles(), writeWhole }, silence);
  const [path, part] = [`${NAS}/a`, `${NAS}/a.part`];
  const write = () => files.writeWhole(path, part, Buffer.of(1), { replace: false });
  expect(codeOf(await write())).toBe('disk.missing');
  back();
  await vi.waitFor(() => expect(silence.at(path)).toBeNull());
  expect(codeOf(await write())).toBe('file.busy');
  expect(codeOf(await files.openPart(path, part, null))).toBe('file.busy');
  expect(codeOf(await files.remove(part))).toBe('file.busy');
  expect(writeWhole).toHaveBeenCalledTimes(1);
  writing.resolve(ok({ kind: 'occupied' }));
  await vi.waitFor(async () => expect((await write()).ok).toBe(true));
});

test.each(['/nas/a', '/data/a'])(
  'a move is not waited for when a drive does not answer, and not begun again while it goes on: from %s',
  async (from) => {
    const answer = Promise.withResolvers<void>();
    const silence = createSilence({
      idOf: () => null,
      times: { tickMs: 2, workMs: 0, answerMs: 5 },
      mountsOf: () => ['/nas'],
      ask: () => answer.promise,
      behind,
    });
    const moveFile = vi.fn(() => new Promise<never>(() => undefined));
    const files = filesOver(createInlineFiles(), silence, moveFile);
    const move = async () => codeOf(await files.moveFile(from, '/nas/b', '/nas/part'));
    expect(await move()).toBe('disk.missing');
    answer.resolve();
    await vi.waitFor(() => expect(silence.at('/nas/b')).toBeNull());
    expect(await move()).toBe('file.busy');
    expect(moveFile).toHaveBeenCalledTimes(1);
  },
);

test('a thread that a drive holds is replaced: what it had to do on other disks is done, and nothing of a body leaves', async () => {
  const { silence, back } = drive();
  const workerUrl = new URL('./hangingWorker.ts', import.meta.url);
  const pool = createPool({ workerUrl, workers: 1, silence });
  onTestFinished(() => pool.close());
  const files = createFiles(pool);
  const mixed = await files.stat(['/data/a', `${NAS}/hang`, '/data/b']);
  expect(mixed.map((look) => (look.ok ? look.value : look.error.code))).toEqual([
    '/data/a',
    'disk.missing',
    '/data/b',
  ]);
  expect(codeOf(await files.hash(`${NAS}/hang`, 'b3'))).toBe('disk.missing');
  const members = ['/data/a', `${NAS}/b`].map((path) => {
    return { path, name: 'a', mtimeMs: 0, sizeBytes: 1, fingerprint };
  });
  const plan: SourcePlan = { members, frame: { kind: 'bare' } };
  const body = files.openSources(plan, PLAIN, NEVER);
  const sink = await createSink();
  expect(await sink.put(body)).toMatchObject({ kind: 'failure', maybeSent: false });
  expect(body.outcome()).toEqual({ kind: 'changed', index: 1, code: 'item.unreadable' });
  back();
  await vi.waitFor(async () => expect((await files.stat([`${NAS}/b`]))[0]?.ok).toBe(true));
});

test('a body whose thread a drive holds is not sent', async () => {
  const { silence } = drive();
  const workerUrl = new URL('./hangingWorker.ts', import.meta.url);
  const pool = createPool({ workerUrl, workers: 1, silence });
  onTestFinished(() => pool.close());
  const files = createFiles(pool);
  const member = { path: `${NAS}/hang`, name: 'a', mtimeMs: 0, sizeBytes: 1, fingerprint };
  const body = files.openSources({ members: [member], frame: { kind: 'bare' } }, PLAIN, NEVER);
  const sink = await createSink();
  expect(await sink.put(body)).toMatchObject({ fault: 'held', maybeSent: false });
  expect(body.outcome()).toEqual({ kind: 'changed', index: 0, code: 'item.unreadable' });
});

test('where a path is mounted is known from the list of the system', () => {
  const list = [
    '21 1 8:1 / / rw - ext4 /dev/sda1 rw',
    '40 21 0:30 / /mnt rw - tmpfs tmpfs rw',
    '41 40 0:31 / /mnt/my\\040nas rw - nfs4 server:/ rw',
    '',
  ].join('\n');
  expect([mountIdIn(list, '/mnt'), mountIdIn(list, '/mnt/my nas'), mountIdIn(list, '/x')]).toEqual([
    ...['40', '41', null],
  ]);
  const mounts = mountsListed(list);
  expect(mountAbove(mounts, '/mnt/my nas/a/b.jpg')).toBe('/mnt/my nas');
  expect(mountAbove(mounts, '/mnt/my nas')).toBe('/mnt/my nas');
  expect(mountAbove(mounts, '/mnt/my nas2/a')).toBe('/mnt');
  expect(mountAbove(mounts, '/data/mnt/a')).toBeNull();
});
