/** What a list shows that has our files under several equivalent names. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import {
  type Comparing,
  readListing,
} from '../../../../../main/engine/pipeline/confirm/readListing.ts';
import { writeMeta } from '../../../../../main/engine/store/meta.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

const SHA256 = createHash('sha256').update('ours').digest();

const COMPARING: Comparing = {
  bareNames: true,
  doubted: false,
  confirmed: false,
  depth: 'bytes',
  trial: null,
  altered: false,
};

interface Given {
  readonly isSent?: boolean;
  readonly proof?: 'verify' | null;
  readonly wasDamaged?: boolean;
  readonly comparing?: Partial<Comparing>;
  /** The program is stopped once the list has been read. */
  readonly isStopped?: boolean;
}

/** Reads a list with one page for each of these objects, all of them with the name of one file, which was sent unless `isSent` is false. */
async function read(
  objects: readonly ('readable' | 'unreadable')[],
  { isSent = true, proof = null, wasDamaged = false, isStopped = false, ...more }: Given = {},
) {
  const stopping = new AbortController();
  const ledger = createTestLedger();
  const { store } = ledger;
  const batch = ledger.batch({ mode: 'single', isExclusive: false });
  const { id } = ledger.transfer(batch, ['a.jpg']);
  store.run('UPDATE items SET content_hash = ?', SHA256.toString('hex'));
  if (isSent) ledger.sent(id, 1, proof);
  if (wasDamaged) writeMeta(store, `damaged:${id}`, '');
  const testPipeline = createTestPipeline(ledger, {
    client: {
      askFilesPage: (_batch, _part, token) => {
        if (isStopped) stopping.abort();
        const page = Number(token ?? 0);
        const url = objects[page] ?? '';
        const named = { fileName: page % 2 === 0 ? 'A.jpg' : 'a.jpg', partName: null };
        const items = [{ ...named, url, shardId: `${page}`, contentType: 'image/jpeg' }];
        const nextPageToken = page + 1 < objects.length ? String(page + 1) : null;
        return Promise.resolve(ok({ items, nextPageToken }));
      },
      describeSigned: (url) => {
        const headers = { 'x-amz-checksum-sha256': SHA256.toString('base64') };
        const object = ok({ status: 206, lengthBytes: 100, headers });
        return Promise.resolve(url === 'readable' ? object : fail('network.lost'));
      },
    },
  });
  const pipeline = { ...testPipeline, signal: stopping.signal };
  const listing = await readListing(pipeline, batch, { ...COMPARING, ...more.comparing });
  if (!listing.ok) throw new Error(listing.error.code);
  const { confirmed, unchecked, unsent } = listing.value;
  return { confirmed: confirmed.length, unchecked: unchecked.length, unsent: unsent.size };
}

test.each([
  [['readable', 'unreadable'], { confirmed: 1, unchecked: 0, unsent: 0 }],
  [['unreadable', 'readable'], { confirmed: 1, unchecked: 0, unsent: 0 }],
  [['unreadable'], { confirmed: 0, unchecked: 1, unsent: 0 }],
] as const)('%j: one object that is ours is enough', async (objects, expected) => {
  expect(await read(objects)).toEqual(expected);
});

test('a file that could not be compared before a stop is not confirmed', async () => {
  const listing = await read(['readable'], { isStopped: true });
  expect(listing).toEqual({ confirmed: 0, unchecked: 1, unsent: 0 });
});

test('a file that waits to be sent is not confirmed by an object of its name, but named', async () => {
  expect(await read(['readable'], { isSent: false })).toEqual({
    confirmed: 0,
    unchecked: 0,
    unsent: 1,
  });
});

test.each([
  ['whose names are trusted', { bareNames: false }, false, 1],
  ['whose names are trusted, after damage in transit', { bareNames: false }, true, 0],
  ['that others fill', { bareNames: true }, false, 0],
] as const)(
  'a storage that alters files: what it said to have already, in a batch %s',
  async (_, comparing, wasDamaged, confirmed) => {
    const given = { wasDamaged, comparing: { ...comparing, altered: true } };
    const listing = await read(['unreadable'], { ...given, proof: 'verify' });
    expect(listing).toMatchObject({ confirmed, unchecked: 1 - confirmed });
  },
);

test('a name that is not ours counts once, though two pages of the list show it', async () => {
  const ledger = createTestLedger();
  const pages = [['a.jpg'], ['a.jpg', 'b.jpg']];
  const pipeline = createTestPipeline(ledger, {
    client: {
      askFilesPage: (_batch, _part, token) => {
        const items = (pages[Number(token ?? 0)] ?? []).map(listedFile);
        return Promise.resolve(ok({ items, nextPageToken: token === null ? '1' : null }));
      },
    },
  });
  expect(await readListing(pipeline, ledger.batch(), COMPARING)).toMatchObject({
    value: { foreign: 2 },
  });
});
