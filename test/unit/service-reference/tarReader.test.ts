import { describe, expect, test } from 'vitest';
import { tarOf } from '../../helpers/tar.ts';
import { readTar, TarDamage } from '../../service/tarReader.ts';

const read = (bytes: Buffer) =>
  readTar(bytes.length, (offset, lengthBytes) =>
    Promise.resolve(bytes.subarray(offset, offset + lengthBytes)),
  );

function archive(names: readonly string[], pax?: Record<string, string>): Promise<Buffer> {
  return tarOf(names.map((name) => ({ name, content: name, ...(pax && { pax }) })));
}

describe('reads', () => {
  test('names, sizes and places', async () => {
    const bytes = await archive(['a.png', 'ä.png']);
    const members = await read(bytes);
    expect(members.map(({ name, type }) => [name, type])).toEqual([
      ['a.png', 'file'],
      ['ä.png', 'file'],
    ]);
    for (const { name, offset, sizeBytes } of members)
      expect(bytes.toString('utf8', offset, offset + sizeBytes)).toBe(name);
  });

  test('names of 250 bytes and a fractional mtime from pax headers', async () => {
    const name = `${'n'.repeat(246)}.png`;
    expect(await read(await archive([name], { mtime: '1700000000.123456' }))).toMatchObject([
      { name },
    ]);
  });

  test('more zeros behind the end, as other programs pad', async () => {
    const bytes = Buffer.concat([await archive(['a.png']), Buffer.alloc(10_240)]);
    expect(await read(bytes)).toHaveLength(1);
  });
});

describe('refuses', () => {
  test.each([
    ['nothing', (_: Buffer) => Buffer.alloc(0)],
    ['a length that is no multiple of 512', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['a missing end', (bytes: Buffer) => bytes.subarray(0, 1024)],
    ['half an end', (bytes: Buffer) => bytes.subarray(0, -512)],
    ['a cut member', (bytes: Buffer) => bytes.subarray(0, 512)],
    ['a flipped bit in a header', (bytes: Buffer) => flip(bytes, 0)],
    ['bytes behind the end', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(512, 1)])],
  ] as const)('%s', async (_, change) => {
    await expect(read(change(await archive(['a.png'])))).rejects.toThrow(TarDamage);
  });

  test('a pax mtime that is no number', async () => {
    await expect(read(await archive(['a.png'], { mtime: 'NaN' }))).rejects.toThrow(TarDamage);
  });
});

function flip(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
