/** What is on the list of problems, where each entry leads, and the patterns that leave out similar files. */
import { expect, test } from 'vitest';
import picomatch from 'picomatch';
import { problemTotal, urgentWaits } from '../../../../../preload/contract/problemTotal.ts';
import { leaveOutChoices, wayOut } from '../../../../../renderer/views/problems/inbox.ts';
import { snapshotOf } from '../../../../e2e/gallery/snapshots.ts';
import { wait } from '../../records.ts';

test('everything that a person can act on counts, a refused key once', () => {
  const waits = [
    wait({ code: 'auth.rejected' }),
    wait({ code: 'disk.full' }),
    wait({ code: 'net.offline' }),
    wait({ kind: 'notStarted', name: 'j', attention: true }),
  ];
  const problems = { count: 2, folders: 0, unread: 0, jobs: 1 };
  const keyless = snapshotOf('failing').connections;
  expect(urgentWaits({ waits, connections: [] }).map(({ code }) => code)).toEqual([
    'auth.rejected',
    'disk.full',
    null,
  ]);
  expect(problemTotal({ waits, connections: keyless, problems })).toBe(6);
  expect(problemTotal({ waits: [], connections: [], problems })).toBe(3);
});

test('each leads to where it can be looked at', () => {
  expect(wayOut(wait({ code: 'disk.full' }))).toBeNull();
  expect(wayOut(wait({ kind: 'watch', name: '/camera' }))).toMatchObject({ view: 'uploads' });
  expect(wayOut(wait({ code: 'auth.rejected' }))).toMatchObject({ view: 'settings' });
  expect(wayOut(wait({ kind: 'notStarted', name: 'j' }))).toMatchObject({ view: 'jobs', id: 'j' });
  expect(wayOut(wait({ kind: 'results', name: 'j' }))).toMatchObject({
    params: { tab: 'results' },
  });
  expect(wayOut(wait({ kind: 'download', name: 'j-export' }))).toMatchObject({
    view: 'jobs',
    id: 'j',
  });
  expect(wayOut(wait({ kind: 'download', name: 'cups' }))).toMatchObject({ view: 'batches' });
  expect(wayOut(wait({ kind: 'batch', name: 'cups' }))).toMatchObject({
    view: 'batches',
    id: 'cups',
  });
});

test('a pattern matches the file it was made for, whatever characters its name has', () => {
  for (const path of [
    'a.jpg',
    'x/b (1) [2] {3}.jpg',
    'x/!(y)/c*?.png',
    'x/+@|.tiff',
    'deep/er/none',
  ]) {
    for (const { pattern } of leaveOutChoices(path)) {
      const wide = pattern.includes('/') ? pattern : `**/${pattern}`;
      expect([path, picomatch([wide], { dot: false })(path)]).toEqual([path, true]);
    }
    const [narrow] = leaveOutChoices(path);
    expect(picomatch(narrow?.pattern ?? '')('x/b 1 2 3.jpg')).toBe(false);
  }
  expect(leaveOutChoices('in\\a.jpg').map(({ pattern }) => pattern)).toEqual([
    'in/a.jpg',
    'in/**',
    '*.jpg',
  ]);
  expect(leaveOutChoices('a').map(({ label }) => label)).toEqual(['Files called a']);
});
