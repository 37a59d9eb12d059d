/** What is made when it is first needed. */
import { expect, test, vi } from 'vitest';
import { once } from '../../../preload/contract/once.ts';

test('is made once, when it is needed, even when it is nothing', () => {
  const make = vi.fn(() => undefined);
  const value = once(make);
  expect(make).not.toHaveBeenCalled();
  expect([value(), value()]).toEqual([undefined, undefined]);
  expect(make).toHaveBeenCalledTimes(1);
});

test('is made again where that failed', () => {
  const make = vi.fn<() => string>().mockImplementationOnce(() => {
    throw new Error('not yet');
  });
  make.mockReturnValue('made');
  const value = once(make);
  expect(value).toThrow('not yet');
  expect(value()).toBe('made');
});
