/** Folders, projects, insights and annotation jobs from the command line: what they show, refuse, and never do twice. */
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../service/faults.ts';
import type { Bench } from './cliRun.ts';
import { createBench, eventsOf } from './cliRun.ts';
import { fastClock, rewriting } from './ports.ts';

const PEOPLE = ['--labeler', 'labeler@example.com', '--reviewer', 'reviewer@example.com'];

function newJob(given: Readonly<Record<string, string>> = {}): readonly string[] {
  const wanted = { name: 'Caps', batch: 'Day shift', images: '10', ...given };
  const options = Object.entries(wanted).flatMap(([name, value]) => [`--${name}`, value]);
  return ['annotation-job', 'create', 'bottle-caps', ...options, ...PEOPLE];
}

function writes(bench: Bench): number {
  return bench.service.log.requests.filter(({ method }) => method !== 'GET').length;
}

describe('folder', () => {
  test('list shows names, places and projects; nothing is written anywhere', async () => {
    const bench = await createBench();
    const { stdout } = await bench.sluice(['folder', 'list']);
    expect(stdout).toMatch(/folder-quality +Quality +bottle-caps\n/);
    expect(stdout).toMatch(/folder-line-2 +Line 2 +Quality/);
    expect(await readdir(bench.directory)).toEqual([]);
  });

  test('the same create again makes no second folder; another place does', async () => {
    const bench = await createBench();
    const first = await bench.result(['folder', 'create', 'Nights']);
    const again = await bench.result(['folder', 'create', 'Nights']);
    expect(first).toMatchObject({ created: true });
    expect(again).toEqual({ ...Object(first), created: false });
    const deeper = await bench.result(['folder', 'create', 'Nights', '--parent', 'Quality']);
    expect(deeper).toMatchObject({ created: true, parent: 'folder-quality' });
    expect(writes(bench)).toBe(2);
  });

  test('a lost answer to a create is looked after, never repeated', async () => {
    const bench = await createBench();
    bench.service.faults.next('POST', /\/folders$/, { kind: 'doneButAnswerLost' });
    expect(await bench.result(['folder', 'create', 'Nights'])).toMatchObject({ created: true });
    expect(writes(bench)).toBe(1);
  });

  test.each<Fault>([
    { kind: 'html', status: 200, acted: true },
    { kind: 'html', status: 502, acted: true },
    { kind: 'wrongJson', text: '{}', acted: true },
    { kind: 'wrongJson', text: '', status: 204, acted: true },
  ])(
    'a create that something else answered (%j) is looked after, never repeated',
    async (fault) => {
      const bench = await createBench();
      bench.service.faults.next('POST', /\/folders$/, fault);
      expect(await bench.result(['folder', 'create', 'Nights'])).toMatchObject({ created: true });
      expect(writes(bench)).toBe(1);
    },
  );

  test('a lost folder is found by a service that lists no parents', async () => {
    const bench = await createBench();
    bench.service.faults.next('POST', /\/folders$/, { kind: 'doneButAnswerLost' });
    const given = ['folder', 'create', 'Nights', '--parent', 'Quality'];
    const wraps = [
      fastClock(1000),
      rewriting(/\/folders$/, (json) => json.replace(/,"parent_id":"[^"]*"/g, '')),
    ];
    const end = await bench.sluice(given, { wraps });
    expect(end).toMatchObject({ exitCode: 0 });
    expect(end.stderr).toContain('It is not certain that the folder was created.');
    expect(writes(bench)).toBe(1);
  });

  test('a create that was lost is reported as missing, with exit code 5', async () => {
    const bench = await createBench();
    bench.service.faults.next('POST', /\/folders$/, { kind: 'status', status: 502 });
    const end = await bench.sluice(['folder', 'create', 'Nights'], { wraps: [fastClock(1000)] });
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toContain('the folder was not created');
    expect(writes(bench)).toBe(1);
    expect(bench.service.log.count('GET', /\/folders$/)).toBeGreaterThan(3);
  });

  test('an answer that comes late is still found', async () => {
    const bench = await createBench();
    bench.service.faults.next('POST', /\/folders$/, { kind: 'lateCommit', afterMs: 40 });
    const end = await bench.sluice(['folder', 'create', 'Nights'], { wraps: [fastClock(20)] });
    expect(end.exitCode).toBe(0);
    expect(writes(bench)).toBe(1);
  });

  test('move says what moved and what was already there, and sends nothing needless', async () => {
    const bench = await createBench();
    const order = ['folder', 'move', 'demo/bottle-caps', 'leaf-damage', '--to', 'Quality'];
    expect(await bench.result(order)).toMatchObject({
      folder: 'folder-quality',
      moved: ['leaf-damage'],
      already: ['bottle-caps'],
      missing: [],
    });
    expect(await bench.result(order)).toMatchObject({ moved: [] });
    expect(writes(bench)).toBe(1);
  });

  test('a move that the service answers and does not do is not called done', async () => {
    const bench = await createBench();
    const pretend = { kind: 'wrongJson', text: '{}', status: 200 } as const;
    bench.service.faults.next('POST', /\/projects$/, pretend);
    const end = await bench.sluice(['folder', 'move', 'leaf-damage', '--to', 'Quality']);
    expect(end.exitCode).toBe(3);
    expect(end.stdout).toContain('does not list 1 project there yet: leaf-damage');
  });

  test.each([
    [['folder'], 2, 'folder needs list, create or move'],
    [['folder', 'create'], 2, 'NAME'],
    [['folder', 'create', ' '], 2, 'NAME'],
    [['folder', 'create', 'Two', 'words'], 2, 'NAME'],
    [['folder', 'create', 'X', '--parent', 'nowhere'], 3, 'no folder has the id or name nowhere'],
    [['folder', 'move', 'leaf-damage'], 2, '--to'],
    [['folder', 'move', '--to', 'Quality'], 2, 'PROJECT'],
    [['folder', 'move', 'other/leaf-damage', '--to', 'Quality'], 2, 'other'],
    [['folder', 'move', 'a/b/c', '--to', 'Quality'], 2, 'slug'],
    [['folder', 'move', 'leaf-damage', '--to', 'Twin'], 2, 'twin-1, twin-2'],
    [['folder', 'move', 'no-project', '--to', 'Quality'], 3, 'no-project'],
  ] as const)('%j ends with %i', async (given, exitCode, said) => {
    const bench = await createBench();
    for (const id of ['twin-1', 'twin-2']) {
      const twin = { id, name: 'Twin', parentId: null, projects: [] };
      bench.service.state.projects.folders.push(twin);
    }
    const end = await bench.sluice(given, { json: true });
    expect(end.exitCode).toBe(exitCode);
    expect(eventsOf(end.stdout)).toMatchObject([{ event: 'error' }]);
    expect(end.stderr).toContain(said);
    expect(bench.service.state.projects.folders).toHaveLength(4);
  });
});

describe('project', () => {
  test('list falls back to what the folders hold', async () => {
    const full = await createBench();
    expect(await full.result(['project', 'list'])).toMatchObject({
      source: 'service',
      projects: [{ projectId: 'bottle-caps' }, {}, { images: 96 }],
    });
    const bare = await createBench({ specOnly: true });
    expect(await bare.result(['project', 'list'])).toMatchObject({
      source: 'folders',
      projects: [{ projectId: 'bottle-caps', images: null }],
    });
  });

  test.each([
    ['project', 'insights'],
    ['project', 'batches'],
    ['annotation-job', 'list'],
  ])('%s %s names a project that is not there', async (...given) => {
    const bench = await createBench();
    const { exitCode, stderr } = await bench.sluice([...given, 'zz']);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/The service does not know this \(project zz[:)]/);
  });

  test('insights are kept once a day and period, and trend reads them without a key', async () => {
    const bench = await createBench();
    const told = await bench.result(['project', 'insights', 'demo/bottle-caps']);
    expect(told).toMatchObject({ projectId: 'bottle-caps', kept: true });
    await bench.result(['project', 'insights', 'bottle-caps']);
    const week = ['--from', '2026-01-01', '--until', '2026-01-07'];
    expect(await bench.result(['project', 'insights', 'bottle-caps', ...week])).toMatchObject({
      from: '2026-01-01',
      labelers: [],
    });
    const environment = { SLUICE_API_KEY: '', SLUICE_WORKSPACE: '' };
    const trend = await bench.result(['project', 'trend', 'bottle-caps'], { environment });
    const { totals } = Object(told);
    expect(trend).toMatchObject({
      snapshots: [{ from: '2026-01-01', workspace: 'demo' }, { totals }],
    });
  });

  test('insights are shown even where nothing can be kept', async () => {
    const bench = await createBench();
    const given = ['project', 'insights', 'bottle-caps'];
    await bench.result(given);
    const { DatabaseSync } = await import('node:sqlite');
    const ledger = new DatabaseSync(`${bench.dataDirectory}/ledger.db`);
    ledger.exec('PRAGMA user_version = 9999');
    ledger.close();
    const end = await bench.sluice(given);
    expect(end).toMatchObject({ exitCode: 0 });
    expect(end.stdout).toContain('Ana Labeler');
    expect(end.stderr).toContain('newer Sluice');
  });

  test('CSV is RFC 4180 and harmless in a spreadsheet', async () => {
    const bench = await createBench();
    const { users } = bench.service.state.projects;
    users.splice(0, 1, { id: 'user-1', displayName: '=HYPERLINK("x"), Ana', email: '+1@a.io' });
    const { stdout } = await bench.sluice(['project', 'insights', 'bottle-caps', '--csv']);
    const [heading, first] = stdout.split('\r\n');
    expect(heading).toMatch(/^project,from,until,labeler,email,images_labeled,/);
    expect(first).toContain(`,"'=HYPERLINK(""x""), Ana",'+1@a.io,`);
  });

  test.each([
    ['name', ['Day shift', 'Night shift']],
    ['count', ['Night shift', 'Day shift']],
    ['created', ['Day shift', 'Night shift']],
  ])('batches sorts by %s', async (sort, names) => {
    const bench = await createBench();
    const told = await bench.result(['project', 'batches', 'bottle-caps', '--sort', sort]);
    const batches: readonly { name: string; createdAt: string }[] = Object(told).imageBatches;
    expect(batches.map(({ name }) => name)).toEqual(names);
    expect(Date.parse(batches[0]?.createdAt ?? '')).toBeGreaterThan(0);
  });

  test.each([
    [['project', 'insights'], 'PROJECT'],
    [['project', 'insights', 'p', '--from', '2026-02-30'], '--from'],
    [['project', 'insights', 'p', '--until', '26-2-3'], '--until'],
    [['project', 'insights', 'p', '--from', '2026-02-03', '--until', '2026-02-02'], 'after'],
    [['project', 'batches', 'p', '--sort', 'size'], '--sort'],
    [['project', 'batches', 'p', '--sort', 'constructor'], '--sort'],
    [['project', 'rename'], 'project needs list'],
    [['project', 'insights', 'p', '--csv', '--json'], '--csv or --json'],
  ])('%j is wrong usage and sends nothing', async (given, said) => {
    const bench = await createBench();
    const end = await bench.sluice(given, { json: given.includes('--json') });
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain(said);
    expect(bench.service.log.requests).toHaveLength(0);
  });
});

describe('annotation-job', () => {
  test('list shows how far each is', async () => {
    const bench = await createBench();
    const { stdout } = await bench.sluice(['annotation-job', 'list', 'bottle-caps']);
    expect(stdout).toMatch(/aj-caps-1 .* assigned +11 % +3 of 26 +1 +1 +labeler@example\.com/);
  });

  test('repeating a create assigns nothing twice', async () => {
    const bench = await createBench();
    expect(await bench.result(newJob())).toMatchObject({
      created: true,
      annotationJob: { images: 10, sourceBatch: 'ib-caps-2' },
    });
    expect(await bench.result(newJob())).toMatchObject({ created: false });
    expect(await bench.result(newJob({ batch: 'ib-caps-1' }))).toMatchObject({ created: true });
    expect(writes(bench)).toBe(2);
  });

  test('a lost answer is looked after, never repeated', async () => {
    const bench = await createBench();
    bench.service.faults.next('POST', /\/jobs$/, { kind: 'doneButAnswerLost' });
    expect(await bench.result(newJob())).toMatchObject({ created: true });
    expect(writes(bench)).toBe(1);
    expect(bench.service.state.projects.annotationJobs).toHaveLength(2);
  });

  test.each([
    [newJob({ images: '0' }), 2, 'whole number'],
    [newJob({ images: '2.5' }), 2, 'whole number'],
    [newJob({ images: '41' }), 2, '40 images'],
    [newJob({ name: ' ' }), 2, '--name'],
    [newJob({ labeler: 'labeler' }).slice(0, -4), 2, '--reviewer'],
    [[...newJob().slice(0, -1), 'nobody'], 2, '--reviewer needs an e-mail address'],
    [newJob({ batch: 'no-batch' }), 3, 'no image batch has the id or name no-batch'],
    [['annotation-job', 'create', ...newJob().slice(3)], 2, 'PROJECT'],
    [[...newJob().slice(0, -1), 'stranger@example.com'], 3, 'no user of the workspace'],
  ])('%j ends with %i', async (given, exitCode, said) => {
    const bench = await createBench();
    const end = await bench.sluice(given, { json: true });
    expect(end.stderr).toContain(said);
    expect(end.exitCode).toBe(exitCode);
    expect(bench.service.state.projects.annotationJobs).toHaveLength(1);
  });
});

test('the live spelling is found out once and remembered in the ledger', async () => {
  const bench = await createBench({ dialect: 'live' });
  await bench.result(['project', 'insights', 'bottle-caps']);
  bench.service.log.clear();
  await bench.result(['folder', 'list']);
  await bench.result(['folder', 'create', 'Nights']);
  expect(bench.service.log.count('*', /\/folders/)).toBe(0);
  expect(bench.service.log.count('POST', /\/groups$/)).toBe(1);
});

test('the very first folder is created in either spelling', async () => {
  for (const dialect of ['spec', 'live'] as const) {
    const bench = await createBench({ dialect });
    bench.service.state.projects.folders.length = 0;
    expect(await bench.result(['folder', 'create', 'Nights'])).toMatchObject({ created: true });
    expect(writes(bench)).toBe(1);
  }
});
