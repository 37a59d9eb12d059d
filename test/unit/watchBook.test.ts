import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { standardRule } from '../../preload/standardRule.ts';
import type { WatchRule } from '../../preload/watchRule.ts';
import type { Store } from '../../main/engine/store/store.ts';
import {
  changeWatch,
  checkRule,
  enterOneOff,
  enterWatch,
  pauseWatch,
  removeWatch,
  type Watch,
  watchById,
  watchesOf,
} from '../../main/engine/watchBook.ts';
import { createTestLedger, identified, type TestLedger } from '../helpers/ledger.ts';
import { addItem, itemById } from '../../main/engine/store/items.ts';

const NOW = 1000;

interface Book {
  readonly ledger: TestLedger;
  readonly store: Store;
  readonly data: string;
  /** Makes a directory and answers its path. */
  directory(name: string): string;
  rule(directory: string, given?: Partial<WatchRule>): WatchRule;
  enter(rule: WatchRule): ReturnType<typeof enterWatch>;
  entered(rule: WatchRule): Watch;
  /** What is said against a rule. */
  said(rule: WatchRule): unknown;
}

function createBook(): Book {
  const ledger = createTestLedger(NOW);
  const { store, connectionId } = ledger;
  const data = join(ledger.directory, 'data');
  mkdirSync(data);
  const enter: Book['enter'] = (rule) => enterWatch(store, connectionId, rule, data, NOW);
  return {
    ledger,
    store,
    data,
    directory: (name) => {
      const path = join(ledger.directory, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    rule: (directory, given = {}) => ({ ...standardRule(directory, 'line'), ...given }),
    enter,
    entered: (rule) => {
      const watch = enter(rule);
      if (!watch.ok) throw new Error(String(watch.error.context['said']));
      return watch.value;
    },
    said: (rule) => {
      const answer = enter(rule);
      return answer.ok ? null : answer.error.context['said'];
    },
  };
}

describe('entering', () => {
  test('a rule is kept as it was given', () => {
    const book = createBook();
    const rule = book.rule(book.directory('in'), { include: ['*.jpg'], batch: 'x-{date}' });
    const watch = book.entered(rule);
    expect(watchById(book.store, watch.id)).toEqual(watch);
    expect(watch).toMatchObject({ rule, state: 'active', addedAt: NOW, oneOff: false });
  });

  test('a directory that is not there, or is a file', () => {
    const book = createBook();
    const file = join(book.ledger.directory, 'file.jpg');
    writeFileSync(file, '');
    expect(book.said(book.rule(join(book.data, '../nowhere')))).toBe('there is no such directory:');
    expect(book.said(book.rule(file))).toBe('this is not a directory:');
  });

  test.each([
    ['settleMs', { settleMs: 999 }],
    ['batch', { batch: '  ' }],
    ['seal.at', { seal: { quietMinutes: null, items: null, at: '24:00' } }],
    ['seal.items', { seal: { quietMinutes: null, items: 0, at: null } }],
    ['itemsPerBatch', { itemsPerBatch: 0 }],
    ['include', { include: Array.from({ length: 101 }, () => '*') }],
  ] satisfies [string, Partial<WatchRule>][])('%s out of its bounds is named', (path, given) => {
    const book = createBook();
    expect(book.said(book.rule(book.directory('in'), given))).toMatch(new RegExp(`^${path}`));
  });

  test('no way around a link: overlaps and targets are compared as what they are', () => {
    const book = createBook();
    const real = book.directory('real');
    symlinkSync(real, join(book.ledger.directory, 'alias'));
    const alias = join(book.ledger.directory, 'alias');
    const watch = book.entered(book.rule(alias));
    expect(watch.rule.directory).toBe(real);
    expect(book.said(book.rule(real))).toMatch(/overlaps/);
    const job = { workflowId: 'w' };
    const elsewhere = book.directory('elsewhere');
    const results = book.rule(elsewhere, { downloadTo: join(alias, 'not/there/yet'), job });
    expect(book.said(results)).toMatch(/land in the watch/);
    expect(book.said(book.rule(elsewhere, { moveTo: join(alias, 'done') }))).toMatch(/land in/);
    symlinkSync(book.data, join(book.ledger.directory, 'alias-of-data'));
    const toData = join(book.ledger.directory, 'alias-of-data');
    expect(book.said(book.rule(toData))).toMatch(/data of Sluice/);
  });

  test('a removed watch stands in nobody’s way, one of a command neither', () => {
    const book = createBook();
    const rule = book.rule(book.directory('in'));
    removeWatch(book.store, book.entered(rule), 'keep', NOW);
    const { connectionId } = book.ledger;
    const once = enterOneOff(book.store, connectionId, rule, book.data, NOW);
    expect(once.ok).toBe(true);
    expect(book.enter(rule).ok).toBe(true);
  });
});

describe('later', () => {
  test('a change is checked like an entry, against the others and not against itself', () => {
    const book = createBook();
    const first = book.entered(book.rule(book.directory('one')));
    book.entered(book.rule(book.directory('two')));
    const change = (rule: WatchRule): boolean =>
      changeWatch(book.store, first.id, rule, book.data).ok;
    expect(change({ ...first.rule, batch: 'other-{date}' })).toBe(true);
    expect(watchById(book.store, first.id)?.rule.batch).toBe('other-{date}');
    expect(change({ ...first.rule, directory: book.directory('two/in') })).toBe(false);
    expect(change({ ...first.rule, batch: '{nobody}' })).toBe(false);
    expect(watchById(book.store, first.id)?.rule.batch).toBe('other-{date}');
  });

  test('paused twice is paused; resumed it is active', () => {
    const book = createBook();
    const watch = book.entered(book.rule(book.directory('in')));
    const present = (): Watch => watchById(book.store, watch.id) ?? watch;
    for (const paused of [true, true, false, false]) {
      pauseWatch(book.store, present(), paused, NOW);
      expect(present().state).toBe(paused ? 'paused' : 'active');
    }
  });

  test.each([
    ['keep', 'queued', null],
    ['forget', 'skipped', 'item.excluded'],
  ] as const)('removed, it may %s what is queued', (fate, state, reason) => {
    const book = createBook();
    const watch = book.entered(book.rule(book.directory('in')));
    const place = { destinationId: watch.destinationId, path: '/a', relativePath: 'a' };
    const item = addItem(book.store, place, identified('a'), NOW);
    removeWatch(book.store, watch, fate, NOW);
    expect(watchesOf(book.store, null)).toEqual([]);
    expect(watchById(book.store, watch.id)).toBeNull();
    expect(itemById(book.store, item)).toMatchObject({ state, reason });
  });

  test('the watch of a command is found again by directory and batch', () => {
    const book = createBook();
    const rule = book.rule(book.directory('in'), { batch: 'x' });
    const enter = (given: WatchRule): number => {
      const once = enterOneOff(book.store, book.ledger.connectionId, given, book.data, NOW);
      if (!once.ok) throw new Error('refused');
      return once.value.id;
    };
    const id = enter(rule);
    expect(enter({ ...rule, settleMs: 9000 })).toBe(id);
    expect(watchById(book.store, id)?.rule.settleMs).toBe(9000);
    expect(enter({ ...rule, batch: 'y' })).not.toBe(id);
  });
});

test('without a ledger a rule is checked for itself', () => {
  const book = createBook();
  const around = { dataDirectory: book.data, exceptId: null };
  const rule = book.rule(book.directory('in'));
  expect(checkRule(null, rule, around)).toEqual({ ok: true, value: rule });
});
