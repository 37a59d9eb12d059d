/** Services that list files under names that they chose: the files are recognized by their content, and none is sent twice. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sample, tinyJpeg } from '../helpers/media.ts';
import { createBench, runCommand } from './cliRun.ts';
import { sha256 } from './localFiles.ts';
import { fastClock, requestsThrough, rewriting, type Wrap } from './ports.ts';
import { createWorld, type Finished, type World } from './world.ts';

const TIMES = { lateCommitMs: 30_000, unmeasuredLagMs: 180_000, sentPatienceMs: 600_000 };

const OFFLINE = { kind: 'failure', fault: 'offline', maybeSent: false, detail: 'test' } as const;

const NAMINGS = {
  id: (name: string) => createHash('md5').update(name).digest('hex'),
  path: (name: string) => `staging/batch-1/${name}`,
} as const;

/** The list of a service that gives each file one of these names. */
function naming(kind: keyof typeof NAMINGS): Wrap {
  return rewriting(/\/list$/, (json) =>
    json.replaceAll(
      /"fileName":"([^"]*)"/g,
      (_, name: string) => `"fileName":"${NAMINGS[kind](name)}"`,
    ),
  );
}

/** Each way of sending, the request that carries a body, and how many of those three files need. */
const WAYS = [
  ['single', 'POST', /\/upload\/image$/, 3],
  ['bulk', '*', /\/storage\/uploads\//, 1],
  ['single', 'PUT', /\/storage\/uploads\//, 3],
] as const;

/** Three files of equal lengths: images, or videos where those are sent to the storage. */
async function threeFiles(finished: Finished, method: (typeof WAYS)[number][1]): Promise<World> {
  const world = await createWorld({}, finished);
  for (const number of [1, 2, 3]) {
    if (method === 'PUT') {
      const box = Buffer.from(`\0\0\0\x10freeclip-00${String(number)}`);
      await world.local.write(`${String(number)}.mp4`, Buffer.concat([await sample('mp4'), box]));
    } else await world.local.write(`${String(number)}.jpg`, tinyJpeg(number));
  }
  await world.local.remember();
  return world;
}

test.concurrent.for(
  WAYS.flatMap((way) => (['id', 'path'] as const).map((kind) => [kind, ...way] as const)),
)(
  'what is listed by %s (%s, %s) is confirmed, and at once when that is known',
  async ([kind, mode, method, body, bodies], { onTestFinished }) => {
    const world = await threeFiles(onTestFinished, method);
    const wraps = [naming(kind)];
    const { tally } = await world.upload({ mode, times: TIMES, wraps: [...wraps, fastClock(200)] });
    expect(tally).toMatchObject({ found: 3, confirmed: 3, attention: 0 });
    expect(world.requestCount(method, body)).toBe(bodies);
    const names = world.ledger().items.map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    const paths = [await world.local.write('4.jpg', tinyJpeg(4))];
    await world.local.remember();
    const next = await world.upload({ mode: 'single', batch: 'b', paths, times: TIMES, wraps });
    expect(next.tally).toMatchObject({ found: 1, confirmed: 1, attention: 0 });
    await world.local.expectUntouched();
  },
);

test.concurrent.for(WAYS)(
  'what got no answer (%s, %s) is found under a name of the service, too',
  async ([mode, method, body, bodies], { onTestFinished }) => {
    const world = await threeFiles(onTestFinished, method);
    world.service.faults.next(method, body, { kind: 'doneButAnswerLost' });
    const wraps = [naming('id'), fastClock(200)];
    const { tally } = await world.upload({ mode, times: TIMES, wraps });
    expect(tally).toMatchObject({ found: 3, confirmed: 3, attention: 0 });
    // An address gets the same body again, which changes nothing.
    expect(world.service.state.objects('batch-1')).toHaveLength(3);
    if (method === 'POST') expect(world.requestCount(method, body)).toBe(bodies);
  },
);

test.concurrent('while its storage cannot be read, nothing is sent again to a service that names files', async ({
  onTestFinished,
}) => {
  const world = await threeFiles(onTestFinished, 'POST');
  const down = requestsThrough((http, request) =>
    request.method === 'GET' && request.url.includes('/storage/')
      ? Promise.resolve(OFFLINE)
      : http.request(request),
  );
  const posts = (): number => world.requestCount('POST', /\/upload\/image$/);
  const times = { ...TIMES, silentMidwayMs: 1_200_000 };
  const wraps = [naming('id'), fastClock(200)];
  const send = (...more: Wrap[]) =>
    world.upload({ mode: 'single', times, wraps: [...more, ...wraps] });
  await send();
  await world.local.write('4.jpg', tinyJpeg(4));
  expect((await send(down)).tally).toMatchObject({ confirmed: 3, attention: 0 });
  expect(posts()).toBe(4);
  expect((await send()).tally).toMatchObject({ confirmed: 4, attention: 0 });
  expect(posts()).toBe(4);
});

test.each(['single', 'bulk'])(
  'two computers with some equal files both end with everything there, and neither sends a file twice: %s',
  async (mode) => {
    const bench = await createBench();
    const { url, apiKey } = bench.service;
    const environment = { SLUICE_API_URL: url, SLUICE_API_KEY: apiKey };
    const wanted = new Set<string>();
    const upload = async (letter: string, from: number) => {
      const source = join(bench.directory, `source-${letter}`);
      await mkdir(source);
      for (let number = from; number < from + 8; number += 1) {
        const content = tinyJpeg(number);
        wanted.add(sha256(content));
        await writeFile(join(source, `${letter}-${String(number)}.jpg`), content);
      }
      const given = ['upload', source, '--batch', 'shared', '--mode', mode];
      const wraps = [naming('id'), fastClock(200)];
      const data = join(bench.directory, `data-${letter}`);
      return runCommand(given, data, environment, { json: true, wraps });
    };
    const ends = await Promise.all([upload('a', 0), upload('b', 4)]);
    expect(ends).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    const there = bench.service.state.objects('shared').map((object) => object.sha256);
    expect(new Set(there)).toEqual(wanted);
    expect(there.length).toBeLessThanOrEqual(16);
  },
);
