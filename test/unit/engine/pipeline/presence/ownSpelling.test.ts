import { expect, test } from 'vitest';
import { mayBeOurs } from '../../../../../main/engine/pipeline/presence/ownSpelling.ts';

test.each([
  ['Cam-1.JPG', 'Cam-1.JPG', true],
  ['Cam-1.JPG', 'cam-1.jpg', true],
  ['Cam-1.jpg', 'CAM-1.JPG', true],
  ['Cam-1.JPG', 'Cam-1.jpg', true],
  ['Bl\u00fcte.JPG', 'Blu\u0308te.JPG', true],
  ['cam-1.jpg', 'cam-1.JPG', false],
  ['cam-1.jpg', 'Cam-1.jpg', false],
  ['CAM-1.jpg', 'Cam-1.jpg', false],
])('%s may be listed as %s: %s', (name, listed, may) => {
  expect(mayBeOurs(name, listed)).toBe(may);
});
