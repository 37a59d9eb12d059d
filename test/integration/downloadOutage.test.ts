/** An outage in the middle of a download: Sluice waits for its end without giving up, and shows anything that it had to give up. */
import { describe, expect, test } from 'vitest';
import { openShared } from '../../main/engine/host/openLedger.ts';
import { parkedOutputs } from '../helpers/parkedOutputs.ts';
import { waitsOf } from '../../main/engine/store/tables/waits.ts';
import type { Fault } from '../service/faults.ts';
import { fastClock, requestsThrough, type Wrap } from './ports.ts';
import { contentOf, createOutputScene, type OutputScene } from './outputScene.ts';
import { join } from 'node:path';

/** The download's clock runs this many times as fast. */
const FACTOR = 100;
const OUTAGE_MS = 40_000;
/** The program's real times, where an outage matters. */
const TIMES = {
  backoffFirstMs: 1_000,
  backoffMaxMs: 300_000,
  probeMaxMs: 15_000,
  resultsAgainMs: 30_000,
  resultsPatienceMs: 120_000,
  silentStartMs: 60_000,
  silentMidwayMs: 600_000,
};

const ANSWERS: readonly (readonly [string, Fault])[] = [
  ['503 as JSON', { kind: 'status', status: 503 }],
  ['a page with 403', { kind: 'html', status: 403 }],
  ['a page with 404', { kind: 'html', status: 404 }],
  ['a page with 200', { kind: 'html', status: 200 }],
  ['500 as text', { kind: 'wrongJson', status: 500, text: 'oops', contentType: 'text/plain' }],
  ['302', { kind: 'html', status: 302, location: 'http://127.0.0.1:9/sign-in' }],
  ['403 as JSON', { kind: 'status', status: 403, body: { error: 'Forbidden' } }],
  ['404 as JSON', { kind: 'status', status: 404, body: { error: 'Not found' } }],
];
const PATHS = { list: /\/list$/, parts: /\/parts$/, file: /^\/storage\// } as const;

/** Every matching request meets the fault, from number `after` on, until the outage is over. */
function outage(scene: OutputScene, path: RegExp, fault: Fault, after: number): Wrap {
  let seen = 0;
  let endsAt: number | null = null;
  return requestsThrough((http, request, clock) => {
    const now = clock.monotonicMs();
    if (path.test(new URL(request.url).pathname)) seen += 1;
    if (endsAt === null && seen > after) {
      endsAt = now + OUTAGE_MS;
      scene.service.faults.always('GET', path, fault);
    }
    if (endsAt !== null && now > endsAt) scene.service.faults.clear();
    return http.request(request);
  });
}

async function scene(files = 6): Promise<OutputScene> {
  const made = await createOutputScene({ settings: { largestPage: 2 } });
  for (let number = 0; number < files; number += 1) {
    await made.put(number % 2 === 0 ? 'one' : 'two', `${number}.csv`, contentOf(number, 500));
  }
  return made;
}

function inLedger<T>(
  { directory }: OutputScene,
  look: (store: ReturnType<typeof openShared>) => T,
): T {
  const store = openShared(join(directory, 'data'));
  try {
    return look(store);
  } finally {
    store.close();
  }
}

describe.each(Object.entries(PATHS))('an outage of the %s', (name, path) => {
  test.each(ANSWERS)('that answers %s is waited for', async (_, fault) => {
    const made = await scene();
    const after = name === 'file' ? 3 : 0;
    const wraps = [fastClock(FACTOR), outage(made, path, fault, after)];
    const fetched = await made.fetch({ wraps, times: TIMES });
    expect(fetched).toMatchObject({ ok: true, value: { files: 6, parked: [] } });
    expect(inLedger(made, (store) => waitsOf(store, 1))).toEqual([]);
  });
});

test('an outage from the first file on parks none', async () => {
  const made = await scene(2);
  const fault: Fault = { kind: 'html', status: 200 };
  const wraps = [fastClock(FACTOR), outage(made, PATHS.file, fault, 0)];
  const fetched = await made.fetch({ wraps, times: TIMES });
  expect(fetched).toMatchObject({ ok: true, value: { files: 2, parked: [] } });
});

describe('a download that is given up', () => {
  test('is shown until the same download ends well', async () => {
    const made = await scene();
    made.service.faults.always('GET', PATHS.list, { kind: 'html', status: 403 });
    const wraps = [fastClock(FACTOR)];
    expect(await made.fetch({ wraps })).toMatchObject({
      ok: false,
      error: { code: 'network.intercepted' },
    });
    expect(inLedger(made, (store) => waitsOf(store, 1))).toMatchObject([
      { subject: 'download:out', code: 'network.intercepted', nextAt: null },
    ]);
    made.service.faults.clear();
    expect(await made.fetch()).toMatchObject({ ok: true, value: { files: 6 } });
    expect(inLedger(made, (store) => waitsOf(store, 1))).toEqual([]);
  });

  test('leaves what was given up before where a person sees it', async () => {
    const made = await scene();
    const [bad] = made.batch.objects;
    const absent: Fault = { kind: 'status', status: 404 };
    made.service.faults.always('GET', new RegExp(`${bad?.objectId ?? ''}$`), absent);
    expect(await made.fetch()).toMatchObject({ ok: true, value: { files: 5, parked: [{}] } });
    made.service.faults.always('GET', PATHS.file, absent);
    await made.fetch();
    expect(inLedger(made, (store) => parkedOutputs(store, 1))).toHaveLength(1);
  });
});
