/** Ingest by reference: addresses are fetched in the background, and only from where they may be. */
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { tinyPng } from '../helpers/media.ts';
import { createReferenceService, type ReferenceService } from './referenceService.ts';
import { batchPath, call } from './testRequests.ts';

let service: ReferenceService;
let origin = '';
const shelf = createServer((request, response) => {
  const number = Number(/\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) response.writeHead(404).end();
  else response.end(tinyPng(number));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => shelf.listen(0, '127.0.0.1', resolve));
  const address = shelf.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(() => {
  shelf.closeAllConnections();
  shelf.close();
});
beforeEach(async () => {
  service = await createReferenceService({ clock: 'manual' });
});
afterEach(() => service.close());

const ingest = (kind: 'image' | 'video', json: unknown) =>
  call(service, 'POST', batchPath(service, 'b', `bulk-upload/${kind}-references`), { json });

test('images come into a shard, missing ones are named, the same ingest is taken once', async () => {
  const request = {
    ingestId: 'i1',
    imageReferences: [
      { name: 'a.png', url: `${origin}/1` },
      { name: 'b.png', url: `${origin}/gone` },
    ],
  };
  const first = await ingest('image', request);
  expect(first.json).toMatchObject({ ingestId: 'i1', shardIds: [expect.any(String)] });
  await service.clock.advance(1000);
  expect(service.state.objects('b')).toMatchObject([{ name: 'a.png', width: 4, height: 4 }]);
  const shards = await call(service, 'GET', batchPath(service, 'b', 'shards'));
  expect(shards.json).toMatchObject({
    shards: [
      {
        statusType: 'error',
        statusMetadata: { failedFiles: [{ fileName: 'b.png', type: 'download-failed' }] },
      },
    ],
  });
  expect((await ingest('image', request)).json).toMatchObject({ duplicated: true });
  await service.clock.advance(1000);
  expect(service.state.objects('b')).toHaveLength(1);
});

test('videos come into a simple batch', async () => {
  await ingest('video', { videoReferences: [{ name: 'a.mp4', url: `${origin}/1` }] });
  await service.clock.advance(1000);
  expect(service.state.batch('b')).toMatchObject({ type: 'simple-batch', contentType: 'videos' });
  expect(service.state.objects('b')).toHaveLength(1);
});

test('addresses elsewhere are not fetched', async () => {
  await ingest('image', { imageReferences: [{ name: 'a.png', url: 'https://example.com/a.png' }] });
  await service.clock.advance(1000);
  expect(service.state.objects('b')).toEqual([]);
});

test.each([
  {},
  { imageReferences: [] },
  { imageReferences: [{ name: 'a' }] },
  { imageReferencesURL: 'https://example.com/x' },
])('refuses %j', async (json) => {
  expect((await ingest('image', json)).status).toBe(400);
});
