/** Downloads with every character of the service: every output, complete, and nothing else. */
import { describe, expect, test } from 'vitest';
import { charactersFor } from '../characters.ts';
import { contentOf, createOutputScene, type OutputScene, sha256 } from '../outputScene.ts';
import type { StoredObject } from '../../service/state.ts';
import { stallAfter } from '../ports.ts';

const KIB = 1024;

/** Two parts with small files, and a large file, which is returned. */
async function fill(scene: OutputScene): Promise<StoredObject> {
  for (let number = 0; number < 10; number += 1) {
    await scene.put('one', `a-${number}.json`, contentOf(number, 3000 + number));
    await scene.put('two', `a-${number}.json`, contentOf(100 + number, 2000 + number));
  }
  return scene.put('two', 'large.bin', contentOf(500, 900 * KIB));
}

function wanted(scene: OutputScene): Readonly<Record<string, string>> {
  const found = scene.batch.objects.map(
    (object) => [`${object.partName ?? 'files'}/${object.name}`, object.sha256] as const,
  );
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A file under its final name holds the service's bytes; unfinished downloads have other names. */
async function expectNothingWrong(scene: OutputScene): Promise<void> {
  const { 'manifest.json': _manifest, ...found } = await scene.files();
  const right = wanted(scene);
  const wrong = Object.entries(found).filter(
    ([path, hash]) => !path.endsWith('.part') && right[path] !== hash,
  );
  expect(wrong).toEqual([]);
}

/** Fetches again and again, as a person or the program would, until it reports that everything is there. */
async function fetchAll(scene: OutputScene, signal: AbortSignal): Promise<void> {
  for (;;) {
    const fetched = await scene.fetch({ signal, wraps: [stallAfter(300)] });
    await expectNothingWrong(scene);
    if (fetched.ok && fetched.value.parked.length === 0) return;
    expect(signal.aborted).toBe(false);
    await scene.service.clock.wait(100);
  }
}

async function expectWhole(scene: OutputScene): Promise<void> {
  const { 'manifest.json': manifest, ...found } = await scene.files();
  expect(manifest).toBeDefined();
  expect(found).toEqual(wanted(scene));
}

describe.each(charactersFor('downloads'))('%s', (_, service) => {
  test('all of it comes, and a second time none of it', async ({ signal }) => {
    const scene = await createOutputScene(service);
    await fill(scene);
    await fetchAll(scene, signal);
    await expectWhole(scene);
    const gets = scene.gets();
    await fetchAll(scene, signal);
    expect(scene.gets()).toBe(gets);
    await expectWhole(scene);
  });

  test('cut in the middle, and replaced meanwhile, it is whole', async ({ signal }) => {
    const scene = await createOutputScene(service);
    const large = await fill(scene);
    const ofLarge = new RegExp(large.objectId);
    scene.service.faults.next('GET', ofLarge, { kind: 'slow', bytesPerSecond: 512 * KIB });
    scene.service.faults.next('GET', /storage/, { kind: 'cutWhileAnswering', afterBytes: 500 }, 3);
    scene.service.faults.next('GET', /storage/, { kind: 'html', status: 200 }, 2);
    const stop = new AbortController();
    const onProgress = ({ bytes }: { readonly bytes: number }): void => {
      if (bytes > 300 * KIB) stop.abort();
    };
    await scene.fetch({ signal: stop.signal, onProgress, wraps: [stallAfter(300)] });
    await expectNothingWrong(scene);
    expect(await scene.files()).not.toHaveProperty(['two/large.bin']);
    await scene.replace(large, contentOf(501, 900 * KIB));
    await fetchAll(scene, signal);
    await expectWhole(scene);
  });
});

describe('what a storage states about an output', () => {
  test.each(['none', 'goog', 'etag', 'amz', 'odd-etag'] as const)('%s', async (states) => {
    const scene = await createOutputScene({ settings: { states, largestPage: 4 } });
    const object = await scene.put('one', 'large.bin', contentOf(1, 600 * KIB));
    expect(object.sha256).toBe(sha256(contentOf(1, 600 * KIB)));
    scene.service.faults.next('GET', /storage/, {
      kind: 'cutWhileAnswering',
      afterBytes: 300 * KIB,
    });
    expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: 1, parked: [] } });
    await expectWhole(scene);
  });
});

describe('a list of outputs that is not there at first', () => {
  const EMPTY = '{"status":"ok","filesMetadata":[],"nextPageToken":null}';
  test.each([
    ['404', { kind: 'status', status: 404 }],
    ['empty', { kind: 'wrongJson', text: EMPTY }],
    ['a page of HTML', { kind: 'html', status: 404 }],
  ] as const)('%s', async (_, fault) => {
    const scene = await createOutputScene();
    await fill(scene);
    scene.service.faults.next('GET', /\/list/, fault, 2);
    const first = await scene.fetch();
    const there = Object.keys(await scene.files()).filter((path) => path !== 'manifest.json');
    // Either the download waited for it, or it reports that something is missing.
    if (first.ok && first.value.parked.length === 0) expect(there).toHaveLength(21);
  });
});
