/** What waits: read only from the ledger, described in one sentence, without scanning what is at rest. */
import { describe, expect, test } from 'vitest';
import { openWaits, readWaits, shownWaits } from '../../../../main/engine/status/waits.ts';
import { WAIT_QUERIES } from '../../../../main/engine/status/waitQueries.ts';
import { pauseAll } from '../../../../main/engine/runner/liveSettings.ts';
import { WAIT_ATTENTION_MS } from '../../../../main/engine/core/limits.ts';
import { tryBatchNow } from '../../../../main/engine/decisions/tryNow.ts';
import { type ErrorCode, ok, sluiceError } from '../../../../main/engine/core/errors.ts';
import { clampPauses, dueTransfers } from '../../../../main/engine/store/queue/dueTransfers.ts';
import { postponePlanning } from '../../../../main/engine/store/queue/waiting.ts';
import { holdBatch, pauseBatch } from '../../../../main/engine/store/tables/batches.ts';
import { ensureConnection } from '../../../../main/engine/store/tables/connections.ts';
import { addWatch, moveWatch } from '../../../../main/engine/store/tables/watches.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { addJob } from '../../../../main/engine/store/tables/jobs.ts';
import {
  askLater,
  beginSending,
  dropTransfer,
  markUnknown,
  transferById,
} from '../../../../main/engine/store/tables/transfers.ts';
import { moveItem } from '../../../../main/engine/store/transitions.ts';
import {
  clearWait,
  noteWait,
  waitReasonOf,
  type WaitSubject,
} from '../../../../main/engine/store/tables/waits.ts';
import { jobIdFrom } from '../../../../main/engine/jobs/typedIds.ts';
import type { WaitView } from '../../../../preload/contract/waits.ts';
import {
  canTryNow,
  cliReader,
  needsPerson,
  sentenceOfWait,
} from '../../../../preload/contract/waitMessages.ts';
import { createTestLedger, type TestLedger } from '../../../helpers/ledger.ts';

const T = 1_800_000_000_000;
const MINUTE = 60_000;
const said = (wait: WaitView, now: number, running = true): string =>
  sentenceOfWait(wait, cliReader(now, running));

function sentences(ledger: TestLedger, now: number, running = true): readonly string[] {
  return readWaits(ledger.store, now, true).map((wait) => said(wait, now, running));
}

/** Something of this ledger waits. */
function waits(
  { store, connectionId }: TestLedger,
  subject: WaitSubject,
  code: ErrorCode,
  given: { readonly detail?: string; readonly nextAt?: number } = {},
  since = T,
): void {
  noteWait(store, connectionId, subject, { code, detail: null, nextAt: null, ...given }, since);
}

describe('the list', () => {
  test('an idle ledger waits for nothing', () => {
    const ledger = createTestLedger();
    ledger.item('/a.jpg');
    ledger.transfer(ledger.batch(), ['/b.jpg']);
    expect(readWaits(ledger.store, T, true)).toEqual([]);
  });

  test('a pause is one wait, however many workspaces the ledger has', () => {
    const ledger = createTestLedger();
    const other = { apiUrl: 'http://127.0.0.1:2', projectsUrl: '', workspace: 'other' };
    ensureConnection(ledger.store, other);
    pauseAll(ledger.store, true);
    expect(sentences(ledger, T)).toEqual([
      'Everything is paused. It continues when you resume it.',
    ]);
  });

  test('a noted wait says for what, since when and what comes next', () => {
    const ledger = createTestLedger();
    waits(ledger, 'connection', 'network.proxyAuth', { nextAt: T + 15_000 }, T - 4 * MINUTE);
    expect(sentences(ledger, T)).toEqual([
      'Everything in demo waits: the proxy requires a user name and a password. For 4 min now. ' +
        'Next try in 15 s. Add them to the address of the proxy (HTTPS_PROXY). Nothing is lost; uploads continue once the proxy lets them through.',
    ]);
    expect(sentences(ledger, T, false)[0]).toContain('It continues when Sluice runs again.');
  });

  test('the message of the service is in the sentence, without terminal control characters', () => {
    const ledger = createTestLedger();
    waits(ledger, 'batch:cups', 'service.busy', { detail: 'slow\u001b[2J down' });
    expect(sentences(ledger, T)[0]).toBe(
      'Batch cups waits: the service is busy (slow\\x1b[2J down). It continues by itself.',
    );
  });

  test('a shortage of open files is not reported as a problem of one file', () => {
    const ledger = createTestLedger();
    waits(ledger, 'files', 'file.busy', { detail: 'No more can be opened.' });
    expect(sentences(ledger, T)).toEqual([
      'Reading files waits. No more can be opened. It continues by itself.',
    ]);
  });

  test.each([
    ['system.openFiles', 'files', /^Reading files.*ulimit -n/],
    ['disk.missing', 'drive', /^1 file cannot be read.*drive/],
  ] as const)(
    'files that are not read because of %s are not reported as held by others',
    (code, subject, said) => {
      const ledger = createTestLedger();
      ledger.item('/busy.jpg', { fingerprint: null });
      ledger.store.run('UPDATE items SET state_at = ?', T - MINUTE);
      waits(ledger, subject, code);
      expect(sentences(ledger, T)).toEqual([expect.stringMatching(said)]);
    },
  );

  test('transfers between two tries are counted by their cause', () => {
    const ledger = createTestLedger();
    const { store } = ledger;
    const batch = ledger.batch();
    for (const [index, paths] of [['/a.jpg', '/b.jpg'], ['/c.jpg'], ['/d.jpg']].entries()) {
      const { id } = ledger.transfer(batch, paths);
      store.run(
        'UPDATE transfers SET failing_since = ?, last_code = ?, retry_at = ? WHERE id = ?',
        ...[T - index * MINUTE, index === 2 ? 'network.lost' : 'service.failed', T + 30_000, id],
      );
    }
    expect(readWaits(store, T, true).map(({ code, count, since }) => [code, count, since])).toEqual(
      [
        ['network.lost', 1, T - 2 * MINUTE],
        ['service.failed', 3, T - MINUTE],
      ],
    );
    expect(sentences(ledger, T)[1]).toBe(
      '3 files of batch batch-1 wait for another try: the service had an internal error. For 1 min now. Next try in 30 s.',
    );
  });

  test('files that the service took and does not list are shown after a while', () => {
    const ledger = createTestLedger();
    const { id } = ledger.transfer(ledger.batch(), ['/a.jpg', '/b.jpg']);
    ledger.sent(id, T);
    expect(readWaits(ledger.store, T + MINUTE / 3, true)).toEqual([]);
    const what = '2 files of batch batch-1 were sent, and the service does not list them yet.';
    const next =
      'Sluice looks for them again at least once a minute, and sends again what proves to be missing.';
    expect(sentences(ledger, T + MINUTE / 2)).toEqual([`${what} For 30 s now. ${next}`]);
    expect(sentences(ledger, T + 3 * MINUTE)).toEqual([`${what} For 3 min now. ${next}`]);
  });

  test('what may have arrived is asked about', () => {
    const ledger = createTestLedger();
    const { id } = ledger.transfer(ledger.batch(), ['/a.jpg']);
    beginSending(ledger.store, [id], T);
    markUnknown(ledger.store, id, { lastByteAt: T, askAt: T + 5000 }, T);
    expect(transferById(ledger.store, id)?.state).toBe('unknown');
    expect(sentences(ledger, T)[0]).toMatch(
      /^It is not known yet whether 1 file of batch batch-1 arrived\. Next try in 5 s\.$/,
    );
  });

  test('a download that was given up needs attention until its results expire on the service', () => {
    const ledger = createTestLedger();
    const { store, connectionId } = ledger;
    const reason = { code: 'network.intercepted', detail: null, nextAt: null } as const;
    noteWait(store, connectionId, 'download:results', reason, T);
    expect(readWaits(store, T, true)).toMatchObject([{ kind: 'download', attention: true }]);
    expect(sentences(ledger, T)).toEqual([
      'The download of results is not complete: a proxy or sign-in page is answering instead of the service. Download the batch again to continue.',
    ]);
    noteWait(store, connectionId, 'download:results', { ...reason, code: 'disk.failed' }, T);
    expect(sentences(ledger, T)).toEqual([
      'The download of results is not complete: reading from or writing to the disk failed. Check the permissions and the health of the disk. Download the batch again to continue.',
    ]);
    expect(readWaits(store, T + 7 * 24 * 60 * MINUTE, true)).toEqual([]);
    noteWait(store, connectionId, 'download:results', { ...reason, nextAt: T + 5000 }, T);
    expect(readWaits(store, T, true)).toMatchObject([{ kind: 'download', attention: false }]);
    expect(sentences(ledger, T)[0]).toMatch(
      /^The download of results waits: .* Next try in 5 s\. /,
    );
  });

  test('jobs, result files, unstable files and pauses are in it', () => {
    const ledger = createTestLedger(T);
    const { store, connectionId } = ledger;
    const batch = ledger.batch();
    for (const name of ['starting', 'running', 'succeeded', 'noted']) {
      const jobId = jobIdFrom(name);
      if (jobId === null) throw new Error('a legal id');
      const job = { connectionId, batchId: 'batch-1', name: null, body: {}, downloadTo: null };
      const { id } = addJob(store, { ...job, jobId }, T);
      const state = name === 'noted' ? 'running' : name;
      store.run(
        `UPDATE jobs SET state = ?, last_code = 'service.failed', retry_at = ? WHERE id = ?`,
        ...[state, T, id],
      );
    }
    const busy = { code: 'service.busy', detail: null, nextAt: null } as const;
    noteWait(store, connectionId, 'job:noted', busy, T);
    const output = `INSERT INTO outputs (connection_id, batch_id, part, file_name, occurrence, target, path, unpack, state, last_code, state_at)
      VALUES (?, 'out', '', ?, 0, '/t', '/t/x', 0, ?, 'network.lost', ?)`;
    store.run(output, connectionId, 'one', 'listed', T);
    store.run(output, connectionId, 'two', 'parked', T);
    store.run(output, connectionId, 'three', 'done', T);
    ledger.item('/busy.jpg', { fingerprint: null, retryAt: T + 90_000 });
    pauseBatch(store, batch.id, true);
    pauseAll(store, true);
    const waits = readWaits(store, T + MINUTE, true);
    expect(waits.map(({ kind, name }) => [kind, name])).toEqual([
      ['givenUp', 'out'],
      ['paused', null],
      ['batchPaused', 'batch-1'],
      ['job', 'noted'],
      ['starting', 'starting'],
      ['following', 'running'],
      ['results', 'succeeded'],
      ['outputs', 'out'],
      ['unstable', null],
    ]);
    for (const wait of waits) expect(said(wait, T)).toMatch(/^[A-Z1-9].*\.$/);
  });

  test('files whose drive is away say so at once, and which drive it is', () => {
    const ledger = createTestLedger(T);
    const { store, connectionId } = ledger;
    ledger.item('/card/a.jpg', { fingerprint: null, retryAt: T + 90_000 });
    expect(sentences(ledger, T)).toEqual([]);
    const said = 'another drive is mounted at /card';
    const reason = waitReasonOf(sluiceError('disk.missing', { path: '/card', said }), null);
    noteWait(store, connectionId, 'drive', reason, T);
    expect(sentences(ledger, T)[0]).toMatch(
      /^1 file cannot be read for now: the drive .* \(another drive is mounted at \/card\)\. /,
    );
  });

  test('a result file that was given up is named, and has its next step once', () => {
    const ledger = createTestLedger(T);
    const output = `INSERT INTO outputs (connection_id, batch_id, part, file_name, occurrence, target, path, unpack, state, last_code, state_at)
      VALUES (?, 'out', '', ?, 0, '/t', '/t/x', 0, 'parked', 'output.damaged', ?)`;
    ledger.store.run(output, ledger.connectionId, 'one.csv', T);
    expect(sentences(ledger, T)).toEqual([
      '1 result file of batch out was not downloaded: the downloaded bytes are not those of the file (one.csv). Download the batch again. If the error remains, the file is damaged at the service.',
    ]);
    ledger.store.run(output, ledger.connectionId, 'two.csv', T);
    expect(sentences(ledger, T)[0]).toMatch(
      /^2 result files of batch out .* \(one\.csv and 1 more\)\. /,
    );
  });

  test('nothing is said to continue by itself while no Sluice is running', () => {
    const ledger = createTestLedger();
    waits(ledger, 'connection', 'net.offline');
    const later = T + 61 * MINUTE;
    const again = 'Nothing is lost; run the same command again.';
    expect(sentences(ledger, later, false)).toEqual([
      `Everything in demo waits: no network connection. For 1 h 1 min now. It continues when Sluice runs again. ${again}`,
    ]);
    expect(sentences(ledger, later)[0]).toMatch(/it continues by itself\.$/);
  });

  test('reading, downloads and the choice of batches have sentences of their own', () => {
    const ledger = createTestLedger();
    const { store, connectionId } = ledger;
    const reason = { code: 'service.busy', detail: null, nextAt: T + 5000 } as const;
    for (const subject of ['ask', 'fetch', 'plan'] as const)
      noteWait(store, connectionId, subject, { ...reason, detail: subject }, T);
    // A shared cause is mentioned once.
    expect(sentences(ledger, T)).toEqual([
      'Checking what arrived in demo waits: the service is busy (ask). Next try in 5 s.',
      'Downloads from demo wait: the service is busy (fetch). Next try in 5 s.',
    ]);
    clearWait(store, connectionId, 'ask');
    expect(sentences(ledger, T)[1]).toBe(
      'New files for demo wait for their batch: the service is busy (plan). Next try in 5 s.',
    );
    noteWait(store, connectionId, 'connection', reason, T);
    expect(readWaits(store, T, true)).toMatchObject([{ kind: 'connection' }]);
  });

  test('a directory that is away is shown while its watch works', () => {
    const ledger = createTestLedger();
    const { store, connectionId } = ledger;
    const rule = standardRule('/camera', 'camera');
    const { id } = addWatch(store, connectionId, rule, 'camera', false, 1);
    noteWait(
      store,
      connectionId,
      `watch:${id}`,
      waitReasonOf(sluiceError('watch.missing'), null),
      T,
    );
    expect(sentences(ledger, T)[0]).toMatch(
      /^Sluice cannot watch \/camera for now: it is not there, or its drive does not answer\. /,
    );
    moveWatch(store, id, 'paused', T);
    expect(readWaits(store, T, true)).toEqual([]);
  });

  test('files that cannot be moved because a drive is away say which: their own, or the other', () => {
    const ledger = createTestLedger();
    const { store, connectionId } = ledger;
    const rule = { ...standardRule('/camera', 'camera'), moveTo: '/uploaded' };
    const { id } = addWatch(store, connectionId, rule, 'camera', false, 1);
    const away = sluiceError('disk.missing', { said: 'nothing is mounted at /camera' });
    noteWait(store, connectionId, `moving:${id}`, waitReasonOf(away, null), T);
    expect(sentences(ledger, T)[0]).toMatch(
      /^Confirmed files cannot be moved to \/uploaded for now: a drive is not connected, or does not answer \(nothing is mounted at \/camera\)\. /,
    );
  });

  test('files that keep changing are named, and nothing can be tried', () => {
    const ledger = createTestLedger();
    const { store, connectionId } = ledger;
    const rule = standardRule('/camera', 'camera');
    const { id } = addWatch(store, connectionId, rule, 'camera', false, 1);
    const detail = '2 files keep changing, such as live.jpg';
    waits(ledger, `watch:${id}`, 'watch.changing', { detail }, T - 180_000);
    expect(sentences(ledger, T)).toEqual([
      'In /camera, 2 files keep changing, such as live.jpg. For 3 min now. A file is uploaded once it stops changing.',
    ]);
    expect(readWaits(store, T, true).map(canTryNow)).toEqual([false]);
  });

  test('a held batch is one wait in addition to a failed read of it, and ends with its files', () => {
    const ledger = createTestLedger();
    const { store, connectionId } = ledger;
    const batch = ledger.batch();
    const { id } = ledger.transfer(batch, ['/a.jpg']);
    const refused = { code: 'service.refused', detail: 'no', nextAt: T + 5000 } as const;
    holdBatch(store, batch.id, { ...refused, until: T + 5000 });
    noteWait(store, connectionId, 'hold:batch-1', refused, T);
    noteWait(store, connectionId, 'batch:batch-1', { ...refused, code: 'service.busy' }, T);
    clearWait(store, connectionId, 'batch:batch-1');
    store.run('UPDATE transfers SET failing_since = ?, last_code = ?', T, refused.code);
    expect(sentences(ledger, T)).toEqual([
      'Nothing is sent to batch batch-1 for now: the service refused this (no). Next try in 5 s. Fix the cause, then try again.',
    ]);
    expect(readWaits(store, T, true).map(needsPerson)).toEqual([true]);
    askLater(store, id, T + 9000);
    expect(tryBatchNow({ store, connectionId, now: T }, 'batch-1')).toEqual(ok(null));
    expect(sentences(ledger, T)[0]).toContain('Trying now.');
    const scope = {
      connectionId,
      bases: null,
      ending: new Set<number>(),
      order: 'oldest',
    } as const;
    expect(dueTransfers(store, scope, new Set(), T, 9)).toHaveLength(1);
    dropTransfer(store, id, T);
    expect(readWaits(store, T, true)).toEqual([]);
    expect(tryBatchNow({ store, connectionId, now: T }, 'other').ok).toBe(false);
  });

  test('files that wait to be compared, and a drop into the batch of a paused watch, say so', () => {
    const ledger = createTestLedger(T);
    const { store, connectionId } = ledger;
    postponePlanning(store, ledger.item('/a.jpg'), T + 2 * MINUTE);
    const rule = standardRule('/camera', 'camera');
    const watch = addWatch(store, connectionId, rule, 'camera', false, 1);
    const batch = ledger.batch();
    store.run('UPDATE batches SET watch_id = ?', watch.id);
    ledger.transfer(batch, ['/b.jpg', '/c.jpg']);
    moveWatch(store, watch.id, 'paused', T);
    expect(sentences(ledger, T + MINUTE)).toEqual([
      '1 file waits to be compared with what the service has. For 1 min now. Next try in 1 min.',
      '2 files of batch batch-1 wait, because its watched folder is paused. For 1 min now. They continue when you resume it.',
    ]);
    // A wrong clock delays no try.
    store.run('UPDATE items SET retry_at = ? WHERE retry_at > 0', T + 1e9);
    clampPauses(store, T, MINUTE);
    expect(readWaits(store, T + MINUTE, true)[0]?.nextAt).toBe(T);
  });

  test('what a person paused is not said to be tried soon', () => {
    const ledger = createTestLedger(T);
    const { store, connectionId } = ledger;
    const batch = ledger.batch();
    ledger.transfer(batch, ['/a.jpg', '/b.jpg']);
    const lost = { code: 'network.lost', detail: null, nextAt: T + 5000 } as const;
    store.run('UPDATE transfers SET failing_since = ?, last_code = ?', T, lost.code);
    noteWait(store, connectionId, 'send', lost, T);
    noteWait(store, connectionId, 'hold:batch-1', { ...lost, code: 'service.refused' }, T);
    const kinds = () => readWaits(store, T, true).map(({ kind }) => kind);
    expect(kinds()).toEqual(['held', 'sending', 'failing']);
    pauseAll(store, true);
    expect(sentences(ledger, T)).toEqual([
      'Everything is paused. It continues when you resume it.',
      'Nothing is sent to batch batch-1 for now: the service refused this. It continues when you resume uploads. Fix the cause, then try again.',
    ]);
    pauseAll(store, false);
    pauseBatch(store, batch.id, true);
    expect(kinds()).toEqual(['batchPaused', 'sending']);
  });

  test.each([
    ['failing', 1, 'It continues by itself.'],
    ['failing', 2, 'They continue by themselves.'],
    ['jobs', 0, 'They continue by themselves.'],
    ['connection', 0, 'It continues by itself.'],
    ['unlisted', 1, /^.*1 file was sent.* does not list it yet\. Sluice looks for it again/],
    ['unstable', 2, /They are uploaded once they can be read and no longer change\.$/],
  ] as const)('%s of %i agrees in number', (kind, count, next) => {
    const nothing = { workspace: 'demo', name: null, code: null, detail: null, bytes: 0 };
    const wait = { ...nothing, kind, count, since: null, nextAt: null, attention: false };
    expect(said(wait, T)).toMatch(next);
  });

  test('uploads wait only while there is something to upload', () => {
    const ledger = createTestLedger(T);
    const { store, connectionId } = ledger;
    waits(ledger, 'send', 'network.lost');
    expect(openWaits(store, connectionId)).toEqual([]);
    const id = ledger.item('/a.jpg');
    expect(openWaits(store, connectionId)).toMatchObject([{ kind: 'sending' }]);
    moveItem(store, id, 'skipped', T);
    expect(openWaits(store, connectionId)).toEqual([]);
  });

  test('after an hour it asks for attention, except a pause that a person wants', () => {
    const ledger = createTestLedger();
    const { store, connectionId } = ledger;
    waits(ledger, 'ask', 'service.busy');
    pauseAll(store, true);
    const open = openWaits(store, connectionId);
    const attention = (now: number): readonly (readonly [string, boolean])[] =>
      shownWaits(open, now, true).map((wait) => [wait.kind, wait.attention]);
    expect(attention(T + WAIT_ATTENTION_MS - 1)).toEqual([
      ['paused', false],
      ['asking', false],
    ]);
    expect(attention(T + WAIT_ATTENTION_MS)).toEqual([
      ['asking', true],
      ['paused', false],
    ]);
  });
});

test.each(WAIT_QUERIES)('$kind walks nothing that is at rest', ({ sql }) => {
  const { store, connectionId } = createTestLedger();
  const plan = store.all(`EXPLAIN QUERY PLAN ${sql}`, connectionId).map((row) => row['detail']);
  for (const step of plan) {
    expect(step).not.toMatch(
      /^SCAN (items|batches|jobs|outputs|transfers)\b(?!.*_(failing|unlisted|again|paused|postponed))/,
    );
  }
});
