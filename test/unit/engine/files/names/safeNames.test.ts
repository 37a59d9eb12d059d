import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { smallFingerprint } from '../../../../../main/engine/files/fingerprint.ts';
import {
  localFileName,
  uniqueLocalName,
} from '../../../../../main/engine/files/names/localNames.ts';
import { decodeName } from '../../../../../main/engine/files/names/pathBytes.ts';
import {
  legalBatchId,
  legalJobId,
  nameAtService,
  nameKey,
} from '../../../../../main/engine/files/names/safeNames.ts';
import { ODD_NAMES } from '../../../../helpers/media.ts';
import { anyText } from '../../../../helpers/anyText.ts';

const FINGERPRINT = smallFingerprint(3, 'ab'.repeat(32));
const OTHER = smallFingerprint(3, 'cd'.repeat(32));

/** Names that trip programs up, legal on some system or sent by an attacker. */
const CORPUS: readonly string[] = [
  ...ODD_NAMES,
  ...['', '.', '..', '...', '-', '--', '~', '.jpg', '..jpg', '-a.jpg', '.hidden.jpg', ' .jpg'],
  ...[
    '../../etc/passwd',
    '/etc/passwd',
    'C:\\Windows\\x.jpg',
    '..\\..\\x.jpg',
    'a/b.jpg',
    'a\0b.jpg',
  ],
  ...[
    'CON',
    'con.jpg',
    'NUL.png',
    'COM1',
    'lpt9.jpg',
    'COM\u00b9.jpg',
    'AUX.',
    'prn .jpg',
    'CONIN$',
  ],
  ...['a.', 'a ', 'a.jpg.', 'a.jpg ', 'stream.jpg:secret', 'a|b?.jpg', 'a<b>.jpg', 'a*"b".jpg'],
  ...[
    'x.part',
    'x.PART',
    'x.tmp',
    'x.unpacking',
    'tab\there.jpg',
    'cr\rlf\n.jpg',
    'esc\u001b[31m.jpg',
  ],
  ...['gpj.\u202egnp.exe', '\ufeffbom.jpg', 'line\u2028end.jpg', '\ud800.jpg', 'a\udc00b.jpg'],
  ...['ß'.repeat(200) + '.jpg', '🎉'.repeat(100) + '.png', `a.${'x'.repeat(300)}`, 'x'.repeat(255)],
  ...[
    'x'.repeat(256),
    'I\u0307.jpg',
    '\u0130.jpg',
    'Å.jpg',
    'A\u030a.jpg',
    decodeName(Buffer.from('\xe9.jpg', 'latin1')),
  ],
];

function isPrintable(name: string): boolean {
  return !/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\ufeff]/u.test(name);
}

describe('names on the service', () => {
  test.each(CORPUS)('%j gets a legal name', (baseName) => {
    for (const unique of [
      null,
      { seedPath: `a/${baseName}`, fingerprint: FINGERPRINT, attempt: 0 },
    ]) {
      const name = nameAtService({ baseName, unique });
      expect(name).not.toMatch(/[/\\]|^[.-]|^\s|^$/);
      expect(isPrintable(name)).toBe(true);
      expect(name).toBe(name.normalize('NFC'));
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(nameAtService({ baseName, unique })).toBe(name);
      if (unique !== null) expect(name).toMatch(/~[0-9a-f]{8}(\.[^.]+|\.)?$/);
    }
  });

  test.each(['frame 1.jpg', 'früh.JPG', '日本語.png', 'no-extension', 'x'.repeat(255), 'a.b.c'])(
    '%j is legal and stays bare',
    (baseName) => {
      expect(nameAtService({ baseName, unique: null })).toBe(baseName);
    },
  );

  test('Unicode composition alone does not make a name unique', () => {
    expect(nameAtService({ baseName: 'fru\u0308h.jpg', unique: null })).toBe('früh.jpg');
  });

  test('a unique name keeps stem and extension, and depends on path and content', () => {
    const at = (seedPath: string, fingerprint: typeof FINGERPRINT) =>
      nameAtService({ baseName: 'frame.JPG', unique: { seedPath, fingerprint, attempt: 0 } });
    expect(at('a/frame.JPG', FINGERPRINT)).toMatch(/^frame~[0-9a-f]{8}\.JPG$/);
    const names = [
      at('a/frame.JPG', FINGERPRINT),
      at('b/frame.JPG', FINGERPRINT),
      at('a/frame.JPG', OTHER),
    ];
    expect(new Set(names).size).toBe(3);
    // Names must never change: this one was produced by an earlier version.
    expect(names[0]).toBe('frame~fef1437f.JPG');
  });

  test('different illegal names stay different', () => {
    const names = ['a/b.jpg', 'a\\b.jpg', 'a\nb.jpg', 'a\tb.jpg'].map((baseName) =>
      nameAtService({ baseName, unique: null }),
    );
    expect(new Set(names).size).toBe(4);
  });

  test('any text gets a legal name', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 150 }), (baseName) => {
        const name = nameAtService({ baseName, unique: null });
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name).not.toMatch(/[/\\]|^[.-]|^$/);
        expect(isPrintable(name)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

test.each([
  ['A.JPG', 'a.jpg'],
  ['fru\u0308h', 'FRÜH'],
  ['straße', 'STRASSE'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['\u212b', 'å'],
])('%s and %s have the same key', (one, other) => {
  expect(nameKey(one)).toBe(nameKey(other));
});

describe('ids', () => {
  test.each(['a', 'a--b', '-a_', 'line-1-2026-11-21', 'x'.repeat(64)])(
    '%s is a batch id already',
    (id) => {
      expect(legalBatchId(id)).toBe(id);
    },
  );
  test.each([
    ['Line 1', 'line-1'],
    ['  Früchte & Gemüse  ', 'fruchte-gemuse'],
    ['Kamera_A/2026', 'kamera_a-2026'],
  ])('%j becomes %s', (text, id) => {
    expect(legalBatchId(text)).toBe(id);
  });
  test('a job id has no underscore and is short', () => {
    expect(legalJobId('my_job')).toBe('my-job');
    expect(legalJobId('a-1')).toBe('a-1');
  });
  test('long and unreadable texts stay different', () => {
    const texts = [`${'x'.repeat(70)}a`, `${'x'.repeat(70)}b`, '日本', '中国', '', '🎉'];
    for (const make of [legalBatchId, legalJobId]) {
      expect(new Set(texts.map((text) => make(text))).size).toBe(texts.length);
    }
  });
  test('any text gets legal ids', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 120 }), (text) => {
        expect(legalBatchId(text)).toMatch(/^[a-z0-9_-]{1,64}$/);
        expect(legalJobId(text)).toMatch(/^[a-z0-9-]{1,20}$/);
      }),
    );
  });
});

describe('names on this disk', () => {
  const safe = (name: string) => {
    expect(name).not.toMatch(/[/\\<>:"|?*\0]|^[.\s]|[. ]$|^$|\.(part|tmp|unpacking)$/i);
    expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
    expect(isPrintable(name)).toBe(true);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(241);
  };
  test.each(CORPUS)('%j gets a safe name', (name) => {
    safe(localFileName(name));
  });
  test('any text gets a safe name', () => {
    fc.assert(fc.property(anyText({ maxLength: 150 }), (name) => safe(localFileName(name))));
  });
  test.each(['results.csv', 'früh.jpg', '日本語.json', 'a~1.jpg', 'with space.jpg'])(
    '%s stays as it is',
    (name) => {
      expect(localFileName(name)).toBe(name);
    },
  );
  test('names that are taken get a number', () => {
    const taken = new Set(['a.jpg', 'a~2.jpg']);
    expect(uniqueLocalName('a.jpg', (name) => taken.has(name))).toBe('a~3.jpg');
    expect(uniqueLocalName('b.jpg', (name) => taken.has(name))).toBe('b.jpg');
    const long = `${'x'.repeat(236)}.jpg`;
    expect(Buffer.byteLength(uniqueLocalName(long, (name) => name === long))).toBe(240);
  });
});
