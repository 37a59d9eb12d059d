import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { nameKey } from '../../../../../main/engine/files/names/safeNames.ts';
import { unpack } from '../../../../../main/engine/files/archive/unpack.ts';
import { createUnpackTree } from '../../../../../main/engine/files/archive/unpackTree.ts';
import { tarOf, type TarMember } from '../../../../helpers/tar.ts';
import { zipOf } from './archives.ts';
import { scratch } from '../../../../helpers/scratch.ts';
import { NEVER } from '../scratch.ts';
import { codeOf } from '../../../../helpers/results.ts';

const PLENTY = () => Promise.resolve(1e15);

function attempt(archive: Buffer) {
  const base = scratch();
  const path = join(base, 'results.bin');
  writeFileSync(path, archive);
  const target = join(base, 'results');
  return {
    base,
    target,
    run: (signal: AbortSignal = NEVER, free: () => Promise<number | null> = PLENTY) =>
      unpack(path, target, signal, free),
  };
}

/** Everything under a directory: path → content. */
function treeOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(directory, name)).isFile());
  return Object.fromEntries(
    files.map((name) => [name, readFileSync(join(directory, name), 'utf8')] as const),
  );
}

const MEMBERS: readonly TarMember[] = [
  { name: 'sub/', type: 'directory' },
  { name: 'sub/a.json', content: '{"a":1}' },
  { name: './b.csv', content: 'x,y' },
  { name: 'sub/deeper/früh 🎉.txt', content: 'ok' },
  { name: `${'long'.repeat(40)}.txt`, content: 'long' },
  { name: 'empty.txt', content: '' },
];
const EXPECTED = {
  'sub/a.json': '{"a":1}',
  'b.csv': 'x,y',
  'sub/deeper/früh 🎉.txt': 'ok',
  [`${'long'.repeat(40)}.txt`]: 'long',
  'empty.txt': '',
};

function asZip(members: readonly TarMember[]): Buffer {
  return zipOf(
    members.map(({ name, content = '' }, index) => ({ name, content, deflated: index % 2 === 1 })),
  );
}

describe.each([
  ['tar', () => tarOf(MEMBERS)],
  ['gzipped tar', async () => gzipSync(await tarOf(MEMBERS))],
  ['zip', () => Promise.resolve(asZip(MEMBERS))],
])('a %s', (_, make) => {
  test('is unpacked whole, stays itself, and leaves nothing else', async () => {
    const { base, target, run } = attempt(await make());
    expect(await run()).toEqual({ ok: true, value: 5 });
    expect(treeOf(target)).toEqual(EXPECTED);
    expect(readdirSync(base).sort()).toEqual(['results', 'results.bin']);
  });

  test('that is cut off anywhere is damaged, and nothing of it appears', async () => {
    const whole = await make();
    for (const length of [0, 1, 3, 100, whole.length >> 1]) {
      const { base, run } = attempt(whole.subarray(0, length));
      expect(codeOf(await run())).toBe('part.damaged');
      expect(readdirSync(base)).toEqual(['results.bin']);
    }
  });

  test('is stopped by the signal, and nothing of it appears', async () => {
    const { base, run } = attempt(await make());
    expect(codeOf(await run(AbortSignal.abort()))).toBe('file.busy');
    const stopper = new AbortController();
    const stopNow = () => {
      stopper.abort();
      return PLENTY();
    };
    expect(codeOf(await run(stopper.signal, stopNow))).toBe('file.busy');
    expect(readdirSync(base)).toEqual(['results.bin']);
  });

  test('waits for space instead of filling the disk', async () => {
    const { base, run } = attempt(await make());
    const low = () => Promise.resolve(513 * 1024 * 1024);
    expect(await run(NEVER, low)).toMatchObject({ error: { code: 'disk.full', next: 'wait' } });
    expect(readdirSync(base)).toEqual(['results.bin']);
  });

  test('already unpacked before a crash counts as done', async () => {
    const { base, target, run } = attempt(await make());
    await run();
    writeFileSync(join(target, 'notes of the user.txt'), 'mine');
    writeFileSync(join(target, '.sluice-unpacking'), '');
    expect(await run()).toEqual({ ok: true, value: 5 });
    expect(treeOf(target)).toEqual({ ...EXPECTED, 'notes of the user.txt': 'mine' });
    expect(readdirSync(base).sort()).toEqual(['results', 'results.bin']);
  });

  test("never touches another program's directory", async () => {
    const { base, target, run } = attempt(await make());
    mkdirSync(target);
    writeFileSync(join(target, 'b.csv'), 'mine');
    expect(codeOf(await run())).toBe('disk.failed');
    expect(treeOf(target)).toEqual({ 'b.csv': 'mine' });
    expect(readdirSync(base).sort()).toEqual(['results', 'results.bin']);
  });

  test('starts over in its own leftovers of a crash, and avoids those of others', async () => {
    const { base, target, run } = attempt(await make());
    mkdirSync(`${target}.unpacking`);
    writeFileSync(join(`${target}.unpacking`, '.sluice-unpacking'), '');
    writeFileSync(join(`${target}.unpacking`, 'half'), '');
    mkdirSync(`${target}-2.unpacking`);
    writeFileSync(join(`${target}-2.unpacking`, 'mine'), '');
    expect(await run()).toEqual({ ok: true, value: 5 });
    expect(treeOf(target)).toEqual(EXPECTED);
    expect(readdirSync(base).sort()).toEqual(['results', 'results-2.unpacking', 'results.bin']);
  });

  test('is unpacked into a directory whose parents are missing', async () => {
    const { base } = attempt(Buffer.alloc(0));
    writeFileSync(join(base, 'results.bin'), await make());
    const deep = join(base, 'a', 'b', 'results');
    expect(await unpack(join(base, 'results.bin'), deep, NEVER, PLENTY)).toEqual({
      ok: true,
      value: 5,
    });
  });
});

const ESCAPES = [
  '../evil.txt',
  'a/../../evil.txt',
  '/sluice-evil.txt',
  '..\\evil.txt',
  'C:\\evil.txt',
  'C:/evil.txt',
  '\\\\server\\share\\evil.txt',
  '..',
  'a/..',
];

describe('evil members', () => {
  test.each(ESCAPES)(
    '%s leads outside: refused in tar and zip, and nothing appears',
    async (name) => {
      const members = [
        { name: 'good.txt', content: 'good' },
        { name, content: 'evil' },
      ];
      for (const archive of [
        await tarOf(members),
        gzipSync(await tarOf(members)),
        asZip(members),
      ]) {
        const { base, run } = attempt(archive);
        expect(codeOf(await run())).toBe('part.unsafeName');
        expect(readdirSync(base)).toEqual(['results.bin']);
      }
      expect(existsSync('/sluice-evil.txt')).toBe(false);
    },
  );

  test.each(['link', 'symlink', 'character-device', 'block-device', 'fifo'] as const)(
    'a %s in a tar is refused',
    async (type) => {
      const { base, run } = attempt(await tarOf([{ name: 'x', type, linkname: '/etc/passwd' }]));
      expect(codeOf(await run())).toBe('part.unsafeName');
      expect(readdirSync(base)).toEqual(['results.bin']);
    },
  );

  test.each([0o120777, 0o020666, 0o010644])('mode %o in a zip is refused', async (mode) => {
    const { base, run } = attempt(zipOf([{ name: 'x', content: '/etc/passwd', mode }]));
    expect(codeOf(await run())).toBe('part.unsafeName');
    expect(readdirSync(base)).toEqual(['results.bin']);
  });

  test('a link under the name of the work place is not followed', async () => {
    const { base, target, run } = attempt(await tarOf(MEMBERS));
    mkdirSync(join(base, 'victim'));
    symlinkSync('victim', `${target}.unpacking`);
    expect(await run()).toEqual({ ok: true, value: 5 });
    expect(readdirSync(join(base, 'victim'))).toEqual([]);
  });

  test.runIf(process.platform !== 'win32')(
    'permissions are plain whatever the archive says',
    async () => {
      const archives = [
        await tarOf([{ name: 'x', mode: 0o6777, content: 'x' }]),
        zipOf([{ name: 'x', mode: 0o106777, content: 'x' }]),
      ];
      for (const archive of archives) {
        const { target, run } = attempt(archive);
        expect(await run()).toEqual({ ok: true, value: 1 });
        expect(statSync(join(target, 'x')).mode & 0o7133).toBe(0);
      }
    },
  );

  test('names that a disk cannot store are made safe', async () => {
    const names = ['CON', 'a:b.txt', 'trailing. ', '.sluice-unpacking', 'bell\u0007.txt', 'x.part'];
    const members = names.map((name) => ({ name, content: name }));
    for (const archive of [await tarOf(members), asZip(members)]) {
      const { target, run } = attempt(archive);
      expect(await run()).toEqual({ ok: true, value: 6 });
      expect(Object.keys(treeOf(target)).sort()).toEqual([
        '_CON',
        '_sluice-unpacking',
        'a_b.txt',
        'bell_.txt',
        'trailing__',
        'x.part_',
      ]);
    }
  });
});

describe('damage inside', () => {
  test('a wrong checksum, an encrypted member, a lie about the length', async () => {
    const lie = zipOf([{ name: 'x', content: 'content', deflated: true }]);
    lie.writeUInt32LE(3, lie.indexOf('PK\x01\x02') + 24);
    for (const archive of [
      zipOf([{ name: 'x', content: 'x', wrongSum: true }]),
      zipOf([{ name: 'x', content: 'x'.repeat(50), encrypted: true }]),
      lie,
    ]) {
      const { base, run } = attempt(archive);
      expect(codeOf(await run())).toBe('part.damaged');
      expect(readdirSync(base)).toEqual(['results.bin']);
    }
  });
  test('bytes that are no archive', async () => {
    for (const bytes of [
      Buffer.alloc(5000, 7),
      gzipSync('plain text'),
      Buffer.from('<html></html>'),
    ]) {
      expect(codeOf(await attempt(bytes).run())).toBe('part.damaged');
    }
  });
  test('a flipped bit in a gzipped tar', async () => {
    const archive = gzipSync(await tarOf([{ name: 'x', content: Buffer.alloc(100_000, 'abc') }]));
    const at = archive.length >> 1;
    archive[at] = (archive[at] ?? 0) ^ 0x10;
    expect(codeOf(await attempt(archive).run())).toBe('part.damaged');
  });
  test('an archive that is gone is about the disk', async () => {
    const base = scratch();
    const result = await unpack(join(base, 'none.tar'), join(base, 'out'), NEVER, PLENTY);
    expect(codeOf(result)).toBe('disk.failed');
  });
});

describe('equal names in one archive', () => {
  const twice = [
    { name: 'a.txt', content: 'one' },
    { name: 'd/a.txt', content: 'two' },
    { name: './a.txt', content: 'three' },
    { name: 'a.txt/b.txt', content: 'four' },
  ];
  test('are all kept', async () => {
    for (const archive of [await tarOf(twice), asZip(twice)]) {
      const { target, run } = attempt(archive);
      expect(await run()).toEqual({ ok: true, value: 4 });
      expect(treeOf(target)).toEqual({
        'a.txt': 'one',
        'd/a.txt': 'two',
        'a~2.txt': 'three',
        'a~3.txt/b.txt': 'four',
      });
    }
  });
  test('in case or composition only are kept too where the disk ignores it', async () => {
    const root = scratch();
    const tree = createUnpackTree({ root, key: nameKey, freeBytes: PLENTY, signal: NEVER });
    async function* bytes(text: string) {
      await Promise.resolve();
      yield Buffer.from(text);
    }
    for (const name of ['A.txt', 'a.TXT', 'früh/x', 'fru\u0308h/x', 'Dir/x', 'dir/x']) {
      await tree.writeFile(name, bytes(name));
    }
    expect((await tree.finish()).map((path) => path.replaceAll('\\', '/'))).toEqual([
      'A.txt',
      'a~2.TXT',
      'früh/x',
      'fru\u0308h~2/x',
      'Dir/x',
      'dir~2/x',
    ]);
  });
  test.runIf(process.platform === 'linux')(
    'in case only stay exact where the disk distinguishes them',
    async () => {
      const { target, run } = attempt(
        await tarOf([
          { name: 'A', content: '1' },
          { name: 'a', content: '2' },
        ]),
      );
      await run();
      expect(treeOf(target)).toEqual({ A: '1', a: '2' });
    },
  );
});
