import { describe, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../../../preload/contract/errors.ts';
import { wordsFor, wordsForAction } from '../../../../renderer/text/errorWords.ts';
import {
  deliveredWords,
  orderGroups,
  problemCount,
  problemKey,
  inboxSummary,
  problemTitle,
  problemWords,
  quoteWords,
  sendAgainWords,
  unprovenActionWords,
} from '../../../../renderer/text/problemWords.ts';

describe('the words of a problem', () => {
  test.each(ERROR_CODES)('%s says what happened, whether files are safe, what to do', (code) => {
    for (const count of [1, 2]) {
      const words = problemWords(code, count);
      for (const sentence of [words.happened, words.safe, words.todo]) {
        expect(sentence).toMatch(/^[A-Z].*\.( \(.*\))?$/s);
        expect(sentence).not.toContain('!');
      }
    }
  });

  test.each(['upload.unproven', 'shard.rejected', 'item.truncated', 'item.rejected'] as const)(
    '%s is about one file or several',
    (code) => {
      expect(problemWords(code, 1).happened).toMatch(/\bfile\b/);
      expect(problemWords(code, 2).happened).toMatch(/\bfiles\b/);
    },
  );

  test('does not promise that what was asked for once continues by itself', () => {
    expect(wordsForAction({ code: 'service.busy', context: {} }).hint).toBe('Try again.');
    expect(wordsForAction({ code: 'network.lost', context: {} }).hint).toMatch(/^Try again\. If/);
  });

  test.each(ERROR_CODES)('%s never refers to a command, in Problems or anywhere else', (code) => {
    const { happened, safe, todo } = problemWords(code, 1);
    const { message, hint } = wordsFor({ code, context: {} });
    for (const sentence of [happened, safe, todo, message, hint]) {
      expect(sentence).toMatch(/^[A-Z].*[.)]$/s);
      expect(sentence).not.toMatch(/\bcommand|--\w|SLUICE_|sluice /);
    }
  });

  test('what the service said is quoted; a bare status is no reason', () => {
    expect(quoteWords(null)).toBeNull();
    expect(quoteWords(' ')).toBeNull();
    expect(problemTitle({ code: 'service.refused', detail: 'too dark', count: 1 })).toEqual({
      title: 'The service refused this: “too dark”',
      quoted: true,
    });
    const long = { code: 'service.refused' as const, detail: 'x'.repeat(200), count: 1 };
    expect(problemTitle(long).quoted).toBe(false);
    expect(quoteWords('too dark')).toEqual({ lead: 'Message of the service:', quote: 'too dark' });
    expect(quoteWords('status 403')).toEqual({
      lead: 'The service gave no reason (status 403).',
      quote: null,
    });
  });

  test('a button about what is not proved says how many it is about', () => {
    expect(unprovenActionWords(1, 1)).toEqual({
      again: 'Send again (may duplicate)',
      delivered: 'Mark as delivered',
    });
    expect(unprovenActionWords(3, 3).again).toBe('Send all 3 again (may duplicate)');
    expect(unprovenActionWords(50, 1200).delivered).toBe('Mark 50 of them as delivered');
  });

  test('only what is not proved asks before it is sent again', () => {
    expect(sendAgainWords(1)).toContain('puts it there a second time');
    expect(sendAgainWords(1200)).toContain('these 1,200 files were sent');
    expect(deliveredWords(2)).toContain('will not be sent again');
  });
});

describe('groups', () => {
  const group = (code: ErrorCode, count: number) => ({
    code,
    detail: null,
    count,
    rows: [],
  });

  test('a refused key comes first, then the most files', () => {
    const groups = [group('item.gone', 2), group('item.rejected', 9), group('auth.rejected', 1)];
    expect(orderGroups(groups).map(({ code }) => code)).toEqual([
      'auth.rejected',
      'item.rejected',
      'item.gone',
    ]);
  });

  test('the summary counts files and causes', () => {
    expect(inboxSummary([group('item.gone', 1)], 0)).toBe('1 file needs attention');
    expect(inboxSummary([group('item.gone', 1), group('item.rejected', 1999)], 0)).toBe(
      '2,000 files need attention, from 2 causes',
    );
  });

  test('the summary counts what is no file as well', () => {
    expect(inboxSummary([], 1)).toBe('1 problem needs attention');
    expect(inboxSummary([group('item.gone', 2)], 0)).toBe('2 files need attention, from one cause');
    expect(inboxSummary([group('item.gone', 2)], 3)).toBe(
      '2 files and 3 other problems need attention',
    );
  });

  test('a folder that cannot be read is no file', () => {
    const one = group('directory.unreadable', 1);
    expect(problemCount(one)).toBe('1 folder');
    expect(problemCount(group('item.unreadable', 2))).toBe('2 files');
    expect(problemWords('directory.unreadable', 1).happened).toMatch(/^The folder /);
    expect(inboxSummary([one], 0)).toBe('1 folder needs attention');
    expect(inboxSummary([one, group('item.unreadable', 1)], 0)).toBe(
      '1 folder and 1 file need attention, from 2 causes',
    );
    expect(inboxSummary([one, group('item.unreadable', 2)], 1)).toBe(
      '1 folder, 2 files and 1 other problem need attention',
    );
  });

  test('what was said tells groups of one code apart', () => {
    const one = problemKey({ code: 'item.rejected', detail: 'too dark' });
    expect(one).not.toBe(problemKey({ code: 'item.rejected', detail: null }));
  });
});
