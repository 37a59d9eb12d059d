/** The decisions of the window: what is served, who may ask, which paths are allowed, what is shown and reported. */
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { AllowedPaths } from '../../../../main/app/ipc/allowedPaths.ts';
import { NO_COUNTS } from '../../../../main/engine/status/counts.ts';
import { snapshotOf } from '../../../e2e/gallery/snapshots.ts';
import type { AppSnapshot } from '../../../../preload/contract/snapshot.ts';
import { scratch } from '../../../helpers/scratch.ts';

vi.mock('electron', () => ({
  app: {},
  BrowserWindow: {},
  ipcMain: {},
  Menu: {},
  nativeImage: {},
  Notification: {},
  protocol: {},
  screen: {},
  session: {},
  Tray: {},
}));

const { fileFor } = await import('../../../../main/app/window/appProtocol.ts');
const { createAllowedPaths } = await import('../../../../main/app/ipc/allowedPaths.ts');
const { pathToOpen } = await import('../../../../main/app/system/pathToOpen.ts');
const { viewOfArguments, viewOfLink } = await import('../../../../main/app/window/deepLinks.ts');
const { desktopFile } = await import('../../../../main/app/system/autoStart.ts');
const { fitsSizeLimit, isTrusted, MAX_MESSAGE_CHARACTERS } =
  await import('../../../../main/app/ipc/ipcServer.ts');
const { connectionToSelect, toNotification } =
  await import('../../../../main/app/window/notifications.ts');
const { trayStateOf, trayText } = await import('../../../../main/app/window/tray.ts');
const { createCrashGuard, fitToDisplays } = await import('../../../../main/app/window/window.ts');

function snapshot(change: Partial<AppSnapshot> = {}): AppSnapshot {
  return { ...snapshotOf('first'), ...change };
}

describe('app://', () => {
  const root = join('/app', 'out', 'renderer');

  test('serves the files of the window with their types', () => {
    expect(fileFor('app://sluice/', root)).toMatchObject({ path: join(root, 'index.html') });
    expect(fileFor('app://sluice/assets/a.js?v=1#x', root)).toEqual({
      path: join(root, 'assets', 'a.js'),
      type: 'text/javascript; charset=utf-8',
    });
  });

  test.each([
    'app://sluice/../../package.json',
    'app://sluice/%2e%2e/%2e%2e/package.json',
    'app://sluice/..%2f..%2fpackage.json',
    'app://sluice/..%5c..%5cpackage.json',
    'app://sluice/a%00.html',
    'app://sluice/%E0%A4%A',
    'app://elsewhere/index.html',
    'file:///app/out/renderer/index.html',
    'app://sluice/main.exe',
    'no address',
  ])('serves nothing for %s', (address) => {
    const file = fileFor(address, root);
    // Dot segments that the URL parser resolves stay under the root.
    expect(file === null || file.path.startsWith(root)).toBe(true);
    if (!address.endsWith('/../../package.json') && !address.includes('%2e%2e/')) {
      expect(file).toBeNull();
    }
  });
});

test('only the main frame of our own window at app://sluice may ask', () => {
  const good = { isOurWindow: true, isMainFrame: true, url: 'app://sluice/index.html#x' };
  expect(isTrusted(good)).toBe(true);
  for (const change of [
    { isOurWindow: false },
    { isMainFrame: false },
    { url: 'https://sluice/' },
    { url: 'app://elsewhere/' },
    { url: 'app://sluice.elsewhere.example/' },
    { url: '' },
  ]) {
    expect(isTrusted({ ...good, ...change })).toBe(false);
  }
});

test('messages are bounded and must be JSON', () => {
  expect(fitsSizeLimit({ a: 1 })).toBe(true);
  expect(fitsSizeLimit('x'.repeat(MAX_MESSAGE_CHARACTERS))).toBe(false);
  expect(fitsSizeLimit(undefined)).toBe(false);
  expect(fitsSizeLimit({ big: 1n })).toBe(false);
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(fitsSizeLimit(circle)).toBe(false);
});

const FILES = { realPath: (path: string) => realpath(path).catch(() => null) };

async function answers(allowed: AllowedPaths, paths: readonly string[]): Promise<boolean[]> {
  return Promise.all(paths.map((path) => allowed.has(path)));
}

test('only what was chosen, what is below it and what the ledger names is allowed', async () => {
  const allowed = createAllowedPaths(FILES, () => ['/rules/camera']);
  allowed.allow(['/chosen/']);
  expect(await answers(allowed, ['/chosen', '/chosen/a/b.jpg', '/rules/camera/x'])).toEqual([
    true,
    true,
    true,
  ]);
  const others = ['/', '/chosen2', '/chosen/../etc', 'chosen', '/rules', '/chosen/./a'];
  expect(await answers(allowed, others)).toEqual(others.map(() => false));
});

test('a link out of a chosen folder leads to nothing that is allowed', async () => {
  const place = await realpath(scratch());
  const [chosen, secret, linked] = ['chosen', 'secret', 'linked'].map((name) => join(place, name));
  if (chosen === undefined || secret === undefined || linked === undefined) throw new Error('');
  for (const directory of [chosen, secret]) await mkdir(directory);
  await writeFile(join(secret, 'a.jpg'), '');
  await symlink(secret, join(chosen, 'out'));
  await symlink(chosen, linked);
  const allowed = createAllowedPaths(FILES, () => []);
  allowed.allow([chosen]);
  const inside = [join(chosen, 'new', 'results'), join(chosen, 'b.jpg')];
  expect(await answers(allowed, inside)).toEqual([true, true]);
  const outside = [join(chosen, 'out'), join(chosen, 'out', 'a.jpg'), join(chosen, 'out', 'new')];
  expect(await answers(allowed, outside)).toEqual([false, false, false]);
  // Choosing a link allows its target, and only that.
  allowed.allow([linked]);
  expect(await answers(allowed, [linked, join(linked, 'b.jpg')])).toEqual([true, true]);
  expect(await answers(allowed, [join(linked, 'out', 'a.jpg')])).toEqual([false]);
});

test.each([
  ['/photos', true, 'linux', '/photos'],
  ['/photos/run.sh', false, 'linux', null],
  ['/Applications/Tool.app', true, 'darwin', null],
  ['/photos/Tool.APP/', true, 'darwin', null],
  ['/photos.2026/line', true, 'darwin', '/photos.2026/line'],
  ['/photos/Macro.workflow', true, 'darwin', null],
  ['C:\\photos\\tool', true, 'win32', 'C:\\photos\\tool\\'],
  ['C:\\photos\\tool.exe', false, 'win32', null],
] as const)('showing %s starts nothing (%s, %s)', (path, isDirectory, platform, way) => {
  expect(pathToOpen(path, isDirectory, platform)).toBe(way);
});

test('links of other programs lead to views and nowhere else', () => {
  expect(viewOfLink('sluice://batch/cam-1')).toBe('batches/cam-1');
  expect(viewOfLink('sluice://job/j1/')).toBe('jobs/j1');
  for (const link of [
    'sluice://batch/',
    'sluice://batch/A B',
    'sluice://settings/x',
    'https://x/',
  ]) {
    expect(viewOfLink(link)).toBeNull();
  }
  expect(viewOfArguments(['--hidden', 'sluice://batch/a'])).toBe('batches/a');
  expect(viewOfArguments([])).toBeNull();
});

test('the desktop file quotes what a shell would take apart', () => {
  expect(desktopFile('/opt/a "b" $c/100%/sluice')).toContain(
    'Exec="/opt/a \\"b\\" \\$c/100%%/sluice" --hidden',
  );
});

test('the tray says how things are', () => {
  expect([trayStateOf(snapshot()), trayText(snapshot())]).toEqual([
    'idle',
    'Everything is uploaded',
  ]);
  const { watches } = snapshotOf('busy');
  expect(trayText(snapshot({ watches }))).toBe('3 new files found');
  const scanned = watches.map((watch) => ({ ...watch, settling: 0, state: 'scanning' as const }));
  expect(trayText(snapshot({ watches: scanned }))).toBe('Looking for files');
  const { pipeline: line } = snapshot();
  const moving = { ...line, counts: { ...NO_COUNTS, queued: 2, sending: 1 } };
  expect(trayText(snapshot({ pipeline: moving }))).toBe('3 files to go');
  const bytes = { confirmed: 20, sent: 10, onWire: 11, total: 100 };
  expect(trayText(snapshot({ pipeline: { ...moving, bytes } }))).toBe('3 files to go, 41 % done');
  expect(trayStateOf(snapshot({ pipeline: { ...moving, paused: true } }))).toBe('paused');
  const address = { apiUrl: 'http://127.0.0.1:1', projectsUrl: 'http://127.0.0.1:1' };
  const one = {
    ...address,
    id: 1,
    workspace: 'demo',
    state: 'ready',
    selected: true,
    queued: 0,
    attention: 0,
  } as const;
  const other = { ...one, id: 2, workspace: 'lab', selected: false, queued: 5 };
  const two = { connections: [one, other] };
  expect([trayStateOf(snapshot(two)), trayText(snapshot(two))]).toEqual([
    'sending',
    '5 files to go in lab',
  ]);
  const three = [one, other, { ...other, id: 3, workspace: 'field', queued: 0, attention: 1 }];
  expect(trayText(snapshot({ connections: three }))).toBe(
    '5 files to go, 1 problem needs attention in other workspaces',
  );
  const some = { problems: { count: 4, folders: 0, unread: 2, jobs: 0 } };
  expect([trayStateOf(snapshot(some)), trayText(snapshot(some))]).toEqual([
    'attention',
    '4 files need attention, 2 new',
  ]);
  // Viewed, but not solved: it no longer asks for attention, but does not say that all is well.
  const seen = { problems: { count: 1, folders: 0, unread: 0, jobs: 0 } };
  expect([trayStateOf(snapshot(seen)), trayText(snapshot(seen))]).toEqual([
    'idle',
    '1 file needs attention',
  ]);
  const failedJob = { problems: { count: 0, folders: 0, unread: 0, jobs: 1 } };
  expect(trayText(snapshot(failedJob))).toBe('1 problem needs attention');
  const busy = snapshot({ pipeline: { ...moving, paused: true }, ...seen });
  expect([trayStateOf(busy), trayText(busy)]).toEqual([
    'paused',
    'Paused, 3 files wait; 1 file needs attention',
  ]);
});

test('a notification counts, names the job, and leads to the right place', () => {
  const all = { confirmed: true, jobs: true, problems: true };
  const connectionIds = [2];
  const news = { kind: 'confirmed', connectionIds, batchIds: ['a'], files: 3201 } as const;
  expect(toNotification(news, all)).toEqual({
    title: 'All 3,201 files are safe',
    body: 'Uploaded and confirmed in a',
    action: 'Show',
    opens: { kind: 'view', to: 'batches/a', of: [2] },
  });
  expect(toNotification({ ...news, batchIds: ['a', 'b'], files: 1 }, all)).toMatchObject({
    title: '1 file is safe',
    body: 'Uploaded and confirmed in 2 batches',
    opens: { kind: 'view', to: 'uploads' },
  });
  expect(toNotification(news, { ...all, confirmed: false })).toBeNull();
  const results = {
    kind: 'fetched',
    connectionIds,
    name: 'Count apples',
    to: '/to',
    files: 3,
  } as const;
  expect(toNotification({ ...results, missing: 0 }, all)).toEqual({
    title: 'Results downloaded',
    body: '3 files of Count apples in /to',
    action: 'Show in folder',
    opens: { kind: 'folder', path: '/to' },
  });
  expect(toNotification({ ...results, missing: 1 }, all)).toMatchObject({
    title: 'Some results are missing',
    opens: { kind: 'view', to: 'problems' },
  });
  const job = {
    kind: 'job',
    connectionIds,
    jobId: 'j-1',
    name: 'Count apples',
    message: null,
  } as const;
  expect(toNotification({ ...job, succeeded: true }, all)).toMatchObject({
    title: 'Count apples is done',
    opens: { kind: 'view', to: 'jobs/j-1' },
  });
  expect(toNotification({ kind: 'refused', workspace: 'demo' }, all)).toMatchObject({
    title: 'The API key was refused',
    opens: { kind: 'view', to: 'settings/connections' },
  });
  const attention = { kind: 'attention', connectionIds, count: 2 } as const;
  expect(toNotification(attention, { ...all, problems: false })).toBeNull();
});

test('a notification is shown in its workspace', () => {
  expect(connectionToSelect([2], 1, [1, 2])).toBe(2);
  // The selected one is among them, or the view shows all.
  expect(connectionToSelect([1, 2], 2, [1, 2])).toBeNull();
  expect(connectionToSelect([], 1, [1, 2])).toBeNull();
  // It was removed meanwhile.
  expect(connectionToSelect([3], 1, [1, 2])).toBeNull();
});

test('a window is restored where it is visible', () => {
  const display = { x: 0, y: 0, width: 1920, height: 1080 };
  const place = { x: 100, y: 100, width: 800, height: 600, maximized: false };
  expect(fitToDisplays(place, [display])).toEqual(place);
  const gone = { ...place, x: 3000 };
  expect(fitToDisplays(gone, [display])).toEqual({ width: 800, height: 600, maximized: false });
});

test('a window is never larger than its display has room for', () => {
  const fresh = { width: 1280, height: 820, maximized: false };
  const laptop = { x: 0, y: 25, width: 1440, height: 830 };
  const small = { x: 1440, y: 0, width: 1024, height: 728 };
  expect(fitToDisplays(fresh, [laptop, small])).toEqual(fresh);
  expect(fitToDisplays(fresh, [small])).toEqual({ ...fresh, width: 1024, height: 728 });
  const kept = { ...fresh, x: 1500, y: 10 };
  expect(fitToDisplays(kept, [laptop, small])).toEqual({ ...kept, width: 1024, height: 728 });
  expect(fitToDisplays(fresh, [])).toEqual(fresh);
});

test('a page that crashes again and again stays away for a while', () => {
  const mayReload = createCrashGuard();
  expect([0, 10, 20, 30].map(mayReload)).toEqual([true, true, true, false]);
  expect(mayReload(100_000)).toBe(true);
});
