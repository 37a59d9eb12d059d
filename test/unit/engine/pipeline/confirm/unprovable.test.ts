/** Files in a batch that others fill, whose listed objects cannot be read: a person decides. */
import { expect, test } from 'vitest';
import { type ErrorCode, fail, ok } from '../../../../../main/engine/core/errors.ts';
import { confirm } from '../../../../../main/engine/pipeline/confirm/confirm.ts';
import type { BatchPollState } from '../../../../../main/engine/pipeline/confirm/pollState.ts';
import { openWaits } from '../../../../../main/engine/status/waits.ts';
import { itemById } from '../../../../../main/engine/store/tables/items.ts';
import {
  beginSending,
  markUnknown,
  saveUpload,
} from '../../../../../main/engine/store/tables/transfers.ts';
import { createTestLedger } from '../../../../helpers/ledger.ts';
import { createManualClock } from '../../../../helpers/manualClock.ts';
import { createTestPipeline, listedFile } from '../../../../helpers/testPipeline.ts';

/** A batch that is filled with these images, and a list of it with these names on each page, whose objects cannot be read because of `code`. */
function createScene(
  mode: 'single' | 'bulk',
  names: readonly string[],
  pages: readonly (readonly string[])[],
  code: ErrorCode,
) {
  const ledger = createTestLedger(1_800_000_000_000);
  const { store } = ledger;
  const clock = createManualClock();
  const batch = ledger.batch({ mode, isExclusive: false });
  const manifests = mode === 'bulk' ? [names] : names.map((name) => [name]);
  const transfers = manifests.map((members) => ledger.transfer(batch, members));
  let count = new Set(pages.flat()).size;
  const asked: string[] = [];
  const polls = new Map<number, BatchPollState>();
  const client = {
    batchMetadata: () => Promise.resolve(ok(null)),
    askCount: () => Promise.resolve(ok(count)),
    askShards: () => Promise.resolve(ok([])),
    askFilesPage: (_batch: string, _part: string | null, token: string | null) => {
      const page = Number(token ?? 0);
      const items = (pages[page] ?? []).map(listedFile);
      const nextPageToken = page + 1 < pages.length ? String(page + 1) : null;
      return Promise.resolve(ok({ items, nextPageToken }));
    },
    describeSigned: (url: string) => {
      asked.push(url);
      return Promise.resolve(fail<never>(code));
    },
    getSigned: () => Promise.resolve(fail<never>(code)),
  };
  const made = createTestPipeline(ledger, { clock, client });
  let drawn = 0;
  const random = { ...made.ports.random, fraction: () => (drawn += 0.618_034) % 1 };
  const pipeline = { ...made, ports: { ...made.ports, random } };
  return {
    asked,
    transfers: () => transfers.map(({ id }) => ledger.stored(id)),
    states: () =>
      transfers.flatMap(({ itemIds }) => itemIds.map((id) => itemById(store, id)?.state)),
    waits: () => openWaits(store, batch.connectionId).map(({ kind }) => kind),
    send: (from = 0, to = transfers.length) => {
      for (const { id } of transfers.slice(from, to)) ledger.sent(id, clock.now());
    },
    /** The answers to the bodies are lost. */
    doubt: () => {
      for (const { id } of transfers) {
        saveUpload(store, id, { url: 'secret', headers: {}, expiresAt: null }, clock.now());
        beginSending(store, [id], clock.now());
        markUnknown(store, id, { lastByteAt: clock.now(), askAt: 0 }, clock.now());
      }
    },
    counts: (files: number) => {
      count = files;
    },
    poll: async (times: number) => {
      for (let polled = 0; polled < times; polled += 1) {
        clock.advance(10_000);
        await confirm(pipeline, polls);
      }
    },
  };
}

const TWICE = [['a.jpg'], ['a.jpg']];

test('a file that two pages of the list show is put before a person', async () => {
  const { send, poll, states } = createScene('single', ['a.jpg'], TWICE, 'upload.urlExpired');
  send();
  await poll(180);
  expect(states()).toEqual(['parked']);
});

test('once a person has to decide, nothing is shown as being waited for', async () => {
  const { send, poll, waits } = createScene('single', ['a.jpg'], [['a.jpg']], 'service.notFound');
  send();
  await poll(30);
  expect(waits()).toContain('batch');
  await poll(150);
  expect(waits()).toEqual([]);
});

test('each of many files whose objects do not exist is put before a person', async () => {
  const names = Array.from({ length: 100 }, (_, number) => `${number}.jpg`);
  const { send, poll, states } = createScene('single', names, [names], 'service.notFound');
  send();
  await poll(540);
  expect(new Set(states())).toEqual(new Set(['parked']));
});

test('the others of an archive are sent again without a file that is put before a person', async () => {
  const names = ['a.jpg', 'b.jpg'];
  const scene = createScene('bulk', names, [['a.jpg']], 'upload.urlExpired');
  scene.doubt();
  // A list that is shorter than the count proves nothing yet about the other one.
  scene.counts(2);
  await scene.poll(70);
  scene.counts(1);
  await scene.poll(180);
  expect(scene.states()).toEqual(['parked', 'queued']);
  expect(scene.transfers()).toMatchObject([{ state: 'dropped', uploadUrl: null }]);
});

test('the object of a file that was put before a person is not asked for with each list', async () => {
  const names = ['a.jpg', 'b.jpg'];
  const { send, poll, states, asked } = createScene(
    'single',
    names,
    [['a.jpg']],
    'upload.urlExpired',
  );
  send(0, 1);
  await poll(70);
  send(1);
  const before = asked.length;
  await poll(180);
  // The list was read again.
  expect(states()).toEqual(['parked', 'queued']);
  expect(asked.length).toBe(before);
});
