/** Files that the service takes and does not list: they are looked for before they are sent again, however long they wait. */
import { expect, test } from 'vitest';
import { fastClock, requestsThrough } from './ports.ts';
import { createWorld, type Finished, type World } from './world.ts';

/** Answers of a service that shows nothing of a batch. */
const NO_COUNT = { kind: 'wrongJson', text: '{"status":"ok","count":0}' } as const;
const NO_FILES = { kind: 'wrongJson', text: '{"status":"ok","filesMetadata":[]}' } as const;

/** Each way of sending, the request that carries a body, and how many of them carry three images. */
const WAYS = [
  ['single', /\/upload\/image$/, 3],
  ['bulk', /\/storage\/uploads\//, 1],
] as const;

/** A service that takes images, three unless said otherwise, and shows nothing of them; its count is correct before anything is sent. */
async function unlistedWorld(finished: Finished, files = 3): Promise<World> {
  const world = await createWorld({}, finished);
  await world.local.writeImages(files);
  world.service.faults.next('GET', /\/count$/, { kind: 'delay', ms: 0 });
  world.service.faults.always('GET', /\/count$/, NO_COUNT);
  world.service.faults.always('GET', /\/list$/, NO_FILES);
  return world;
}

const OFFLINE = { kind: 'failure', fault: 'offline', maybeSent: false, detail: 'test' } as const;

/** More than are sent at the same time. */
const FILES = 40;
const LOST_TIMES = { lateCommitMs: 30_000, unmeasuredLagMs: 180_000 };
/** Where what is proved must be used within 30 s: a busy machine does not stop for half a second. */
const CAREFUL = 50;

test.concurrent('a service that takes everything and lists nothing confirms nothing; later it is all there', async ({
  onTestFinished,
}) => {
  const world = await unlistedWorld(onTestFinished);
  const times = { sentPatienceMs: 600_000, lateCommitMs: 30_000, unmeasuredLagMs: 180_000 };
  const { tally } = await world.upload({ wraps: [fastClock(200)], times });
  // It gives up or asks for a person, whichever comes first.
  expect(tally).toMatchObject({ found: 3, confirmed: 0, skipped: 0 });
  // At most once more the same bytes under the same names.
  const posts = (): number => world.requestCount('POST', /upload\/image/);
  expect(posts()).toBeLessThanOrEqual(6);
  const before = posts();
  world.service.faults.clear();
  await world.cli(['problems', '--retry', 'all']);
  await world.upload();
  expect(posts()).toBe(before);
  expect(world.ledger().items.map(({ state }) => state)).toEqual(Array(3).fill('confirmed'));
});

test.concurrent.for(WAYS)(
  'what counted as lost (%s) and is listed before another run sends it again is not sent twice',
  async ([mode, body, bodies], { onTestFinished }) => {
    const world = await unlistedWorld(onTestFinished);
    const sent = (): number => world.requestCount('*', body);
    // The program is stopped as it is about to send the first one again.
    const stopped = new AbortController();
    const stopping = requestsThrough((http, request) => {
      if (body.test(new URL(request.url).pathname) && sent() >= bodies) stopped.abort();
      return http.request(request);
    });
    const { signal } = stopped;
    await world.upload({
      mode,
      wraps: [fastClock(CAREFUL), stopping],
      times: LOST_TIMES,
      signal,
    });
    expect(signal.aborted).toBe(true);
    expect(sent()).toBe(bodies);
    world.service.faults.clear();
    await world.upload({ mode });
    expect(sent()).toBe(bodies);
    await world.expectExactlyOnce({ allConfirmed: true });
  },
);

test.concurrent('what counted as lost and is listed during an outage is not sent twice', async ({
  onTestFinished,
}) => {
  const world = await unlistedWorld(onTestFinished, FILES);
  const sent = (): number => world.requestCount('POST', /upload\/image/);
  let outageAt: number | null = null;
  // The network is lost for 40 s when the first ones are about to be sent again; the service lists everything meanwhile.
  const outage = requestsThrough((http, request, clock) => {
    const now = clock.monotonicMs();
    if (sent() >= FILES && request.method === 'POST') outageAt ??= now;
    if (outageAt === null || now > outageAt + 40_000) return http.request(request);
    world.service.faults.clear();
    return Promise.resolve(OFFLINE);
  });
  await world.upload({ mode: 'single', wraps: [fastClock(CAREFUL), outage], times: LOST_TIMES });
  expect(outageAt).not.toBeNull();
  expect(sent()).toBe(FILES);
  await world.expectExactlyOnce({ allConfirmed: true });
});

test.concurrent.for(WAYS)(
  'what counted as lost (%s) and is listed while its batch is paused for a minute is not sent twice',
  async ([mode, body, bodies], { onTestFinished }) => {
    const world = await unlistedWorld(onTestFinished);
    let now = (): number => 0;
    let pausedAt: number | null = null;
    let wentOn = false;
    await world.upload({
      mode,
      wraps: [fastClock(CAREFUL)],
      times: LOST_TIMES,
      // Paused by the same transaction that counts them as lost.
      wrapStore: (store) => ({
        ...store,
        soon: <T>(work: () => T): Promise<T> =>
          store.soon(() => {
            const result = work();
            if (pausedAt !== null || !store.has('SELECT 1 FROM transfers WHERE absent_at > 0'))
              return result;
            store.run('UPDATE batches SET paused = 1');
            pausedAt = now();
            world.service.faults.clear();
            return result;
          }),
      }),
      onProgress: ({ pipeline: { store, time, changed } }) => {
        now = time.now;
        if (pausedAt === null || wentOn || time.now() < pausedAt + 60_000) return;
        wentOn = true;
        store.run('UPDATE batches SET paused = 0');
        changed('transfer', 'confirm');
      },
    });
    expect(pausedAt).not.toBeNull();
    expect(world.requestCount('*', body)).toBe(bodies);
    await world.expectExactlyOnce({ allConfirmed: true });
  },
);

test.concurrent.for(WAYS)(
  'what was given up as taken and not listed (%s) is confirmed as soon as the list shows it',
  async ([mode, body], { onTestFinished }) => {
    const world = await unlistedWorld(onTestFinished);
    const reasons = (): unknown => new Set(world.ledger().items.map(({ reason }) => reason));
    const times = { ...LOST_TIMES, sentPatienceMs: 60_000 };
    await world.upload({ mode, wraps: [fastClock(200)], times });
    expect(reasons()).toEqual(new Set(['upload.unproven']));
    const sent = world.requestCount('*', body);
    await world.upload({ mode });
    expect(reasons()).toEqual(new Set(['upload.unproven']));
    world.service.faults.clear();
    await world.upload({ mode });
    expect(world.requestCount('*', body)).toBe(sent);
    expect(world.ledger().items.map(({ state }) => state)).toEqual(Array(3).fill('confirmed'));
  },
);

test.concurrent.for(WAYS)(
  'what would count as lost (%s) while its batch is paused is looked for before it is sent again',
  async ([mode, body, bodies], { onTestFinished }) => {
    const world = await unlistedWorld(onTestFinished);
    const sent = (): number => world.requestCount('*', body);
    const lists = (): number => world.requestCount('GET', /\/list$/);
    let pausedAt: number | null = null;
    let listedFrom = Infinity;
    let wentOn = false;
    await world.upload({
      mode,
      wraps: [fastClock(200)],
      times: LOST_TIMES,
      onProgress: ({ pipeline: { store, time, changed } }) => {
        if (pausedAt === null && store.has(`SELECT 1 FROM transfers WHERE state = 'sent'`)) {
          store.run('UPDATE batches SET paused = 1');
          pausedAt = time.now();
        }
        if (pausedAt === null || wentOn || time.now() < pausedAt + 5 * 60_000) return;
        world.service.faults.clear();
        listedFrom = Math.min(listedFrom, lists());
        // A list that was being read meanwhile is still an empty one.
        const isAwaited = store.has(`SELECT 1 FROM transfers WHERE state IN ('sent', 'unknown')`);
        if (isAwaited && lists() < listedFrom + 2) return changed('confirm');
        store.run('UPDATE batches SET paused = 0');
        changed('transfer', 'confirm');
        wentOn = true;
      },
    });
    expect(pausedAt).not.toBeNull();
    expect(listedFrom).toBeLessThan(Infinity);
    await world.upload({ mode });
    expect(sent()).toBe(bodies);
    await world.expectExactlyOnce({ allConfirmed: true });
  },
);
