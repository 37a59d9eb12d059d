import { expect, test } from 'vitest';
import {
  IMAGE_EXTENSIONS,
  VIDEO_EXTENSIONS,
} from '../../../../main/engine/files/media/mediaKind.ts';
import { isFingerprint, isStamp } from '../../../../main/engine/core/ids.ts';
import { kindByName } from '../../../../main/engine/watches/rule.ts';

test.each([
  ['', true],
  ['10:-1:2:3', true],
  ['10:1:2', false],
  ['a stamp', false],
])('the stamp %j is one: %s', (text, is) => {
  expect(isStamp(text)).toBe(is);
});

test.each([
  [`s10-${'a'.repeat(64)}`, true],
  [`l10-${'0'.repeat(64)}`, true],
  ['', false],
  ['s10-abc', false],
])('the fingerprint %j is one: %s', (text, is) => {
  expect(isFingerprint(text)).toBe(is);
});

test('a rule and the check of a file know the same extensions', () => {
  for (const ending of IMAGE_EXTENSIONS)
    expect(kindByName(`a.${ending.toUpperCase()}`)).toBe('image');
  for (const ending of VIDEO_EXTENSIONS) expect(kindByName(`in.d/a.${ending}`)).toBe('video');
  expect(kindByName('.jpg')).toBeNull();
  expect(kindByName('notes')).toBeNull();
});
