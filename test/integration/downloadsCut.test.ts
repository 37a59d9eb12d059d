/** Downloads of small files over a connection that is cut every time: each try makes progress, or the download ends. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contentOf, createOutputScene } from './outputScene.ts';
import { httpWith, type Wrap } from './ports.ts';

test('with a cut after every so many bytes, a small file arrives piece by piece', async () => {
  const scene = await createOutputScene();
  await scene.put('one', 'small.bin', contentOf(2, 800_000));
  const cut = { kind: 'cutWhileAnswering', afterBytes: 300_000 } as const;
  scene.service.faults.next('GET', /^\/storage\//, cut, 1000);
  expect((await scene.fetch()).ok).toBe(true);
  expect(await readFile(join(scene.target, 'one/small.bin'))).toEqual(contentOf(2, 800_000));
});

test('cuts at the same place of a file that cannot be resumed end the download, which says so', async () => {
  const scene = await createOutputScene();
  await scene.put('one', 'small.bin', contentOf(2, 800_000));
  const cut = { kind: 'cutWhileAnswering', afterBytes: 300_000 } as const;
  scene.service.faults.next('GET', /^\/storage\//, cut, 1000);
  const unmarked: Wrap = (ports) => ({
    ...ports,
    http: httpWith(ports.http, async (http, request) => {
      const answer = await http.request(request);
      if (!('headers' in answer)) return answer;
      const { etag: _etag, 'last-modified': _date, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
  });
  const ended = await scene.fetch({ wraps: [unmarked], times: { silentMidwayMs: 500 } });
  expect(ended).toMatchObject({ ok: false, error: { code: 'network.lost' } });
});
