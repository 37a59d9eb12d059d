import { expect, test } from 'vitest';
import { unreadable } from '../../../../main/cli/run/uploadRun.ts';

test.each([
  ['ENOTCONN', 'disk.missing'],
  ['EACCES', 'item.unreadable'],
])('a path that cannot be looked at (%s): %s', (errno, code) => {
  const failed = Object.assign(new Error('stat'), { code: errno });
  const error = { code, context: { said: `/nas/cam: ${errno}` } };
  expect(unreadable('/nas/cam', failed)).toMatchObject(error);
});
