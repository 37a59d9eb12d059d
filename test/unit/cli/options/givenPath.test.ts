/** Paths as people type them, on systems that this one is not. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenPath, givenPaths } from '../../../../main/cli/options/givenPath.ts';
import { scratch } from '../../../helpers/scratch.ts';

test('where a disk ignores case, a path gets the spelling that the disk has', () => {
  const root = scratch();
  mkdirSync(join(root, 'Cam'));
  // Stands for a disk that finds the directory in both spellings.
  symlinkSync('Cam', join(root, 'cam'));
  symlinkSync('Cam', join(root, 'link'));
  expect(givenPath(join(root, 'cam'), 'win32')).toBe(join(root, 'Cam'));
  expect(givenPath(join(root, 'cam'), 'darwin')).toBe(join(root, 'Cam'));
  expect(givenPath(join(root, 'cam'), 'linux')).toBe(join(root, 'cam'));
  expect(givenPath(join(root, 'link'), 'win32')).toBe(join(root, 'link'));
  expect(givenPath(join(root, 'none'), 'win32')).toBe(join(root, 'none'));
});

test('on Windows, * and ? stand for every file that matches, and other signs for themselves', () => {
  const root = scratch();
  const all = ['a1.jpg', 'a2.jpg', 'b [1].jpg', 'b 1.jpg'].map((name) => join(root, name));
  for (const path of all) writeFileSync(path, '');
  const [a1, a2, bracket] = all;
  expect(givenPaths(join(root, 'a?.jpg'), 'win32')).toEqual([a1, a2]);
  expect(givenPaths(join(root, '*[1].jpg'), 'win32')).toEqual([bracket]);
  expect(givenPaths(join(root, 'c*.jpg'), 'win32')).toEqual([join(root, 'c*.jpg')]);
  expect(givenPaths(join(root, 'a?.jpg'), 'linux')).toEqual([join(root, 'a?.jpg')]);
});
