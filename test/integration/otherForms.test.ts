/** A service whose answers have another form than the documented one, or less in them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tinyJpeg } from '../helpers/media.ts';
import { createBench } from './cliRun.ts';
import { fastClock, rewriting, type Wrap } from './ports.ts';

const PLAIN = { headers: { 'content-type': 'text/plain' } };

describe('a refusal in plain text', () => {
  const faultOf = (status: number, body: string) =>
    ({ kind: 'status', status, body, ...PLAIN }) as const;

  test.each([
    [404, 'Batch nope not found', 'The service does not know this (Batch nope not found).'],
    [422, 'No such batch', 'The service refused this (No such batch).'],
  ])('%i is the service’s own after a proper answer', async (status, body, words) => {
    const bench = await createBench();
    bench.service.faults.always('GET', /\/nope\/count$/, faultOf(status, body));
    const end = await bench.sluice(['batch', 'count', 'nope'], { wraps: [fastClock(100)] });
    expect(end.exitCode).toBe(3);
    expect(end.stderr).toContain(words);
  });

  test.each([
    ['404 page not found', 404, 'does not understand the service’s answer'],
    ['not now', 502, 'The service is busy'],
  ])('"%s" from an unknown sender proves nothing about a batch', async (body, status, words) => {
    const bench = await createBench();
    bench.service.faults.always('GET', /\/count$/, faultOf(status, body));
    const given = ['batch', 'count', 'nope', '--workspace', 'demo'];
    const end = await bench.sluice(given, { wraps: [fastClock(100)] });
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toContain(`${words} (${body})`);
    expect(end.stderr).not.toContain('Sign in');
  });

  test.each([
    [404, '404 page not found', '(404 page not found; or the service does not name'],
    [200, 'welcome', '(or the service does not name'],
  ])('%i instead of the workspace says that it is missing', async (status, body, words) => {
    const bench = await createBench();
    bench.service.faults.always('GET', /^\/$/, faultOf(status, body));
    const end = await bench.sluice(['folder', 'list'], { wraps: [fastClock(100)] });
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain(
      `${words} the workspace of the key: set SLUICE_WORKSPACE). Sluice`,
    );
    const doctor = await bench.sluice(['doctor']);
    expect(doctor.exitCode).toBe(3);
    expect(doctor.stdout).toMatch(/BAD +workspace: .*\n +Set SLUICE_WORKSPACE/);
  });

  test('is no refusal of the key', async () => {
    const bench = await createBench();
    bench.service.faults.always('GET', /^\/$/, faultOf(403, 'not from here'));
    const doctor = await bench.sluice(['doctor'], { wraps: [fastClock(100)] });
    expect(doctor.exitCode).toBe(5);
    expect(doctor.stdout).toMatch(/BAD +address: .*\(not from here\)/);
  });
});

describe('what the service does not state is not shown as nothing', () => {
  const without = (names: string): Wrap =>
    rewriting(/\/(folders|batches|jobs)$/, (json) =>
      json
        .replace(new RegExp(`"(${names})":(\\[[^\\]]*\\]|\\d+),?`, 'g'), '')
        .replaceAll(',}', '}'),
    );

  test('projects of a folder', async () => {
    const bench = await createBench();
    const given = ['folder', 'move', 'leaf-damage', '--to', 'Quality'];
    const end = await bench.sluice(given, { wraps: [without('projects')] });
    expect(end).toMatchObject({ exitCode: 0 });
    expect(end.stdout).toContain('Moved leaf-damage to Quality.');
  });

  test('counts of an image batch and of an annotation job, of which there is never a second', async () => {
    const bench = await createBench();
    const wraps = [
      without('images|numImages|annotated|unannotated|approved|rejected'),
      rewriting(/\/jobs$/, (json) => json.replace(/"labeler":"[^"]*",/g, '')),
    ];
    const people = ['--labeler', 'labeler@example.com', '--reviewer', 'reviewer@example.com'];
    const job = ['--name', 'Caps', '--batch', 'Day shift', '--images', '10', ...people];
    const create = ['annotation-job', 'create', 'bottle-caps', ...job];
    const first = await bench.sluice(create, { wraps });
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.stdout).toContain('10 images for labeler@example.com');
    expect((await bench.sluice(create, { wraps })).stdout).toContain('already');
    expect(bench.service.log.count('POST', /\/jobs$/)).toBe(1);
    const { stdout } = await bench.sluice(['annotation-job', 'list', 'bottle-caps'], { wraps });
    expect(stdout).toContain('Caps');
    expect(stdout).not.toContain('0 of 0');
    const uncounted = [without('annotated|unannotated|approved|rejected')];
    const list = await bench.sluice(['annotation-job', 'list', 'bottle-caps'], {
      wraps: uncounted,
    });
    expect(list.stdout).toContain('Caps');
    expect(list.stdout).not.toMatch(/0 of \d|0 %/);
  });
});

test('a job whose start is answered with nothing is found at the service, and started once', async () => {
  const bench = await createBench();
  const image = join(bench.directory, '1.jpg');
  await writeFile(image, tinyJpeg(1));
  await bench.sluice(['upload', image, '--batch', 'b']);
  const empty = rewriting(/\/jobs\/night-1$/, (json) => (json.includes('"job"') ? json : ''));
  const given = ['job', 'start', 'night-1', '--batch', 'b', '--workflow', 'find-caps'];
  const end = await bench.sluice(given, { wraps: [fastClock(100), empty] });
  expect(end).toMatchObject({ exitCode: 0 });
  expect(end.stderr).toContain('(an empty answer came)');
  expect(bench.service.log.count('POST', /\/jobs\/night-1$/)).toBe(1);
});

test('a job whose start is in doubt, and that the service shows late, is started once', async () => {
  const bench = await createBench();
  const image = join(bench.directory, '1.jpg');
  await writeFile(image, tinyJpeg(1));
  await bench.sluice(['upload', image, '--batch', 'b']);
  bench.service.faults.next('POST', /\/jobs\/night-1$/, { kind: 'doneButAnswerLost' });
  const unknown = { kind: 'status', status: 404, body: '{"error":"no such job"}' } as const;
  bench.service.faults.next('GET', /\/jobs\/night-1$/, unknown, 3);
  const given = ['job', 'start', 'night-1', '--batch', 'b', '--workflow', 'find-caps'];
  const end = await bench.sluice(given, { wraps: [fastClock(100)] });
  expect(end).toMatchObject({ exitCode: 0 });
  expect(end.stderr).toContain('Sluice asks the service.');
  expect(bench.service.log.count('POST', /\/jobs\/night-1$/)).toBe(1);
});

test.each(['"$1":null', '"status":"ok"'])(
  'a service that writes empty lists as %s has nothing',
  async (empty) => {
    const bench = await createBench();
    const wraps = [
      rewriting(/\/(shards|list|folders|jobs|batches)$/, (json) =>
        json.replace(/"(shards|filesMetadata|data|jobs|batches)":\[.*\]/s, empty),
      ),
    ];
    const say = async (...given: readonly string[]) =>
      (await bench.sluice(given, { wraps })).exitCode;
    expect(await say('batch', 'shards', 'b')).toBe(0);
    expect(await say('batch', 'files', 'b')).toBe(0);
    expect(await say('job', 'list')).toBe(0);
    expect(bench.said.join('')).toContain('No jobs yet.');
    expect(await say('folder', 'list')).toBe(0);
    expect(await say('project', 'batches', 'bottle-caps')).toBe(0);
    expect(await say('annotation-job', 'list', 'bottle-caps')).toBe(0);
  },
);

test('JSON that is no answer of the service is not called a sign-in page, and the request is named', async () => {
  const bench = await createBench();
  const image = join(bench.directory, '1.jpg');
  await writeFile(image, tinyJpeg(1));
  const wraps = [fastClock(100), rewriting(/\/(folders|list)$/, () => '{"rows":{"a":1}}')];
  const folders = await bench.sluice(['folder', 'list'], { wraps });
  expect(folders).toMatchObject({ exitCode: 5 });
  expect(folders.stderr).toContain('the service’s answer (request: list folders). Check');
  const stop = new AbortController();
  const upload = bench.sluice(['upload', image, '--batch', 'b'], { wraps, signal: stop.signal });
  const waits = async () => (await bench.sluice(['status'])).stdout;
  await expect.poll(waits, { timeout: 30_000 }).toContain('answer (request: batch files)');
  expect(await waits()).not.toContain('sign-in page');
  stop.abort();
  await upload;
});

test('a service that answers with bare lists and numbers gets every file once', async () => {
  const bench = await createBench();
  for (const seed of [1, 2, 3])
    await writeFile(join(bench.directory, `${String(seed)}.jpg`), tinyJpeg(seed));
  const wraps = [
    fastClock(60),
    rewriting(/\/(count|shards|list|folders|batches|jobs)$/, (json) => {
      const [content] = Object.entries<unknown>(JSON.parse(json)).filter(
        ([, value]) => typeof value === 'number' || Array.isArray(value),
      );
      return content === undefined ? json : JSON.stringify(content[1]);
    }),
  ];
  const say = (...given: readonly string[]) => bench.sluice(given, { wraps });
  for (const mode of ['single', 'bulk'])
    expect(await say('upload', bench.directory, '--batch', mode, '--mode', mode)).toMatchObject({
      exitCode: 0,
    });
  expect(bench.service.state.objects('single')).toHaveLength(3);
  expect(bench.service.state.objects('bulk')).toHaveLength(3);
  expect((await say('folder', 'list')).stdout).toContain('Quality');
  expect((await say('project', 'batches', 'bottle-caps')).stdout).toContain('Day shift');
  expect((await say('annotation-job', 'list', 'bottle-caps')).exitCode).toBe(0);
});

test.each(['batch', 'job'])(
  '%s list of a service without lists shows what is of its workspace',
  async (what) => {
    const bench = await createBench();
    const none = { kind: 'status', status: 404, body: '{"error":"no such endpoint"}' } as const;
    bench.service.faults.always('GET', /external\/[a-z]+\/(batches|jobs)$/, none);
    const image = join(bench.directory, '1.jpg');
    await writeFile(image, tinyJpeg(1));
    await bench.sluice(['upload', image, '--batch', 'caps']);
    await bench.sluice(['job', 'start', 'caps-1', '--batch', 'caps', '--workflow', 'find-caps']);
    const listed = await bench.sluice([what, 'list', '--workspace', 'demo']);
    expect(listed.stdout).toContain('caps');
    const others = await bench.sluice([what, 'list', '--workspace', 'other']);
    expect(others.exitCode).toBe(0);
    expect(others.stdout).not.toContain('caps');
  },
);
