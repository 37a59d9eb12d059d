import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import type { WatchRule } from '../../../../preload/contract/watchRule.ts';
import {
  changeWatch,
  checkRule,
  ensureOneOffWatch,
  enterWatch,
  pauseWatch,
  removeWatch,
  toRule,
  type Watch,
  type WatchRegistry,
  watchById,
  watchesOf,
} from '../../../../main/engine/watches/registry.ts';
import { fail, ok } from '../../../../main/engine/core/errors.ts';
import { createDirectoryCheck } from '../../../../main/engine/files/directoryAt.ts';
import { createInlineFiles } from '../../../helpers/inlineFiles.ts';
import { DIRECTORY_CHECK_MS } from '../../../../main/engine/core/limits.ts';
import { createManualClock, type ManualClock } from '../../../helpers/manualClock.ts';
import { createTestLedger, identified, type TestLedger } from '../../../helpers/ledger.ts';
import { isSettled } from '../../../../main/engine/pipeline/find/stability.ts';
import { writeMeta } from '../../../../main/engine/store/meta.ts';
import { addItem, itemById } from '../../../../main/engine/store/tables/items.ts';
import {
  requeueTransfer,
  beginSending,
  markUnknown,
  transferById,
} from '../../../../main/engine/store/tables/transfers.ts';
import { moveItem } from '../../../../main/engine/store/transitions.ts';
import { valueOf } from '../../../helpers/results.ts';

const NOW = 1000;

interface Book extends WatchRegistry {
  readonly ledger: TestLedger;
  readonly data: string;
  /** Creates a directory and returns its path. */
  directory(name: string): string;
  rule(directory: string, given?: Partial<WatchRule>): WatchRule;
  enter(rule: WatchRule): ReturnType<typeof enterWatch>;
  entered(rule: WatchRule): Promise<Watch>;
  /** The objections to a rule. */
  said(rule: WatchRule): Promise<unknown>;
}

function createBook(): Book {
  const ledger = createTestLedger(NOW);
  const { store, connectionId } = ledger;
  const data = join(ledger.directory, 'data');
  mkdirSync(data);
  const ports = { clock: createManualClock(NOW), files: createInlineFiles() };
  const book = { store, ports, dataDirectory: data };
  const enter: Book['enter'] = (rule) => enterWatch(book, connectionId, rule);
  return {
    ...book,
    ledger,
    data,
    directory: (name) => {
      const path = join(ledger.directory, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    rule: (directory, given = {}) => ({ ...standardRule(directory, 'line'), ...given }),
    enter,
    entered: async (rule) => {
      const watch = await enter(rule);
      if (!watch.ok) throw new Error(String(watch.error.context['said']));
      return watch.value;
    },
    said: async (rule) => {
      const answer = await enter(rule);
      return answer.ok ? null : answer.error.context['said'];
    },
  };
}

describe('entering', () => {
  test('a rule is kept as it was given', async () => {
    const book = createBook();
    const rule = book.rule(book.directory('in'), { include: ['*.jpg'], batch: 'x-{date}' });
    const watch = await book.entered(rule);
    expect(watchById(book.store, watch.id)).toEqual(watch);
    expect(watch).toMatchObject({ rule, state: 'active', addedAt: NOW, oneOff: false });
  });

  test('a rule of an older version is read: what it misses is added, what did nothing is dropped', async () => {
    const book = createBook();
    const watch = await book.entered(book.rule(book.directory('in')));
    const { followLinks: _, ...old } = watch.rule;
    const json = JSON.stringify({ ...old, keepStructure: true });
    book.store.run('UPDATE watches SET rule = ? WHERE id = ?', json, watch.id);
    expect(watchById(book.store, watch.id)).toEqual(watch);
    expect(watch.rule).not.toHaveProperty('keepStructure');
  });

  test('a directory that is not there, or is a file', async () => {
    const book = createBook();
    const file = join(book.ledger.directory, 'file.jpg');
    writeFileSync(file, '');
    expect(await book.said(book.rule(join(book.data, '../nowhere')))).toBe(
      'there is no such directory:',
    );
    expect(await book.said(book.rule(file))).toBe('this is not a directory:');
  });

  test.each([
    ['settleMs: at least 1000', { settleMs: 999 }],
    ['batch: must not be empty', { batch: '  ' }],
    ['seal.at: a time of day', { seal: { quietMinutes: null, items: null, at: '24:00' } }],
    ['seal.items: at least 1', { seal: { quietMinutes: null, items: 0, at: null } }],
    ['itemsPerBatch: at least 1', { itemsPerBatch: 0 }],
    ['include: at most 100 entries', { include: Array.from({ length: 101 }, () => '*') }],
  ] satisfies [string, Partial<WatchRule>][])(
    'a value out of its bounds is named: %s',
    async (said, given) => {
      const book = createBook();
      expect(await book.said(book.rule(book.directory('in'), given))).toMatch(
        new RegExp(`^${said}`),
      );
    },
  );

  test('links are resolved: overlaps and targets are compared by their real paths', async () => {
    const book = createBook();
    const real = book.directory('real');
    symlinkSync(real, join(book.ledger.directory, 'alias'));
    const alias = join(book.ledger.directory, 'alias');
    const watch = await book.entered(book.rule(alias));
    expect(watch.rule).toMatchObject({ directory: real, link: alias });
    expect(await book.said(book.rule(real))).toMatch(/overlaps/);
    const job = { workflowId: 'w' };
    const elsewhere = book.directory('elsewhere');
    const results = book.rule(elsewhere, { downloadTo: join(alias, 'not/there/yet'), job });
    expect(await book.said(results)).toContain(`would land in ${real}, which is watched`);
    expect(await book.said(book.rule(elsewhere, { moveTo: join(alias, 'done') }))).toMatch(
      /land in/,
    );
    symlinkSync(book.data, join(book.ledger.directory, 'alias-of-data'));
    const toData = join(book.ledger.directory, 'alias-of-data');
    expect(await book.said(book.rule(toData))).toMatch(/data of Sluice/);
  });

  test('a removed watch does not block another, nor does the watch of a command', async () => {
    const book = createBook();
    const rule = book.rule(book.directory('in'));
    removeWatch(book.store, (await book.entered(rule)).id, 'keep', NOW);
    const once = await ensureOneOffWatch(book, book.ledger.connectionId, rule);
    expect(once.ok).toBe(true);
    expect((await book.enter(rule)).ok).toBe(true);
  });
});

describe('later', () => {
  test('a change is checked like an entry, against the others and not against itself', async () => {
    const book = createBook();
    const first = await book.entered(book.rule(book.directory('one')));
    await book.entered(book.rule(book.directory('two')));
    const change = async (rule: WatchRule): Promise<boolean> =>
      (await changeWatch(book, first.id, toRule(rule))).ok;
    expect(await change({ ...first.rule, batch: 'other-{date}' })).toBe(true);
    expect(watchById(book.store, first.id)?.rule.batch).toBe('other-{date}');
    expect(await change({ ...first.rule, directory: book.directory('two/in') })).toBe(false);
    expect(await change({ ...first.rule, batch: '{nobody}' })).toBe(false);
    expect(watchById(book.store, first.id)?.rule.batch).toBe('other-{date}');
  });

  test('two changes at once both count; of a watch that is removed meanwhile nothing changes', async () => {
    const book = createBook();
    const { id } = await book.entered(book.rule(book.directory('in')));
    const change = (given: Partial<WatchRule>): ReturnType<typeof changeWatch> =>
      changeWatch(book, id, (rule) => ok({ ...rule, ...given }));
    await Promise.all([change({ exclude: ['no-*'] }), change({ batch: 'other' })]);
    const present = watchById(book.store, id);
    expect(present?.rule).toMatchObject({ exclude: ['no-*'], batch: 'other' });
    const late = change({ batch: 'late' });
    removeWatch(book.store, id, 'keep', NOW);
    expect(await late).toMatchObject({ ok: false, error: { code: 'usage.invalid' } });
  });

  test('paused twice is paused; resumed it is active', async () => {
    const book = createBook();
    const watch = await book.entered(book.rule(book.directory('in')));
    const present = (): Watch => watchById(book.store, watch.id) ?? watch;
    for (const paused of [true, true, false, false]) {
      pauseWatch(book.store, watch.id, paused, NOW);
      expect(present().state).toBe(paused ? 'paused' : 'active');
    }
  });

  test('removed, it can be neither removed again, nor paused, nor resumed', async () => {
    const book = createBook();
    const { id } = await book.entered(book.rule(book.directory('in')));
    expect(removeWatch(book.store, id, 'keep', NOW)).toMatchObject({ ok: true });
    const refused = { ok: false, error: { code: 'usage.invalid' } };
    expect(removeWatch(book.store, id, 'forget', NOW)).toMatchObject(refused);
    expect(pauseWatch(book.store, id, true, NOW)).toMatchObject(refused);
    expect(pauseWatch(book.store, id, false, NOW)).toMatchObject(refused);
  });

  test.each([
    ['keep', 'queued', null],
    ['forget', 'skipped', 'item.stopped'],
  ] as const)('removed, it may %s what is queued', async (fate, state, reason) => {
    const book = createBook();
    const watch = await book.entered(book.rule(book.directory('in')));
    const place = {
      destinationId: watch.destinationId,
      path: '/a',
      relativePath: 'a',
      baseId: null,
    };
    const item = addItem(book.store, place, identified('a'), NOW);
    removeWatch(book.store, watch.id, fate, NOW);
    expect(watchesOf(book.store, null)).toEqual([]);
    expect(watchById(book.store, watch.id)).toBeNull();
    expect(itemById(book.store, item)).toMatchObject({ state, reason });
  });

  test('what was or may have been sent is not forgotten; the rest is, with its duplicates', async () => {
    const book = createBook();
    const { store, ledger } = book;
    const watch = await book.entered(book.rule(book.directory('in'), { batch: 'batch-1' }));
    expect(watch.destinationId).toBe(ledger.destinationId);
    const batch = ledger.batch();
    const planned = ledger.transfer(batch, ['planned.jpg']);
    const tried = ledger.transfer(batch, ['tried.jpg']);
    const sending = ledger.transfer(batch, ['sending.jpg']);
    const doubtful = ledger.transfer(batch, ['doubtful.jpg']);
    for (const { id } of [tried, sending, doubtful]) beginSending(store, [id], NOW);
    const present = transferById(store, tried.id);
    if (present !== null) requeueTransfer(store, present, false, NOW);
    markUnknown(store, doubtful.id, { lastByteAt: NOW, askAt: NOW }, NOW);
    const repeats = ledger.item('repeats.jpg');
    const reason = { code: 'item.duplicate', detail: null } as const;
    moveItem(store, repeats, 'skipped', NOW, reason);
    store.run('UPDATE items SET duplicate_of = ? WHERE id = ?', planned.itemIds[0] ?? 0, repeats);
    removeWatch(store, watch.id, 'forget', NOW);
    const rows = store.all(
      'SELECT path, state, reason, batch_row, duplicate_of FROM items ORDER BY id',
    );
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['planned.jpg', 'skipped', 'item.stopped', null, null],
      ['tried.jpg', 'skipped', 'item.stopped', batch.id, null],
      ['sending.jpg', 'sending', null, batch.id, null],
      ['doubtful.jpg', 'unknown', null, batch.id, null],
      ['repeats.jpg', 'skipped', 'item.stopped', null, null],
    ]);
    // The next check takes them, unchanged as they are.
    for (const id of [planned.itemIds[0], repeats]) {
      const item = itemById(store, id ?? 0);
      expect(item !== null && isSettled(item, item.stamp)).toBe(false);
    }
  });

  test('the watch of a command is found again by directory and batch', async () => {
    const book = createBook();
    const rule = book.rule(book.directory('in'), { batch: 'x' });
    const enter = async (given: WatchRule): Promise<number> => {
      return valueOf(await ensureOneOffWatch(book, book.ledger.connectionId, given)).id;
    };
    const id = await enter(rule);
    expect(await enter({ ...rule, settleMs: 9000 })).toBe(id);
    expect(watchById(book.store, id)?.rule.settleMs).toBe(9000);
    expect(await enter({ ...rule, batch: 'y' })).not.toBe(id);
  });
});

test('without a ledger a rule is checked for itself', async () => {
  const book = createBook();
  const rule = book.rule(book.directory('in'));
  expect(await checkRule({ ...book, store: null }, rule, null)).toEqual({ ok: true, value: rule });
});

describe('a network drive that hangs', () => {
  /** A registry whose files never answer about one path. */
  function hangingAt(book: Book, path: string): Book & { readonly clock: ManualClock } {
    const clock = createManualClock(NOW);
    const { files } = book.ports;
    const never = new Promise<never>(() => undefined);
    const hanging: typeof files = {
      ...files,
      directoryAt: (asked) => (asked === path ? never : files.directoryAt(asked)),
      realPath: (asked) => (asked === path ? never : files.realPath(asked)),
    };
    return { ...book, ports: { clock, files: hanging }, clock };
  }

  test.each(['directory', 'moveTo'] as const)('%s: refused after ten seconds', async (field) => {
    const plain = createBook();
    const book = hangingAt(plain, '/mnt/nas');
    const rule = { ...book.rule(book.directory('in')), [field]: '/mnt/nas' };
    const entering = enterWatch(book, book.ledger.connectionId, rule);
    // Every other path answers; only the clock can end the wait.
    let answer: Awaited<typeof entering> | null = null;
    const done = entering.then((value) => {
      answer = value;
    });
    await expect.poll(() => book.clock.sleepers()).toBe(1);
    book.clock.advance(DIRECTORY_CHECK_MS - 1);
    expect(answer).toBeNull();
    book.clock.advance(1);
    await done;
    expect(answer).toMatchObject({ ok: false, error: { context: { path: '/mnt/nas' } } });
    expect(watchesOf(book.store, null)).toEqual([]);
  });

  test.each(['directory', 'moveTo'] as const)(
    '%s: waited for when its drive was used before',
    async (field) => {
      const plain = createBook();
      const book = hangingAt(plain, '/mnt/nas/camera');
      book.store.transaction(() => writeMeta(book.store, 'drive:/mnt/nas', ''));
      const rule = { ...book.rule(book.directory('in')), [field]: '/mnt/nas/camera' };
      const entering = enterWatch(book, book.ledger.connectionId, rule);
      await expect.poll(() => book.clock.sleepers()).toBe(1);
      book.clock.advance(DIRECTORY_CHECK_MS);
      expect(await entering).toMatchObject({ value: { rule: { [field]: '/mnt/nas/camera' } } });
    },
  );

  test('one whose share has ended is refused in the same words', async () => {
    const book = createBook();
    const busy = () => Promise.resolve(fail('file.busy', { errno: 'ENOTCONN' }));
    const ports = { ...book.ports, files: { ...book.ports.files, directoryAt: busy } };
    const rule = book.rule(book.directory('in'));
    expect(await enterWatch({ ...book, ports }, book.ledger.connectionId, rule)).toMatchObject({
      error: { context: { said: expect.stringContaining('does not answer') } },
    });
  });

  test('asked again meanwhile, it holds no second thread', () => {
    const check = createDirectoryCheck();
    expect(check('/tmp')).toBe(check('/tmp'));
  });
});

test('a directory that is missing with its drive can be watched', async () => {
  const book = createBook();
  const drive = book.directory('drive');
  const rule = book.rule(join(drive, 'camera'));
  expect(await book.enter(rule)).toMatchObject({ ok: false, error: { code: 'usage.invalid' } });
  book.store.transaction(() => writeMeta(book.store, `drive:${drive}`, ''));
  expect((await book.entered(rule)).rule.directory).toBe(join(drive, 'camera'));
});
