/** A process that cannot open more files says so, in a wait and in doctor, and clears that afterwards. */
import { expect, test } from 'vitest';
import { judgeOpenFiles } from '../../../../main/engine/doctor/checks.ts';
import { fail } from '../../../../main/engine/core/errors.ts';
import { threadErrno } from '../../../../main/engine/core/errno.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { reportingShortage, withShortageNoted } from '../../../../main/engine/runner/openFiles.ts';
import type { Files } from '../../../../main/engine/core/ports.ts';
import { noteWait, waitsOf } from '../../../../main/engine/store/tables/waits.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';
import { createTestPipeline } from '../../../helpers/testPipeline.ts';
import { scriptedHttp } from '../service/testClient.ts';

function failing(): { files: Files; next: { errno: string | null } } {
  const next: { errno: string | null } = { errno: null };
  const files = createInlineFiles();
  return {
    next,
    files: {
      ...files,
      hash: async () => {
        await Promise.resolve();
        const { errno } = next;
        return errno === null ? { ok: true, value: 'x' } : fail('file.busy', { errno });
      },
    },
  };
}

test('it is reported when it begins and when it ends, not for each file', async () => {
  const { files, next } = failing();
  const told: string[] = [];
  const { files: watched } = reportingShortage(
    { files, http: scriptedHttp([]) },
    { short: (errno) => told.push(errno), enough: () => told.push('enough') },
  );
  for (const errno of [null, 'EBUSY', 'EMFILE', 'EMFILE', 'EBUSY', null, null, 'ENFILE']) {
    next.errno = errno;
    await watched.hash('/a', 'b3');
  }
  expect(told).toEqual(['enough', 'EMFILE', 'enough', 'ENFILE']);
});

test('a connection that cannot be opened for that reason reports it, too; a file that opens ends it', async () => {
  const { files } = failing();
  const told: string[] = [];
  const refused = { kind: 'failure', fault: 'openFiles', maybeSent: false, detail: '' } as const;
  const ports = reportingShortage(
    { files, http: scriptedHttp([refused]) },
    { short: (errno) => told.push(errno), enough: () => told.push('enough') },
  );
  const { signal } = new AbortController();
  const request = { method: 'GET', url: 'http://127.0.0.1:1', headers: {}, body: null } as const;
  await ports.http.request({ ...request, stallMs: 1, signal });
  await ports.files.hash('/a', 'b3');
  expect(told).toEqual(['EMFILE', 'enough']);
});

test('a check for which no thread can start reports it, too; one that succeeds does not end it', async () => {
  const { files } = failing();
  const told: string[] = [];
  const looks = [fail('file.busy', { errno: 'EMFILE' }), fail('item.gone')];
  const watched = reportingShortage(
    {
      files: {
        ...files,
        stat: async () => [await Promise.resolve(looks.shift() ?? fail('item.gone'))],
      },
      http: scriptedHttp([]),
    },
    { short: (errno) => told.push(errno), enough: () => told.push('enough') },
  ).files;
  await watched.stat(['/a']);
  await watched.stat(['/a']);
  expect(told).toEqual(['EMFILE']);
});

test('it is a wait of the connection; one of an earlier run ends with the first success', async () => {
  const ledger = createTestLedger();
  const { store, connectionId } = ledger;
  const { files, next } = failing();
  const { ports } = createTestPipeline(ledger, { files });
  const said: string[] = [];
  const watched = withShortageNoted(ports, store, connectionId, (line) => said.push(line)).files;
  noteWait(
    store,
    connectionId,
    'files',
    { code: 'system.openFiles', detail: null, nextAt: null },
    1,
  );
  await watched.hash('/a', 'b3');
  await store.soon(() => undefined);
  expect(waitsOf(store, connectionId)).toEqual([]);
  next.errno = 'EMFILE';
  await watched.hash('/a', 'b3');
  await store.soon(() => undefined);
  expect(waitsOf(store, connectionId)).toMatchObject([
    { subject: 'files', code: 'system.openFiles' },
  ]);
  expect(said).toEqual([expect.stringContaining('ulimit -n')]);
});

test.each([
  [null, 'ok'],
  [30, 'bad'],
  [256, 'warn'],
  [1024, 'ok'],
])('%s open files are %s', (most, state) => {
  const check = judgeOpenFiles(most);
  expect(check.state).toBe(state);
  expect(check.todo === null).toBe(state === 'ok');
});

test('a worker thread that cannot start reports which limit it hit', () => {
  const cause = (code: string, message: string): Error =>
    Object.assign(new Error(message), { code });
  const failed = 'Worker initialization failure: EMFILE';
  expect(threadErrno(cause('ERR_WORKER_INIT_FAILED', failed))).toBe('EMFILE');
  expect(threadErrno(cause('ERR_WORKER_INIT_FAILED', 'Worker initialization failure'))).toBeNull();
  expect(threadErrno(cause('ERR_OTHER', failed))).toBeNull();
});
