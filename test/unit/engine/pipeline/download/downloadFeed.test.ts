import { describe, expect, it } from 'vitest';
import type { Result } from '../../../../../preload/contract/errors.ts';
import { fail, ok } from '../../../../../main/engine/core/errors.ts';
import { createFeed } from '../../../../../main/engine/pipeline/download/downloadFeed.ts';
import { unpackedPath } from '../../../../../main/engine/pipeline/download/downloadUnpack.ts';
import type { OfferedFile } from '../../../../../main/engine/pipeline/download/listOutputs.ts';
import type { Output } from '../../../../../main/engine/store/tables/outputs.ts';
import { settle } from '../virtualClock.ts';

function output(id: number): Output {
  const key = { connectionId: 1, batchId: 'b', part: '', fileName: `${id}`, occurrence: 0 };
  const place = { target: '/t', path: `/t/files/${id}`, unpack: false, state: 'listed' } as const;
  const found = { sizeBytes: null, sha256: null, stamp: null, object: null, validator: null };
  const rest = { ...found, syncedBytes: 0, lastCode: null, attempts: 0 };
  return { id, ...key, ...place, ...rest };
}

function pageOf(from: number, size: number): readonly OfferedFile[] {
  const page = { part: null, token: null, names: [], urls: [], reading: null };
  return Array.from({ length: size }, (_, index) => ({
    output: output(from + index),
    page,
    index,
  }));
}

/** A list of equal pages that counts its requests. */
function pages(count: number, size: number) {
  const asked = { times: 0 };
  const read = (): Promise<Result<readonly OfferedFile[] | null>> => {
    const at = asked.times;
    asked.times += 1;
    return Promise.resolve(ok(at < count ? pageOf(at * size, size) : null));
  };
  return { read, asked };
}

describe('a feed', () => {
  it('hands out every file once, to any lane', async () => {
    const feed = createFeed(pages(7, 100).read);
    const got: number[] = [];
    const lane = async (): Promise<void> => {
      for (let next = await feed.next(); next !== null; next = await feed.next()) {
        got.push(next.output.id);
        await settle();
      }
    };
    await Promise.all([lane(), lane(), lane()]);
    expect(got).toHaveLength(700);
    expect(new Set(got).size).toBe(700);
    expect([feed.count(), feed.listed()]).toEqual([700, true]);
  });

  it('reads ahead, but never the whole list', async () => {
    const { read, asked } = pages(1000, 100);
    const feed = createFeed(read);
    for (let taken = 0; taken < 150; taken += 1) await feed.next();
    await settle();
    expect(asked.times).toBeGreaterThan(2);
    expect(asked.times).toBeLessThan(6);
    expect(feed.listed()).toBe(false);
  });

  it('ends with the reason when the list cannot be read', async () => {
    let times = 0;
    const feed = createFeed(() => {
      times += 1;
      return Promise.resolve(times === 1 ? ok(pageOf(0, 1)) : fail('service.busy'));
    });
    expect((await feed.next())?.output.id).toBe(0);
    expect(await feed.next()).toBeNull();
    expect([feed.failure()?.code, feed.listed()]).toEqual(['service.busy', false]);
    await feed.next();
    expect(times).toBe(2);
  });

  it('that is closed hands out nothing more', async () => {
    const feed = createFeed(pages(2, 10).read);
    await feed.next();
    feed.close();
    expect(await feed.next()).toBeNull();
    expect(feed.listed()).toBe(false);
  });
});

describe('an archive', () => {
  const among =
    (...taken: string[]) =>
    (path: string): boolean =>
      taken.includes(path);

  it.each([
    ['/t/a.tar', '/t/a'],
    ['/t/a.tar.gz', '/t/a'],
    ['/t/a.TGZ', '/t/a'],
    ['/t/a.b.zip', '/t/a.b'],
    ['/t/a.csv', null],
    ['/t/zip', null],
  ])('%s is unpacked to %s', (path, directory) => {
    expect(unpackedPath(path, among(path))).toBe(directory);
  });

  it('leaves the name to a file or another archive that means it, too', () => {
    expect(unpackedPath('/t/a.zip', among('/t/a'))).toBe('/t/a.zip.unpacked');
    expect(unpackedPath('/t/a.zip', among('/t/a.tar.gz'))).toBe('/t/a.zip.unpacked');
    expect(unpackedPath('/t/a.tar.gz', among('/t/a.zip'))).toBe('/t/a.tar.gz.unpacked');
  });
});
