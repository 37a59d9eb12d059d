import { describe, expect, it } from 'vitest';
import { NO_COUNTS as none } from '../../../../../main/engine/status/counts.ts';
import { refuseRule } from '../../../../../main/engine/watches/rule.ts';
import { watchRuleSchema } from '../../../../../preload/contract/watchRule.ts';
import type { WatchView } from '../../../../../preload/contract/snapshot.ts';
import { standardRule } from '../../../../../preload/contract/standardRule.ts';
import { baseName, directoryOf, drawnParts } from '../../../../../renderer/text/pathParts.ts';
import { areaPath, linePath, niceTop } from '../../../../../renderer/text/chartPath.ts';
import { wordsFor } from '../../../../../renderer/text/errorWords.ts';
import { expiryWords } from '../../../../../renderer/views/batches/expiry.ts';
import {
  emptyWords,
  heldCount,
  heldFault,
  heldSum,
  heldWords,
} from '../../../../../renderer/views/uploads/heldWords.ts';
import { segmentsOf } from '../../../../../renderer/views/batches/itemStates.ts';
import {
  draftOf,
  faultsOf,
  ruleOf,
  withDirectory,
} from '../../../../../renderer/views/uploads/ruleDraft.ts';
import { ruleWords } from '../../../../../renderer/views/uploads/ruleWords.ts';
import { SEND_MODES, sendModeWords } from '../../../../../renderer/views/uploads/sendModes.ts';
import { steadyLeft } from '../../../../../renderer/text/timeLeft.ts';
import { dropState } from '../../../../../renderer/views/uploads/dropState.ts';
import {
  closingWords,
  needingFirst,
  sharedWords,
  watchStateWords,
} from '../../../../../renderer/views/uploads/watchWords.ts';
import { watchNext } from '../../../../../renderer/views/uploads/watchNext.ts';

const HOUR = 3_600_000;
const rule = standardRule('/home/ann/cam', 'cam');
const full = watchRuleSchema().parse({
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

  it('can be sent to main, also with a part that was set on the command line', () => {
    const shared = { ...full, part: { index: 0, of: 2 } };
    const wrapped = { ...draftOf(shared), part: new Proxy(shared.part, {}) };
    expect(structuredClone(ruleOf(wrapped, shared))).toEqual(shared);
  });

  it('is named after another folder that is chosen, unless the name is the user’s own', () => {
    const draft = draftOf(standardRule('/media/card', 'card'));
    const moved = { ...draft, directory: '/home/ann/Camera', name: 'Camera' };
    expect(withDirectory(draft, '/home/ann/Camera')).toEqual(moved);
    expect(withDirectory({ ...draft, name: 'Line 2' }, '/home/ann/Camera').name).toBe('Line 2');
  });

  it('keeps the link that leads to the folder until another folder is chosen', () => {
    const linked = { ...standardRule('/media/day1', 'card'), link: '/media/current' };
    const draft = draftOf(linked);
    expect(ruleOf(draft, linked).link).toBe('/media/current');
    expect(withDirectory(draft, '/media/day1').link).toBe('/media/current');
    expect(withDirectory(draft, '/media/day2').link).toBeNull();
  });

  it('passes the schema of the contract when no box has a fault', () => {
    const draft = { ...draftOf(rule), include: ' a \n\n b ', displayName: '  ', name: ' cam ' };
    expect(faultsOf(draft)).toEqual({});
    expect(watchRuleSchema().parse(ruleOf(draft, rule))).toMatchObject({
      include: ['a', 'b'],
      displayName: null,
      name: 'cam',
    });
  });

  it('names the broken box', () => {
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

  it.each([
    ['x-{nope}', /^\{nope\} stands for nothing\..* \{date\}/],
    ['{date}-{nope}', /^\{nope\}/],
    ['---', /letter or a digit/],
    [' ', /letter or a digit/],
    ['{date}', undefined],
    // Not a placeholder: these braces become hyphens.
    ['{No}', undefined],
  ])('is refused at its batch for the same as in main: %s', (batch, fault) => {
    const said = faultsOf({ ...draftOf(rule), batch }).batch;
    const main = refuseRule({ ...rule, batch }, { dataDirectory: '/data', others: [] });
    expect(said === undefined).toBe(main === null);
    if (fault !== undefined) expect(said).toMatch(fault);
  });

  it('says when another folder fills the same batch', () => {
    const fill = (id: number, batch: string) => ({ id, rule: { ...rule, batch } });
    const watches = [fill(1, 'one'), fill(2, 'one'), fill(3, '{watch}'), fill(4, '{watch}')];
    const said = watches.map((one) => sharedWords(watches, one.rule, one.id) !== null);
    expect(said).toEqual([true, true, false, false]);
    expect(sharedWords(watches, { ...rule, batch: 'one' }, null)).toMatch(
      /^“cam” fills the same batch\./,
    );
  });

  it('reads as a sentence', () => {
    const say = (of: typeof full, batch: string | null): string =>
      ruleWords(of, batch)
        .map(({ text }) => text)
        .join('');
    expect(say(full, 'cam-20261121')).toBe(
      'New images to cam-20261121, closed when quiet for 1 h 30 min, or at 1 file, or at 18:00, then workflow count-cups, outputs to results',
    );
    expect(say(rule, null)).toBe('Images and videos to {watch}-{host}-{date}');
    expect(say(rule, 'cam-1')).toBe('Images and videos to cam-1');
    expect(say(rule, 'cam-1-videos')).toBe('Images to cam-1, videos to cam-1-videos');
  });
});

describe('the segmented bar', () => {
  it('splits the total among what will be uploaded', () => {
    const parts = segmentsOf({
      ...none,
      found: 14,
      queued: 2,
      sending: 1,
      confirmed: 6,
      skipped: 4,
      attention: 1,
    });
    expect(parts.map(({ count }) => count)).toEqual([6, 0, 1, 2, 1]);
    expect(parts.reduce((sum, { fraction }) => sum + fraction, 0)).toBeCloseTo(1);
  });
  it('is empty, not broken, without files', () => {
    expect(segmentsOf(none).every(({ fraction }) => fraction === 0)).toBe(true);
  });
});

describe('what comes next with a watch', () => {
  const now = new Date(2026, 10, 21, 16, 0).getTime();
  const seal = { quietMinutes: null, items: null, at: null };
  const next = (
    part: Partial<typeof none>,
    seals = {},
    { paused = false, settling = 0 } = {},
  ): string | null =>
    watchNext(
      {
        id: 1,
        destinationId: 1,
        state: 'watching',
        notice: null,
        batchId: null,
        lastFileAt: now - HOUR,
        rule: { ...rule, seal: { ...seal, ...seals } },
        counts: { ...none, ...part },
        bytes: { confirmed: 0, sent: 0, onWire: 0, total: 0 },
        settling,
      },
      paused,
      now,
    );

  it('is not said where the figures and the state say it', () => {
    const at = { at: '18:30' };
    expect(next({}, at)).toBeNull();
    expect(next({ confirmed: 3 }, at, { settling: 1 })).toBeNull();
    expect(next({ confirmed: 3, queued: 3, sending: 2 }, at)).toBeNull();
    expect(next({ confirmed: 3, sent: 2 }, at)).toBeNull();
    expect(next({ confirmed: 3 }, at, { paused: true })).toBeNull();
  });

  it('names the moment at which the batch is closed', () => {
    expect(next({ confirmed: 3 })).toBeNull();
    expect(next({ confirmed: 3 }, { at: '18:30' })).toContain('closes in 2 h 30 min');
    expect(next({ confirmed: 3 }, { at: '15:00' })).toContain('closes in 23 h');
    expect(next({ confirmed: 3 }, { quietMinutes: 90 })).toContain('in 30 min if quiet');
  });
});

it('a pause lets what is being sent end: until then, nothing is called paused', () => {
  const said = (sending: number): readonly string[] => {
    const counts = { ...none, found: 3, queued: 3 - sending, sending };
    const drop = dropState({ counts, reading: false }, { paused: true, held: false });
    return [watchStateWords({ state: 'paused' }, counts).word, drop.word];
  };
  expect(said(2)).toEqual(['Pausing', 'Pausing']);
  expect(said(0)).toEqual(['Paused', 'Paused']);
});

it('an upload of which nothing arrived is not called done', () => {
  const calm = { paused: false, held: false };
  const said = (counts: Partial<typeof none>): string =>
    dropState({ counts: { ...none, ...counts }, reading: false }, calm).word;
  expect(said({ found: 5, skipped: 5 })).toBe('Skipped');
  expect(said({ found: 5, confirmed: 1, skipped: 4 })).toBe('Done');
});

it('the remaining time counts down until it is clearly wrong', () => {
  const said = steadyLeft(null, 100_000, 0);
  expect(said).toEqual({ leftMs: 100_000, at: 0 });
  expect(steadyLeft(said, 110_000, 10_000)?.leftMs).toBe(90_000);
  expect(steadyLeft(said, 300_000, 10_000)?.leftMs).toBe(300_000);
  expect(steadyLeft(said, 20_000, 10_000)?.leftMs).toBe(20_000);
  expect(steadyLeft(said, null, 10_000)).toBeNull();
});

it('expiry is amber under 48 h and red under 12 h', () => {
  expect(expiryWords(52 * HOUR, 0)).toEqual({ text: 'in 2 d 4 h', tone: 'quiet' });
  expect(expiryWords(47 * HOUR, 0).tone).toBe('waiting');
  expect(expiryWords(11 * HOUR, 0).tone).toBe('needs');
  expect(expiryWords(HOUR, 4 * HOUR)).toEqual({ text: '3 h ago', tone: 'quiet' });
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
    expect(heldWords([])).toBe('Drop to upload');
    expect(heldWords(['image/png', 'image/jpeg'])).toBe('Drop to upload 2 images');
    expect(heldWords(['video/mp4'])).toBe('Drop to upload 1 video');
    expect(heldWords([''])).toBe('Drop to upload or watch this');
    expect(heldWords(['', 'image/png', 'video/mp4'])).toBe('Drop to upload these 3');
    const kinds = ['directory', 'file', 'file', 'gone', 'unreadable'] as const;
    expect(heldCount(kinds.map((kind) => ({ kind })))).toBe('1 folder and 2 files');
    expect(kinds.map(heldFault).filter((fault) => fault !== null)).toHaveLength(2);
    expect(emptyWords([{ kind: 'unreadable' }], 0)).toContain('read permission');
    expect(emptyWords([{ kind: 'gone' }], 0)).toContain('moved or deleted');
    expect(emptyWords([{ kind: 'directory' }], 0)).toContain('no files yet');
    expect(emptyWords([{ kind: 'directory' }], 3)).toContain('None of it is an image or a video');
    const held = { paths: [], files: 53, bytes: 12.4e6, leftOut: 0, more: true };
    expect(heldSum(held)).toBe('more than 53 files, 12.4 MB');
    expect(baseName('/home/ann/cam/')).toBe('cam');
    expect(baseName('C:\\data\\cam')).toBe('cam');
    expect(baseName('/')).toBe('/');
    expect(baseName('')).toBe('');
    expect(directoryOf('/home/ann/cam/1.jpg')).toBe('/home/ann/cam');
    expect(directoryOf('C:\\data\\1.jpg')).toBe('C:\\data');
    expect(directoryOf('1.jpg')).toBe('');
  });

  it('draws names that run from right to left each for itself, so that a path keeps its order', () => {
    expect(drawnParts('/data/שורה 3/נכנס')).toEqual(['/', 'data', '/', 'שורה 3', '/', 'נכנס']);
    expect(drawnParts('C:\\صور\\1')).toEqual(['C:', '\\', 'صور', '\\', '1']);
    expect(drawnParts('/data/東京/1.jpg')).toEqual(['/data/東京/1.jpg']);
  });
});

it('a refusal by Sluice itself is said with its reason', () => {
  expect(wordsFor({ code: 'usage.invalid', context: { said: 'connect first' } }).message).toBe(
    'Connect first.',
  );
  const context = { said: 'there is no such directory:', path: '/photos' };
  expect(wordsFor({ code: 'usage.invalid', context }).message).toBe(
    'There is no such directory: /photos.',
  );
});

it('how files are sent has one word everywhere, and each choice says what it means', () => {
  expect(SEND_MODES.map(({ label }) => label)).toEqual([
    'Automatic',
    'One at a time',
    'In archives',
  ]);
  for (const { label, value } of SEND_MODES) {
    expect(`${label} ${sendModeWords(value)}`).not.toMatch(/bulk|shard/i);
  }
});

describe('watches', () => {
  it('that need a person come first, the others stay in their order', () => {
    const of = (...states: readonly WatchView['state'][]) => states.map((state) => ({ state }));
    const watches = of('watching', 'missing', 'paused', 'failed');
    expect(needingFirst(watches)).toEqual(of('missing', 'failed', 'watching', 'paused'));
  });
});

it('says before a batch is closed that its workflow runs, and that its files are moved', () => {
  expect(closingWords(rule)).not.toMatch(/workflow|moved/);
  const after = { job: { workflowId: 'count' }, moveTo: '/home/ann/sent' };
  expect(closingWords(after)).toMatch(/workflow count runs.*then moved to \/home\/ann\/sent\.$/);
});
