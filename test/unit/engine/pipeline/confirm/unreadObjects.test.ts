/** What is shown while the service lists files whose objects cannot be read to compare them. */
import { expect, test } from 'vitest';
import { type ErrorCode, fail, ok } from '../../../../../main/engine/core/errors.ts';
import { confirm } from '../../../../../main/engine/pipeline/confirm/confirm.ts';
import { readListing } from '../../../../../main/engine/pipeline/confirm/readListing.ts';
import type { BatchPollState } from '../../../../../main/engine/pipeline/confirm/pollState.ts';
import { openWaits } from '../../../../../main/engine/status/waits.ts';
import type { ServiceClient } from '../../../../../main/engine/service/serviceClient.ts';
import type { Batch } from '../../../../../main/engine/store/tables/batches.ts';
import { itemById } from '../../../../../main/engine/store/tables/items.ts';
import { beginSending, markUnknown } from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

type StoredAnswer = Awaited<ReturnType<ServiceClient['describeSigned']>>;

test.each([
  ['network.proxy', 'batch'],
  // It may never be read: the name decides soon.
  ['upload.urlExpired', 'unlisted'],
] as const)('%s while comparing is shown as a wait of kind %s', async (code: ErrorCode, kind) => {
  const ledger = createTestLedger();
  const { store } = ledger;
  const clock = createManualClock();
  const batch = ledger.batch({ mode: 'single', kind: 'image' });
  const { id } = ledger.transfer(batch, ['a.jpg']);
  const items = [listedFile('a.jpg')];
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: {
      batchMetadata: () => Promise.resolve(ok(null)),
      askCount: () => Promise.resolve(ok(1)),
      askShards: () => Promise.resolve(ok([])),
      askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
      describeSigned: () => Promise.resolve(fail(code)),
      getSigned: () => Promise.resolve(fail(code)),
    },
  });
  ledger.sent(id, clock.now(), 'checksum');
  const polls = new Map<number, BatchPollState>();
  const poll = async (ms: number): Promise<readonly string[]> => {
    clock.advance(ms);
    await confirm(pipeline, polls);
    return openWaits(store, batch.connectionId).map((wait) => wait.kind);
  };
  expect(await poll(6_000)).toEqual([kind]);
  // Alone in its batch, a computer trusts the name in the end, and nothing waits.
  let waits: readonly string[] = [kind];
  for (let polled = 0; polled < 10 && waits.length > 0; polled += 1) waits = await poll(60_000);
  expect(waits).toEqual([]);
});

test.each([
  ['does not prove it in a batch that may have expired, and have been made anew', 1_000, 'unknown'],
  ['is trusted in the end in any other batch', 1_800_000_000_000, 'confirmed'],
] as const)('the name of a doubtful file that cannot be read %s', async (_, madeAt, state) => {
  const ledger = createTestLedger(madeAt);
  const { store } = ledger;
  const clock = createManualClock();
  const batch = ledger.batch({ mode: 'single', kind: 'image' });
  const { id, itemIds } = ledger.transfer(batch, ['a.jpg']);
  const items = [listedFile('a.jpg')];
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: {
      batchMetadata: () => Promise.resolve(ok(null)),
      askCount: () => Promise.resolve(ok(1)),
      askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
      describeSigned: () => Promise.resolve(fail('service.busy')),
    },
  });
  beginSending(store, [id], clock.now());
  markUnknown(store, id, { lastByteAt: clock.now(), askAt: 0 }, clock.now());
  const polls = new Map<number, BatchPollState>();
  for (let polled = 0; polled < 10; polled += 1) {
    clock.advance(60_000);
    await confirm(pipeline, polls);
  }
  expect(itemById(store, itemIds[0] ?? 0)?.state).toBe(state);
});

/** A batch of one file, listed under this name, while the storage answers so about its object at first. */
function createScene(given: Partial<Batch>, name: string, atFirst: StoredAnswer) {
  let object = atFirst;
  const end = new AbortController();
  let isLast = false;
  const polls = new Map<number, BatchPollState>();
  const ledger = createTestLedger(1_800_000_000_000);
  const { store } = ledger;
  const clock = createManualClock();
  const batch = ledger.batch({ mode: 'single', ...given });
  const { id, itemIds } = ledger.transfer(batch, ['a.mp4']);
  store.run('UPDATE items SET name = ?1, name_key = ?1', name);
  const items = [listedFile(name)];
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: {
      batchMetadata: () => Promise.resolve(ok(null)),
      askCount: () => Promise.resolve(ok(1)),
      askShards: () => Promise.resolve(ok([])),
      askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
      describeSigned: () => {
        if (isLast) end.abort();
        return Promise.resolve(object);
      },
      getSigned: () => Promise.resolve(fail('service.busy')),
    },
  });
  const item = () => itemById(store, itemIds[0] ?? 0);
  return {
    store,
    id,
    item,
    waits: () => openWaits(store, batch.connectionId),
    send: (proof: 'verify' | null = null) => ledger.sent(id, clock.now(), proof),
    doubt: () => {
      beginSending(store, [id], clock.now());
      markUnknown(store, id, { lastByteAt: clock.now(), askAt: 0 }, clock.now());
    },
    becomes: (now: StoredAnswer) => {
      object = now;
    },
    /** The program ends while the object is asked for. */
    ends: () => {
      isLast = true;
    },
    /** Polls for half an hour, or until it is decided. */
    poll: async (times = 180) => {
      const isOpen = (): boolean => ['sent', 'unknown'].includes(item()?.state ?? '');
      for (let polled = 0; polled < times && isOpen(); polled += 1) {
        clock.advance(10_000);
        await confirm({ ...pipeline, signal: end.signal }, polls);
      }
    },
  };
}

test.each(['upload.urlExpired', 'service.notFound'] as const)(
  'files that others may have replaced are said to wait for the storage (%s) until a person decides',
  async (code) => {
    const scene = createScene({ kind: 'image', isExclusive: false }, 'a.mp4', fail(code));
    scene.send();
    await scene.poll(1);
    expect(scene.waits()).toMatchObject([{ kind: 'batch', code }]);
    await scene.poll();
    expect(scene.item()).toMatchObject({ state: 'parked', reason: 'upload.unproven' });
    expect(scene.waits()).toEqual([]);
  },
);

test('a command that ends with its last file leaves nothing that waits', async () => {
  const scene = createScene({ kind: 'image' }, 'a.mp4', fail('service.busy'));
  scene.send();
  await scene.poll(1);
  expect(scene.waits()).toMatchObject([{ kind: 'batch', code: 'service.busy' }]);
  // From now on the name alone counts.
  scene.becomes(fail('upload.urlExpired'));
  scene.ends();
  await scene.poll(1);
  expect(scene.waits()).toMatchObject([{ kind: 'unlisted' }]);
});

test('a name that only our content can have is not trusted where it may hold a damaged body of ours: a person decides', async () => {
  const { send, poll, item } = createScene({ kind: 'image' }, 'a~1.mp4', fail('upload.urlExpired'));
  send('verify');
  await poll();
  expect(item()).toMatchObject({ state: 'parked', reason: 'upload.unproven' });
});

/** Polls until a doubtful file, listed under its name without an object, is decided. Returns its state and its name then. */
async function decidedWithoutObject(kind: 'image' | 'video', code: ErrorCode | null) {
  const { store, id, doubt, poll, item } = createScene({ kind }, 'a.mp4', fail('service.notFound'));
  doubt();
  const proof = code === null ? null : 'verify';
  store.run('UPDATE transfers SET last_code = ?, proof = ? WHERE id = ?', code, proof, id);
  await poll();
  return { state: item()?.state, name: item()?.name };
}

test('a doubtful video that is listed without an object is sent again; an image is listed only if it arrived', async () => {
  expect(await decidedWithoutObject('video', null)).toEqual({ state: 'planned', name: 'a.mp4' });
  expect(await decidedWithoutObject('image', null)).toEqual({ state: 'confirmed', name: 'a.mp4' });
});

test('a video gets another name if the service did not take it because of its name', async () => {
  const decided = await decidedWithoutObject('video', 'service.refused');
  expect(decided).toEqual({ state: 'queued', name: null });
});

/** How a video under a name of its own ends. */
async function endsAs(state: 'sent' | 'unknown', given: Partial<Batch>, object: StoredAnswer) {
  const { send, doubt, poll, item } = createScene({ kind: 'video', ...given }, 'a~1.mp4', object);
  if (state === 'sent') send();
  else doubt();
  await poll();
  return item()?.state;
}

const SHARED = { isExclusive: false } as const;
const OWN = { hasHostInId: true } as const;
const EMPTY = ok({ status: 416, lengthBytes: 0, headers: {} });

const READ = ok({ status: 206, lengthBytes: 100, headers: {} });
const PART = ok({ status: 206, lengthBytes: 4, headers: {} });
const REFUSED = fail('upload.urlExpired');
const BODILESS = ok({ status: 200, lengthBytes: null, headers: {}, isBodiless: true });

test.each([
  ['empty, after it was taken', 'sent', SHARED, EMPTY, 'queued'],
  ['empty, after it was taken into a batch of this computer', 'sent', OWN, EMPTY, 'planned'],
  ['empty', 'unknown', SHARED, EMPTY, 'queued'],
  ['answered with an empty body', 'unknown', SHARED, BODILESS, 'queued'],
  ['missing', 'unknown', SHARED, fail('service.notFound'), 'queued'],
  ['refused', 'unknown', SHARED, REFUSED, 'queued'],
  ['refused, after it was taken', 'sent', SHARED, REFUSED, 'confirmed'],
  ['there', 'unknown', SHARED, READ, 'confirmed'],
  ['there in part', 'unknown', SHARED, PART, 'planned'],
] as const)(
  'a video under a name of its own whose object is %s',
  async (_, state, given, object, end) => {
    expect(await endsAs(state, given, object)).toBe(end);
  },
);

test('the failed comparisons of an earlier body do not make the name of the next one believed', async () => {
  const scene = createScene({ kind: 'video', ...OWN }, 'a~1.mp4', fail('service.notFound'));
  scene.doubt();
  await scene.poll();
  expect(scene.item()?.state).toBe('planned');
  scene.send();
  scene.becomes(fail('service.busy'));
  await scene.poll(2);
  expect(scene.item()?.state).toBe('sent');
  scene.becomes(EMPTY);
  await scene.poll();
  expect(scene.item()?.state).toBe('planned');
});

/** A list of 400 files in four pages. `readable`: which of their objects the storage delivers. Returns the requests of the first poll. */
async function pollOf400(
  readable: (name: string) => boolean,
  code: ErrorCode = 'service.busy',
  isExclusive = true,
) {
  const ledger = createTestLedger();
  const clock = createManualClock();
  const batch = ledger.batch({ mode: 'single', kind: 'image', isExclusive });
  const names = Array.from({ length: 400 }, (_, at) => `${at}.jpg`);
  const ids = names.map((name) => ledger.transfer(batch, [name]).id);
  const pageOf = (page: number) => ({
    items: names.slice(page * 100, page * 100 + 100).map(listedFile),
    nextPageToken: page === 3 ? null : String(page + 1),
  });
  const asked: string[] = [];
  const pipeline = createTestPipeline(ledger, {
    clock,
    client: {
      batchMetadata: () => Promise.resolve(ok(null)),
      askCount: () => Promise.resolve(ok(400)),
      askShards: () => Promise.resolve(ok([])),
      askFilesPage: (_, __, token) => Promise.resolve(ok(pageOf(Number(token)))),
      describeSigned: (url) => {
        const name = url.replace(/.*\//, '');
        asked.push(name);
        if (!readable(name)) return Promise.resolve(fail(code));
        return Promise.resolve(ok({ status: 206, lengthBytes: 1, headers: {} }));
      },
      getSigned: () => Promise.resolve(fail('service.busy')),
    },
  });
  for (const id of ids) ledger.sent(id, clock.now(), 'checksum');
  const polls = new Map<number, BatchPollState>();
  await confirm(pipeline, polls);
  const first = asked.splice(0);
  return {
    asked: first,
    /** How many are parked after a quarter of an hour. */
    parked: async (): Promise<number> => {
      for (let polled = 0; polled < 90; polled += 1) {
        clock.advance(10_000);
        await confirm(pipeline, polls);
      }
      return ledger.store.count("SELECT count(*) AS count FROM items WHERE state = 'parked'");
    },
  };
}

test('a storage that lets nothing be read is not asked about every file', async () => {
  expect((await pollOf400(() => false)).asked.length).toBe(32 + 3);
});

test.each(['upload.urlExpired', 'service.notFound'] as const)(
  'nor before a person is asked about all of them (%s)',
  async (code) => {
    const scene = await pollOf400(() => false, code, false);
    expect(await scene.parked()).toBe(400);
  },
);

test('many unreadable files leave none of the others out', async () => {
  const isReadable = (name: string): boolean => Number.parseInt(name, 10) >= 100;
  const { asked } = await pollOf400(isReadable);
  expect(new Set(asked.filter(isReadable)).size).toBe(300);
});

const COMPARING = {
  bareNames: false,
  doubted: false,
  confirmed: false,
  depth: 'samples',
  trial: null,
  altered: false,
} as const;

test.each([
  [0, null],
  [5, 1_000],
])('a listed video of %d bytes shows a delivery at %s', async (lengthBytes, deliveredAt) => {
  const ledger = createTestLedger();
  const batch = ledger.batch({ mode: 'single', kind: 'video' });
  const { id } = ledger.transfer(batch, ['a.mp4']);
  const items = [listedFile('a.mp4')];
  const pipeline = createTestPipeline(ledger, {
    clock: createManualClock(),
    client: {
      askFilesPage: () => Promise.resolve(ok({ items, nextPageToken: null })),
      describeSigned: () => Promise.resolve(ok({ status: 206, lengthBytes, headers: {} })),
    },
  });
  ledger.sent(id, 1_000, 'checksum');
  const read = await readListing(pipeline, batch, COMPARING);
  expect(read.ok && read.value.newestListedAt).toBe(deliveredAt);
});

test.each([
  ['before', [['a.mp4', 'A.mp4']]],
  ['after', [['A.mp4', 'a.mp4']]],
  ['a page before', [['a.mp4'], ['A.mp4']]],
  ['a page after', [['A.mp4'], ['a.mp4']]],
])(
  'an object that cannot be read may be ours, although one listed %s it is empty',
  async (_, pages) => {
    const ledger = createTestLedger();
    const batch = ledger.batch({ mode: 'single', kind: 'video' });
    const { id } = ledger.transfer(batch, ['a.mp4']);
    const pipeline = createTestPipeline(ledger, {
      client: {
        askFilesPage: (_batch, _part, token) => {
          const items = (pages[Number(token ?? 0)] ?? []).map(listedFile);
          const nextPageToken = token === null && pages.length > 1 ? '1' : null;
          return Promise.resolve(ok({ items, nextPageToken }));
        },
        describeSigned: (url) =>
          Promise.resolve(url.endsWith('/a.mp4') ? EMPTY : fail('service.busy')),
      },
    });
    ledger.sent(id, 1_000);
    const read = await readListing(pipeline, batch, COMPARING);
    expect(read.ok && read.value.unchecked).toMatchObject([{ nothing: false }]);
  },
);
