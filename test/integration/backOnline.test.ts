/** After an outage, everything goes on as soon as anything is answered. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasUnsent } from '../../main/engine/store/queue/waiting.ts';
import { requestsThrough } from './ports.ts';
import { createWorld } from './world.ts';

const OFFLINE = { kind: 'failure', fault: 'offline', maybeSent: false, detail: 'test' } as const;
const LOST = { kind: 'failure', fault: 'lost', maybeSent: false, detail: 'test' } as const;
const HOUR_MS = 3_600_000;

test('an answer to a view ends the wait for a network whose probe failed', async () => {
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

test('uploads that were interrupted hold nothing up once no file is left to upload', async () => {
  const world = await createWorld();
  const { root } = world.local;
  await world.local.writeImages(3);
  const blocks = new Set<string>();
  let blocksAtTheEnd: unknown = 'never looked';
  const { tally } = await world.upload({
    mode: 'single',
    wraps: [
      requestsThrough((http, request) =>
        request.method === 'GET' || blocks.size > 0 ? http.request(request) : Promise.resolve(LOST),
      ),
    ],
    onProgress: (running) => {
      const { pipeline } = running;
      const code = running.blockedBy()?.code ?? null;
      // The directory stays: without it, its files would be waited for.
      if (code !== null && !blocks.has(code))
        for (const name of readdirSync(root)) rmSync(join(root, name));
      if (code !== null) blocks.add(code);
      if (blocks.size === 0 || hasUnsent(pipeline.store, pipeline.connectionId)) return;
      expect(pipeline.gate.cause('send')).not.toBeNull();
      blocksAtTheEnd = running.blockedBy();
    },
  });
  expect([...blocks]).toEqual(['network.lost']);
  expect(tally).toMatchObject({ found: 3, open: 0, confirmed: 0 });
  expect(blocksAtTheEnd).toBeNull();
});
