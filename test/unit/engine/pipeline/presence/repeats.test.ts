/** A list that shows some objects twice and leaves others out, as replicas with different orders do. */
import { expect, test } from 'vitest';
import { ok } from '../../../../../main/engine/core/errors.ts';
import type { RemoteFile } from '../../../../../main/engine/core/model.ts';
import { readNames } from '../../../../../main/engine/pipeline/presence/inventory.ts';
import { createRepeats } from '../../../../../main/engine/pipeline/presence/repeats.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../../helpers/testPipeline.ts';

let signature = 0;

function file(fileName: string, object = fileName, sign = 'X-Goog-Signature'): RemoteFile {
  const url = `https://storage.example/${object}?${sign}=${(signature += 1)}`;
  return { fileName, url, partName: null, shardId: 's', contentType: 'images' };
}

/** Reads a list with these pages. Returns how many names it counts as having, and what the readings so far showed together. */
async function read(
  pages: readonly (readonly RemoteFile[])[],
  before: readonly number[] = [],
): Promise<{ names: unknown; union: readonly number[] | null }> {
  const ledger = createTestLedger();
  const pipeline = createTestPipeline(ledger, {
    client: {
      askFilesPage: (_batch, _part, token) => {
        const page = Number(token ?? 0);
        const nextPageToken = page + 1 < pages.length ? String(page + 1) : null;
        return Promise.resolve(ok({ items: pages[page] ?? [], nextPageToken }));
      },
    },
  });
  const repeats = createRepeats(before);
  const names = await readNames(pipeline, ledger.batch(), () => Promise.resolve(), repeats);
  return { names, union: repeats.union() };
}

const [A, B, C, D] = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'] as const;

test('counts no object twice, so that a list that lacks one is shorter than the count', async () => {
  const { names, union } = await read([
    [file(A), file(B)],
    [file(B), file(C)],
  ]);
  expect(names).toEqual(ok(3));
  expect(union).toHaveLength(3);
});

test.each(['X-Amz-Signature', 'q-signature', 'sig', 'token', 'access_token', 'Expires'])(
  'knows an object again whose address has another %s',
  async (sign) => {
    const { names } = await read([[file(A, A, sign), file(B, B, sign)], [file(B, B, sign)]]);
    expect(names).toEqual(ok(2));
  },
);

test('shows everything in several readings', async () => {
  const first = await read([
    [file(A), file(B)],
    [file(B), file(C)],
  ]);
  const second = await read(
    [
      [file(B), file(D)],
      [file(D), file(A)],
    ],
    first.union ?? [],
  );
  expect(second.names).toEqual(ok(4));
});

test('stands for itself if it repeats nothing: two objects may have the same name', async () => {
  const first = await read([[file(A), file(B), file(B)]]);
  const pages = [[file(A), file(A, 'another')], [file(B)]];
  expect(await read(pages, first.union ?? [])).toEqual({ names: ok(3), union: null });
});
