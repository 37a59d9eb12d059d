/** Who else can read the file of the key. */
import { expect, test } from 'vitest';
import { isOpenToOthers } from '../../../../main/cli/session/context.ts';

test.each([
  [0o100600, 1000, false],
  [0o100640, 1000, true],
  [0o100644, 1000, true],
  [0o100400, 0, false],
  // What Kubernetes and systemd give to a user who is not root.
  [0o100440, 0, false],
  [0o100444, 0, true],
])('a file with mode %o of user %i, for user 1000: open %s', (mode, uid, isOpen) => {
  expect(isOpenToOthers({ mode, uid }, 1000)).toBe(isOpen);
});
