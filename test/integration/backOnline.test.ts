/** After an outage, everything goes on as soon as anything is answered. */
import { expect, test } from 'vitest';
import { requestsThrough } from './ports.ts';
import { createWorld } from './world.ts';

const OFFLINE = { kind: 'failure', fault: 'offline', maybeSent: false, detail: 'test' } as const;
const HOUR_MS = 3_600_000;

test('an answer to a view ends the wait for a network that was tried in vain', async () => {
  const world = await createWorld();
  await world.local.writeImages(3);
  let isOffline = true;
  const network = requestsThrough((http, request) =>
    isOffline ? Promise.resolve(OFFLINE) : http.request(request),
  );
  const { tally } = await world.upload({
    wraps: [network],
    // The next probe is due long after the test.
    times: { gateFirstMs: HOUR_MS, probeMaxMs: HOUR_MS, silentStartMs: HOUR_MS },
    onProgress: ({ pipeline: { gate, client, signal } }) => {
      if (!isOffline || gate.connection() === null) return;
      isOffline = false;
      void client.askCount('batch-1', null, signal);
    },
  });
  expect(tally).toMatchObject({ found: 3, confirmed: 3 });
  await world.expectExactlyOnce({ allConfirmed: true });
});
