/** A list that shifts between two of its pages: some files appear twice, and as many others not at all. */
import { describe, expect, test } from 'vitest';
import { requestsThrough, type Wrap } from './ports.ts';
import { contentOf, createOutputScene, type OutputScene } from './outputScene.ts';

describe('a list that shifts between two of its pages', () => {
  /** Runs `act` before the second page of each of the first `times` readings is requested. */
  function betweenPages(times: number, act: () => void): Wrap {
    let left = times;
    return requestsThrough((http, request) => {
      if (/\/list\?.*pageToken/i.test(request.url) && left > 0) {
        left -= 1;
        act();
      }
      return http.request(request);
    });
  }

  async function putFiles(scene: OutputScene): Promise<void> {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await scene.put('one', name, contentOf(name.charCodeAt(0), 300));
    }
  }

  test('is read again: what it showed twice hides what it did not show', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    await putFiles(scene);
    const { objects } = scene.batch;
    const early = await scene.put('one', 'early', contentOf(99, 300));
    objects.pop();
    const shift = betweenPages(1, () => objects.unshift(early));
    const said: { readonly done: number; readonly files: number }[] = [];
    const onProgress = (now: (typeof said)[number]): void => void said.push(now);
    expect(await scene.fetch({ wraps: [shift], onProgress })).toMatchObject({ ok: true });
    expect(said.filter(({ done, files }) => done > files)).toEqual([]);
    const found = await scene.files();
    for (const { name, sha256: hash } of objects) expect(found[`one/${name}`]).toBe(hash);
  });

  test('that shifts in every reading is complete once everything was shown, with one copy of each', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    await putFiles(scene);
    const { objects } = scene.batch;
    const shift = betweenPages(1_000, () => objects.unshift(...objects.splice(-1)));
    expect(await scene.fetch({ wraps: [shift] })).toMatchObject({ ok: true, value: { files: 5 } });
    expect(Object.keys(await scene.files())).toHaveLength(1 + 5);
    expect(scene.gets()).toBe(5);
  });

  test('that never shows one of its files is not called complete', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    await putFiles(scene);
    const { objects } = scene.batch;
    objects.pop();
    let turn = 0;
    const shift = betweenPages(1_000, () => {
      objects.length = 4;
      objects.push(...objects.slice(turn % 4, (turn % 4) + 1));
      turn += 1;
    });
    objects.push(...objects.slice(-1));
    expect(await scene.fetch({ wraps: [shift] })).toMatchObject({
      ok: false,
      error: { code: 'results.incomplete' },
    });
    expect(scene.gets()).toBe(4);
  });

  test('the same file listed twice is fetched once', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    await putFiles(scene);
    const { objects } = scene.batch;
    objects.push(...objects.slice(0, 1));
    const first = await scene.fetch();
    expect(first).toMatchObject({ ok: true, value: { files: 5 } });
    objects.reverse();
    expect(await scene.fetch()).toEqual(first);
    expect(Object.keys(await scene.files())).toHaveLength(1 + 5);
    expect(scene.gets()).toBe(5);
  });

  test('files of the same name are distinguished by what is stored, in any order', async () => {
    const scene = await createOutputScene();
    const { sha256: one } = await scene.put('one', 'a', contentOf(1, 300));
    await scene.fetch();
    const { sha256: other } = await scene.put('one', 'a', contentOf(2, 300));
    scene.batch.objects.reverse();
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 2 } });
    expect(await scene.files()).toMatchObject({ 'one/a': one, 'one/a~2': other });
  });

  test('a file that was created again under another address, and is here, is not fetched again', async () => {
    const scene = await createOutputScene();
    await putFiles(scene);
    const made = await scene.put('one', 'f', contentOf(1, 300));
    await scene.fetch();
    await scene.replace(made, contentOf(2, 300));
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 6 } });
    expect(scene.gets()).toBe(6);
  });

  test('files that really are there twice, with the same content, are both fetched', async () => {
    const scene = await createOutputScene({ settings: { largestPage: 2 } });
    for (const name of ['a', 'b', 'b', 'c']) await scene.put('one', name, contentOf(7, 300));
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 4 } });
    const found = await scene.files();
    expect(Object.keys(found)).toHaveLength(1 + 4);
  });
});

test('a part without files is looked at once more after a pass that took longer than it is waited for', async () => {
  const scene = await createOutputScene();
  for (const part of ['one', 'two']) await scene.put(part, 'a', contentOf(1, 300));
  const { objects } = scene.batch;
  objects.splice(0, objects.length, ...objects.filter(({ partName }) => partName === 'two'));
  let manifests = 0;
  const slowSecondManifest: Wrap = (ports) => {
    const { clock, files } = ports;
    const monotonicMs = (): number => clock.monotonicMs() + (manifests < 2 ? 0 : 5_000);
    // Small files are written at once, so that only the manifest has a part.
    const openPart: typeof files.openPart = (...given) => {
      manifests += 1;
      return files.openPart(...given);
    };
    return { ...ports, clock: { ...clock, monotonicMs }, files: { ...files, openPart } };
  };
  const fetched = await scene.fetch({ wraps: [slowSecondManifest] });
  expect(fetched).toMatchObject({ ok: true, value: { files: 1 } });
});

test.each([
  ['a list that was empty at first', 2, {}],
  ['a list that was waited for', 0, { emptyForMs: 300 }],
])('%s and fills file by file is read until it stays as it is', async (_, empty, options) => {
  const scene = await createOutputScene();
  for (const name of ['a', 'b', 'c', 'd']) {
    await scene.put('one', name, contentOf(name.charCodeAt(0), 300));
  }
  const later = scene.batch.objects.splice(0);
  let readings = 0;
  const filling = requestsThrough((http, request) => {
    if (/\/list\?/.test(request.url)) {
      readings += 1;
      if (readings > empty) scene.batch.objects.push(...later.splice(0, 1));
    }
    return http.request(request);
  });
  const fetched = await scene.fetch({ ...options, wraps: [filling] });
  expect(fetched).toMatchObject({ ok: true, value: { files: 4 } });
  expect(later).toEqual([]);
});
