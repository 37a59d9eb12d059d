import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createInlineFiles } from '../../../../helpers/inlineFiles.ts';
import {
  decodeName,
  encodeBytes,
  encodePath,
  readableName,
} from '../../../../../main/engine/files/names/pathBytes.ts';
import { scratch } from '../../../../helpers/scratch.ts';
import { collected, NEVER, PLAIN } from '../scratch.ts';
import { valueOf } from '../../../../helpers/results.ts';
import { anyText } from '../../../../helpers/anyText.ts';

describe('names as strings', () => {
  test('any bytes come back as they were', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(encodeBytes(decodeName(bytes))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 200 },
    );
  });

  test('any text, whole or broken by a byte, comes back as it was', () => {
    const text = anyText({ maxLength: 12 });
    fc.assert(
      fc.property(text, fc.nat(255), text, (before, byte, after) => {
        const bytes = Buffer.concat([Buffer.from(before), Buffer.of(byte), Buffer.from(after)]);
        expect(encodeBytes(decodeName(bytes))).toEqual(bytes);
      }),
      { numRuns: 200 },
    );
  });

  test('different bytes have different names', () => {
    const bytes = fc.uint8Array({ maxLength: 6 });
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        expect(decodeName(one) === decodeName(other)).toBe(Buffer.compare(one, other) === 0);
      }),
    );
  });

  test.each(['plain.jpg', 'früh.jpg', '日本語.png', '🎉 a\nb.jpg', ''])(
    '%j stays as it is',
    (name) => {
      expect(decodeName(Buffer.from(name))).toBe(name);
      expect(encodePath(name)).toBe(name);
    },
  );

  test('only the offending bytes are escaped', () => {
    expect(decodeName(Buffer.from('a\xff\xe9.jpg', 'latin1'))).toBe('a\uefff\uefe9.jpg');
    expect(readableName('a\uefff\uefe9.jpg')).toBe('a__.jpg');
  });

  test('a real character of the escape range is kept apart from escaped bytes', () => {
    const real = Buffer.from('x\uef80y');
    expect(decodeName(real)).toBe('x\uefee\uefbe\uef80y');
    expect(encodePath(decodeName(real))).toEqual(real);
    expect(readableName(decodeName(real))).toBe('x\uef80y');
  });
});

// Other systems do not accept such names: there is nothing to test.
describe.runIf(process.platform === 'linux')('on a disk', () => {
  test('a file whose name is no text is listed, read, hashed and sent', async () => {
    const directory = scratch();
    const raw = Buffer.concat([Buffer.from(`${directory}/sub`), Buffer.of(0xe9)]);
    mkdirSync(raw);
    writeFileSync(
      Buffer.concat([raw, Buffer.from('/b'), Buffer.of(0xff), Buffer.from('.jpg')]),
      'hi',
    );
    const files = createInlineFiles();
    const [sub] = valueOf(await files.list(directory));
    const inside = join(directory, sub?.name ?? '');
    const [entry] = valueOf(await files.list(inside));
    expect(entry).toEqual({ name: 'b\uefff.jpg', type: 'file' });
    const path = join(inside, entry?.name ?? '');
    expect(await files.typeOf(path)).toBe('file');
    expect(await files.realPath(path)).toContain('b\uefff.jpg');
    const [found] = await files.inspect([path]);
    const { sizeBytes, fingerprint } = valueOf(found ?? { ok: false, error: 'none' });
    const member = { path, sizeBytes, fingerprint, name: 'b.jpg', mtimeMs: 0 };
    const plan = { members: [member], frame: { kind: 'bare' } } as const;
    const body = files.openSources(plan, PLAIN, NEVER);
    expect((await collected(body.chunks())).toString()).toBe('hi');
    const part = valueOf(await files.openPart(path, `${path}.part`, null));
    await part.write(Buffer.from('new'));
    expect(await part.commit({ replace: true })).toMatchObject({ ok: true });
    expect(readdirSync(raw)).toHaveLength(1);
    expect(await files.remove(path)).toEqual({ ok: true, value: undefined });
    expect(readdirSync(raw)).toHaveLength(0);
  });
});
