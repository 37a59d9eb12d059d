import { describe, expect, it } from 'vitest';
import { watchRuleSchema } from '../../../preload/watchRule.ts';
import { ERROR_CODES } from '../../../preload/errorCodes.ts';
import { standardRule } from '../../../preload/standardRule.ts';
import { areaPath, linePath, niceTop } from '../../../renderer/text/chartPath.ts';
import { dropBatch } from '../../../renderer/text/dropBatch.ts';
import { wordsFor } from '../../../renderer/text/errorWords.ts';
import { expiryWords } from '../../../renderer/text/expiry.ts';
import { baseName, heldWords, looksLikeDirectory } from '../../../renderer/text/heldWords.ts';
import { segmentsOf } from '../../../renderer/text/itemStates.ts';
import { draftOf, faultsOf, ruleOf } from '../../../renderer/text/ruleDraft.ts';
import { ruleWords } from '../../../renderer/text/ruleWords.ts';

const HOUR = 3_600_000;
const rule = standardRule('/home/ann/cam', 'cam');
const full = watchRuleSchema.parse({
  ...rule,
  existing: false,
  kinds: 'images',
  include: ['**/good/*.jpg'],
  seal: { quietMinutes: 90, items: 1, at: '18:00' },
  job: { workflowId: 'count-cups', machineType: 'gpu' },
  downloadTo: '/home/ann/results',
});

describe('a rule', () => {
  it('is the same after it went through the boxes', () => {
    expect(ruleOf(draftOf(full), full)).toEqual(full);
    expect(faultsOf(draftOf(full))).toEqual({});
  });

  it('passes the schema of the contract when no box has a fault', () => {
    const draft = { ...draftOf(rule), include: ' a \n\n b ', displayName: '  ', name: ' cam ' };
    expect(faultsOf(draft)).toEqual({});
    expect(watchRuleSchema.parse(ruleOf(draft, rule))).toMatchObject({
      include: ['a', 'b'],
      displayName: null,
      name: 'cam',
    });
  });

  it('names the box that has to be mended', () => {
    const draft = {
      ...draftOf(rule),
      directory: '',
      name: ' ',
      batch: 'cam-{n}',
      settleSeconds: null,
      quietMinutes: 20_000,
      sealItems: 1.5,
    };
    expect(Object.keys(faultsOf(draft)).sort()).toEqual(
      ['directory', 'itemsPerBatch', 'name', 'quietMinutes', 'sealItems', 'settleSeconds'].sort(),
    );
  });

  it('reads as a sentence', () => {
    const say = (of: typeof full, batch: string | null): string =>
      ruleWords(of, batch)
        .map(({ text }) => text)
        .join('');
    expect(say(full, 'cam-20261121')).toBe(
      'new images to cam-20261121, sealed when quiet for 1 h 30 min, or at 1 file, or at 18:00, then workflow count-cups, outputs to results',
    );
    expect(say(rule, null)).toBe('images and videos to {watch}-{host}-{date}');
    expect(say(rule, 'cam-1')).toBe('images and videos to cam-1');
    expect(say(rule, 'cam-1-videos')).toBe('images to cam-1, videos to cam-1-videos');
  });
});

describe('the segmented bar', () => {
  const none = { found: 0, queued: 0, sending: 0, confirmed: 0, skipped: 0, attention: 0 };
  it('shares the whole among what shall be uploaded', () => {
    const parts = segmentsOf({
      ...none,
      found: 14,
      queued: 2,
      sending: 1,
      confirmed: 6,
      skipped: 4,
      attention: 1,
    });
    expect(parts.map(({ count }) => count)).toEqual([6, 1, 2, 1]);
    expect(parts.reduce((sum, { fraction }) => sum + fraction, 0)).toBeCloseTo(1);
  });
  it('is empty, not broken, without files', () => {
    expect(segmentsOf(none).every(({ fraction }) => fraction === 0)).toBe(true);
  });
});

it('expiry is amber under 48 h and red under 12 h', () => {
  expect(expiryWords(52 * HOUR, 0)).toEqual({ text: 'expires in 2 d 4 h', tone: 'quiet' });
  expect(expiryWords(47 * HOUR, 0).tone).toBe('waiting');
  expect(expiryWords(11 * HOUR, 0).tone).toBe('needs');
  expect(expiryWords(0, 1)).toEqual({ text: 'expired', tone: 'quiet' });
  expect(expiryWords(52 * HOUR, 0, true).text).toBe('in 2 d 4 h');
  expect(expiryWords(0, 3 * HOUR, true).text).toBe('3 h ago');
});

describe('the chart', () => {
  const shape = { width: 100, height: 10, top: 10, places: 11 };
  it('has a scale that stays while the values move a little', () => {
    expect([38e6, 45e6, 50e6, 51e6].map(niceTop)).toEqual([50e6, 50e6, 50e6, 100e6]);
    expect([0, Number.NaN, -1].map(niceTop)).toEqual([1e6, 1e6, 1e6]);
  });
  it('puts the newest value at the right and stays inside', () => {
    expect(linePath([5, 20], shape)).toBe('M90.0 5.0L100.0 0.0');
    expect(areaPath([5, 20], shape)).toBe('M90.0 10L90.0 5.0L100.0 0.0L100 10Z');
    expect(linePath([Number.NaN, 1], shape)).toBe('M90.0 10.0L100.0 9.0');
  });
  it('is empty until there are two values', () => {
    expect([linePath([], shape), areaPath([1], shape)]).toEqual(['', '']);
  });
});

describe('what is dropped', () => {
  it('is named as what it is', () => {
    expect(heldWords(0)).toBe('Drop to upload');
    expect(heldWords(3)).toBe('Drop to upload these 3');
    expect(baseName('/home/ann/cam/')).toBe('cam');
    expect(baseName('C:\\data\\cam')).toBe('cam');
    expect(baseName('/')).toBe('/');
    expect(looksLikeDirectory('/home/ann/cam.d/run')).toBe(true);
    expect(looksLikeDirectory('/home/ann/a.jpeg')).toBe(false);
  });
  it('goes to a batch of the day on this computer', () => {
    expect(dropBatch(new Date(2026, 0, 5, 23, 59).getTime())).toBe('drop-2026-01-05');
  });
});

it('no error of the window speaks of commands', () => {
  for (const code of ERROR_CODES) {
    const { message, hint } = wordsFor({ code, context: {} });
    expect(`${message} ${hint}`).not.toMatch(/SLUICE_|--\w|\bcommand\b.*again/);
    expect(message).toMatch(/[.]$/);
  }
  expect(wordsFor({ code: 'usage.invalid', context: { said: 'connect first' } }).message).toBe(
    'Connect first.',
  );
});
