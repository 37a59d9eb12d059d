import { describe, expect, test } from 'vitest';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import type { WatchRule } from '../../../../preload/contract/watchRule.ts';
import {
  batchFor,
  createRuleFilter,
  describeRule,
  forbiddenBelow,
  batchNumberPattern,
  refuseRule,
  type RuleSurroundings,
  type TemplateFacts,
  remarksOnRule,
} from '../../../../main/engine/watches/rule.ts';

function rule(given: Partial<WatchRule> = {}): WatchRule {
  return { ...standardRule('/srv/in', 'Line 4'), ...given };
}

const FACTS: TemplateFacts = {
  host: 'Cam-PC.lab',
  at: new Date(2026, 10, 9, 23, 59, 59).getTime(),
  relativePath: 'frame.jpg',
  batchNumber: 3,
};

describe('templates', () => {
  test.each([
    ['plain-id', 'plain-id'],
    ['{watch}', 'line-4'],
    ['{watch}-{host}-{date}', 'line-4-cam-pc-lab-2026-11-09'],
    ['run-{n}', 'run-3'],
    ['{folder}', 'in'],
    ['{date}-{date}', '2026-11-09-2026-11-09'],
  ])('%s', (batch, id) => {
    expect(batchFor(rule({ batch }), FACTS)).toBe(id);
  });

  test('{folder} is the path of the sub-directory', () => {
    const given = rule({ batch: '{folder}' });
    expect(batchFor(given, { ...FACTS, relativePath: 'cam-a/left/1.jpg' })).toBe('cam-a-left');
  });

  test('{date} is the local date of that time', () => {
    const given = rule({ batch: '{date}' });
    expect(batchFor(given, { ...FACTS, at: FACTS.at + 1000 })).toBe('2026-11-10');
  });

  test.each(['Ünï cödé / № 5', 'A'.repeat(200), '🙂 {date}', '../../x', '{watch} {folder}'])(
    'whatever %s comes to is a legal id, the same each time',
    (batch) => {
      const facts = { ...FACTS, relativePath: 'Straße/ü/1.jpg' };
      const id = batchFor(rule({ batch }), facts);
      expect(id).toMatch(/^[a-z0-9_-]{1,64}$/);
      expect(batchFor(rule({ batch }), facts)).toBe(id);
    },
  );

  test('a directory whose name looks like a placeholder is a name', () => {
    const given = rule({ batch: '{folder}-x' });
    expect(batchFor(given, { ...FACTS, relativePath: '{n}/1.jpg' })).toBe('n-x');
    expect(batchNumberPattern(given, FACTS)).toBeNull();
  });

  test('the pattern of {n} matches only its own batches', () => {
    const given = rule({ batch: '{folder}-{n}', itemsPerBatch: 10 });
    expect(batchNumberPattern(given, FACTS)).toBe('in-[0-9]*');
    expect(batchNumberPattern(given, { ...FACTS, relativePath: 'cam-b/1.jpg' })).toBe(
      'cam-b-[0-9]*',
    );
  });
});

describe('what a rule takes', () => {
  function taken(given: Partial<WatchRule>, paths: readonly string[]): readonly string[] {
    const filter = createRuleFilter(rule(given));
    return paths.filter((path) => filter(path, 'file') === null);
  }
  const PATHS = ['a.jpg', 'b.PNG', 'clip.mp4', 'sub/c.jpg', 'sub/deep/d.webp', 'notes.txt'];

  test.each([
    ['everything without globs; what is no image is said later', {}, PATHS],
    [
      'a glob without a slash: the name wherever it stands',
      { include: ['*.jpg'] },
      ['a.jpg', 'sub/c.jpg'],
    ],
    ['a glob with a slash: the path', { include: ['sub/*'] }, ['sub/c.jpg']],
    ['two globs', { include: ['sub/**', '*.mp4'] }, ['clip.mp4', 'sub/c.jpg', 'sub/deep/d.webp']],
    ['excluded wins', { include: ['*.jpg'], exclude: ['sub/**'] }, ['a.jpg']],
    [
      'images only',
      { kinds: 'images', exclude: ['*.txt'] },
      ['a.jpg', 'b.PNG', 'sub/c.jpg', 'sub/deep/d.webp'],
    ],
    ['videos only', { kinds: 'videos', exclude: ['*.txt'] }, ['clip.mp4']],
    ['a glob that matches nothing', { include: ['*.gif'] }, []],
    ['a glob that is no glob', { include: ['['] }, []],
  ] satisfies [string, Partial<WatchRule>, readonly string[]][])('%s', (_, given, wanted) => {
    expect(taken(given, PATHS)).toEqual(wanted);
  });

  test('an excluded directory is not entered; an include says nothing about directories', () => {
    const filter = createRuleFilter(rule({ include: ['*.jpg'], exclude: ['old'] }));
    expect(filter('old', 'directory')).toBe('item.excluded');
    expect(filter('sub/old', 'directory')).toBe('item.excluded');
    expect(filter('sub', 'directory')).toBeNull();
  });

  test('what is in an excluded directory is excluded, even if a listener reports it', () => {
    const filter = createRuleFilter(rule({ exclude: ['old', 'sub/raw'] }));
    for (const path of ['old/a.jpg', 'sub/old/deep/a.jpg', 'sub/raw/a.jpg'])
      expect(filter(path, 'file')).toBe('item.excluded');
    expect(filter('raw/older/a.jpg', 'file')).toBeNull();
  });

  test('links are followed unless the rule says otherwise; an include waits for what they lead to', () => {
    const filter = createRuleFilter(rule({ include: ['*.jpg'], exclude: ['old'] }));
    expect(filter('camera', 'link')).toBeNull();
    expect(filter('old', 'link')).toBe('item.excluded');
    const strict = createRuleFilter(rule({ followLinks: false }));
    expect(strict('camera', 'link')).toBe('item.excluded');
    expect(strict('a.jpg', 'file')).toBeNull();
  });
});

describe('what is refused at entry', () => {
  const JOB = { workflowId: 'count' };
  const other = (given: Partial<WatchRule>): RuleSurroundings => ({
    dataDirectory: '/var/sluice',
    others: [rule({ name: 'Other', directory: '/srv/other', ...given })],
  });
  const ALONE: RuleSurroundings = { dataDirectory: '/var/sluice', others: [] };

  test.each([
    [
      'an unknown placeholder',
      { batch: '{weekday}' },
      ALONE,
      /does not know \{weekday\}.*\{date\}/,
    ],
    ['{n} without a number', { batch: 'x-{n}' }, ALONE, /give both or neither/],
    ['a number without {n}', { itemsPerBatch: 5 }, ALONE, /give both or neither/],
    ['nothing legal in the batch', { batch: '---' }, ALONE, /letter or digit/],
    ['the data directory', { directory: '/var/sluice' }, ALONE, /data of Sluice/],
    ['above the data directory', { directory: '/var' }, ALONE, /data of Sluice/],
    ['below the data directory', { directory: '/var/sluice/logs' }, ALONE, /data of Sluice/],
    [
      'the same directory',
      { directory: '/srv/other' },
      other({}),
      /overlaps with \/srv\/other, which is already watched/,
    ],
    ['above another watch', { directory: '/srv' }, other({}), /overlaps/],
    ['below another watch', { directory: '/srv/other/a' }, other({}), /overlaps/],
    [
      'where another brings its results',
      {},
      other({ downloadTo: '/srv/in/out' }),
      /results of "Other"/,
    ],
    [
      'where another moves its files',
      {},
      other({ moveTo: '/srv/in/done' }),
      /"Other" moves its files here/,
    ],
    [
      'results into another watch',
      { downloadTo: '/srv/other/x', job: JOB },
      other({}),
      /land in \/srv\/other, which is watched/,
    ],
    [
      'moved files into another watch',
      { moveTo: '/srv/other/x' },
      other({}),
      /land in \/srv\/other, which is watched/,
    ],
    ['results without a workflow', { downloadTo: '/srv/out' }, ALONE, /only from a workflow/],
    ['results into itself', { downloadTo: '/srv/in', job: JOB }, ALONE, /results cannot be/],
    ['results above itself', { downloadTo: '/srv', job: JOB }, ALONE, /results cannot be/],
    ['moved files to itself', { moveTo: '/srv/in' }, ALONE, /moved files cannot contain/],
    ['moved files above itself', { moveTo: '/' }, ALONE, /moved files cannot contain/],
  ] satisfies [string, Partial<WatchRule>, RuleSurroundings, RegExp][])(
    '%s',
    (_, given, around, said) => {
      expect(refuseRule(rule(given), around)).toMatch(said);
    },
  );

  test.each([
    ['a plain rule', {}, ALONE],
    ['a neighbour whose name begins alike', { directory: '/srv/other-2' }, other({})],
    [
      'its own targets below it',
      { downloadTo: '/srv/in/out', moveTo: '/srv/in/done', job: JOB },
      ALONE,
    ],
    ['{n} with its number', { batch: 'x-{n}', itemsPerBatch: 9 }, ALONE],
  ] satisfies [string, Partial<WatchRule>, RuleSurroundings][])('%s may be', (_, given, around) => {
    expect(refuseRule(rule(given), around)).toBeNull();
  });
});

test('its own targets below a watch are never looked at, nor those of others', () => {
  const around = {
    dataDirectory: '/var/sluice',
    others: [rule({ name: 'Other', directory: '/x', moveTo: '/srv/in/theirs' })],
  };
  const given = rule({ downloadTo: '/srv/in/out', moveTo: '/srv/elsewhere' });
  expect(forbiddenBelow(given, around)).toEqual(['/srv/in/out', '/srv/in/theirs']);
});

describe('what is said before a rule is kept', () => {
  const DAILY = { batch: 'line-{date}', kinds: 'images' } as const;
  test.each([
    ['nothing about a daily batch', DAILY, []],
    ['a fixed id', { ...DAILY, batch: 'line' }, [/7 days.*\{date\}/]],
    [
      'a workflow that nothing starts',
      { ...DAILY, batch: 'line-{folder}', job: { workflowId: 'w' } },
      [/only by hand/],
    ],
    [
      'files that nothing moves',
      { ...DAILY, batch: 'line-{folder}', moveTo: '/done' },
      [/not moved/],
    ],
  ] satisfies [string, Partial<WatchRule>, readonly RegExp[]][])('%s', (_, given, said) => {
    const { warnings, notes } = remarksOnRule(rule(given), FACTS);
    expect(warnings).toEqual(said.map((one) => expect.stringMatching(one)));
    expect(notes).toEqual([]);
  });

  test('an id that is made legal is a fact, not a warning', () => {
    const given = rule({ ...DAILY, batch: 'Line {date}' });
    expect(remarksOnRule(given, FACTS)).toEqual({
      warnings: [],
      notes: [
        'A batch id has only lower-case letters, digits, hyphens and underscores, 64 at most, so it becomes line-2026-11-09',
      ],
    });
  });

  test('nothing is said about an id whose placeholders are made legal', () => {
    const given = rule({ ...DAILY, name: 'Orchard 2026', batch: '{watch}-{host}-{date}' });
    expect(remarksOnRule(given, FACTS)).toEqual({ warnings: [], notes: [] });
  });

  test('in one sentence', () => {
    const whole = rule({
      batch: 'My Line',
      include: ['*.jpg', '*.png'],
      exclude: ['tmp/**'],
      existing: false,
      seal: { quietMinutes: 10, items: 500, at: '18:00' },
      job: { workflowId: 'count' },
      downloadTo: '/out',
      unpack: true,
      moveTo: '/done',
    });
    expect(describeRule(whole)).toBe(
      'new images and videos to my-line, only *.jpg *.png, without tmp/**, closed after 10 min of quiet, closed at 500 files, closed at 18:00, then workflow count, unpacked results to /out, sources moved to /done',
    );
  });
});
