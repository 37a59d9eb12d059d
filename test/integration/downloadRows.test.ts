/** Rows of a list that are not as documented: whatever can be fetched is fetched, the rest is shown, and other files are not delayed. */
import { describe, expect, test } from 'vitest';
import { rewriting } from './ports.ts';
import { contentOf, createOutputScene, type OutputScene, sha256 } from './outputScene.ts';

const LIST = /\/list$/;

async function scene(): Promise<OutputScene> {
  const made = await createOutputScene();
  for (const [at, name] of ['a.csv', 'odd.csv', 'z.csv'].entries()) {
    await made.put('one', name, contentOf(at, 400 + at));
  }
  return made;
}

describe('a row', () => {
  test.each(['""', 'null', '7', 'missing'])('whose name is %s brings its file', async (name) => {
    const made = await scene();
    const nameless = rewriting(LIST, (json) =>
      json.replace('"fileName":"odd.csv"', name === 'missing' ? '"x":0' : `"fileName":${name}`),
    );
    expect(await made.fetch({ wraps: [nameless] })).toMatchObject({
      ok: true,
      value: { files: 3, parked: [] },
    });
    expect(await made.files()).toMatchObject({ 'one/_': sha256(contentOf(1, 401)) });
  });

  test.each(['""', 'null', '"file:///etc/passwd"'])(
    'whose address is %s is given up, and the others come',
    async (address) => {
      const made = await scene();
      const withoutAddress = rewriting(LIST, (json) =>
        json.replaceAll(/\{[^{}]*"fileName":"odd.csv"[^{}]*\}/g, (row) =>
          row.replace(/"downloadURL":"[^"]*"/, `"downloadURL":${address}`),
        ),
      );
      expect(await made.fetch({ wraps: [withoutAddress] })).toMatchObject({
        ok: true,
        value: { files: 2, parked: [{ error: { code: 'service.unexpectedAnswer' } }] },
      });
    },
  );

  test('of a part without a name brings its files once, as those of no part', async () => {
    const made = await scene();
    await made.put('', 'own.csv', contentOf(9, 300));
    const unnamed = '{"partName":"","partType":"simple-batch","contentType":"metadata"}';
    const nameless = rewriting(/\/parts$/, (json) =>
      json.replace('"batchParts":[', `"batchParts":[${unnamed},`),
    );
    expect(await made.fetch({ wraps: [nameless] })).toMatchObject({
      ok: true,
      value: { files: 4, parked: [] },
    });
    expect(Object.keys(await made.files())).toEqual([
      'files/own.csv',
      'manifest.json',
      'one/a.csv',
      'one/odd.csv',
      'one/z.csv',
    ]);
    expect(made.gets()).toBe(4);
  });
});

test('a list without a single documented row is not from the service', async () => {
  const made = await scene();
  const odd = rewriting(LIST, () => '{"status":"ok","filesMetadata":[{"x":1},{"y":2}]}');
  expect(await made.fetch({ wraps: [odd] })).toMatchObject({
    ok: false,
    error: { code: 'network.intercepted' },
  });
});
