/** What was thrown as an error value. */
import { expect, test } from 'vitest';
import { errorOf, sluiceError, SluiceFailure } from '../../../../main/engine/core/errors.ts';

test.each(['EMFILE', 'ENFILE'])('%s is a shortage, wherever it is thrown', (code) => {
  // A part of this program that is loaded only when it is needed.
  const thrown = Object.assign(new Error(`${code}: too many open files, open 'x.js'`), { code });
  expect(errorOf(thrown)).toMatchObject({ code: 'system.openFiles', context: { errno: code } });
});

test('a failure keeps its error, and anything else is a bug', () => {
  const error = sluiceError('disk.full');
  expect(errorOf(new SluiceFailure(error))).toBe(error);
  expect(errorOf(new Error('x')).code).toBe('bug.unexpected');
  expect(errorOf('x').code).toBe('bug.unexpected');
});

test('a part of the program that is gone means that it was updated while it ran', () => {
  const missing = Object.assign(new Error("Cannot find module 'x.js'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  expect(errorOf(missing).code).toBe('system.replaced');
});
