/** What `status` and `problems` say about a batch while nothing seems to happen, and about its end. */
import { expect, test } from 'vitest';
import { clockAhead } from './ports.ts';
import { createWorld, type CliEnd, type World } from './world.ts';

const DAY_MS = 24 * 60 * 60_000;

async function worldOf(service: Parameters<typeof createWorld>[0]): Promise<World> {
  const world = await createWorld(service);
  await world.local.writeImages(3);
  return world;
}

function dataOf(end: CliEnd): Record<'batches' | 'waiting', readonly Record<string, unknown>[]> {
  return Object(end.events[0]?.['data']);
}

test('files sent but not listed are reported after half a minute, by both', async () => {
  const world = await worldOf({ times: { unmeasuredLagMs: 600_000, sentPatienceMs: 600_000 } });
  const nothing = { kind: 'wrongJson', text: '{"filesMetadata":[]}' } as const;
  world.service.faults.always('GET', /\/list$/, nothing);
  world.service.faults.always('GET', /\/count$/, { kind: 'wrongJson', text: '{"count":0}' });
  const stop = new AbortController();
  const uploading = world.upload({ mode: 'single', signal: stop.signal });
  await expect.poll(() => world.service.state.objects('batch-1').length).toBe(3);
  await expect
    .poll(async () => dataOf(await world.cli(['status'], [clockAhead(31_000)])).waiting)
    .toEqual([
      expect.objectContaining({
        kind: 'unlisted',
        count: 3,
        sentence: expect.stringMatching(
          /^3 files of batch batch-1 were sent, .* For 3\d s now\. Sluice looks for them again/,
        ),
      }),
    ]);
  expect(dataOf(await world.cli(['status'])).waiting).toEqual([]);
  const problems = await world.cli(['problems'], [clockAhead(31_000)]);
  expect(problems.exitCode).toBe(0);
  expect(dataOf(problems).waiting).toMatchObject([{ kind: 'unlisted', count: 3 }]);
  stop.abort();
  await uploading;
});

test('a batch expires by the clock of the service', async () => {
  const world = await worldOf({ service: { clockSkewMs: -8 * DAY_MS } });
  expect(await world.upload({ mode: 'single' })).toMatchObject({ tally: { confirmed: 3 } });
  const status = dataOf(await world.cli(['status']));
  expect(Number(status.batches[0]?.['expiresInMs'])).toBeGreaterThan(6 * DAY_MS);
});
