import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { matchesAccelerator } from '../../../../build/chromiumHost/accelerators.ts';
import { hostEvent } from '../../../../build/chromiumHost/hostEvent.ts';
import { decodeValue, encodeValue } from '../../../../build/chromiumHost/worlds/codec.ts';

describe('values between the host and a page', () => {
  it('any JSON value arrives as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(decodeValue(encodeValue(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([() => 1, Symbol('s'), Promise.resolve(1), [{ deep: () => 1 }], 1n, NaN, new Set()])(
    'what is not JSON is refused in the words of Electron',
    (value) => {
      expect(() => encodeValue(value)).toThrow('An object could not be cloned.');
    },
  );
});

describe('keys of the menu', () => {
  const press = (key: string, ...held: string[]) => ({
    key,
    code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : '',
    ctrl: held.includes('ctrl'),
    alt: held.includes('alt'),
    meta: held.includes('meta'),
    shift: held.includes('shift'),
  });

  it.each([
    ['CmdOrCtrl+Q', press('q', 'ctrl'), 'linux', true],
    ['CmdOrCtrl+Q', press('q', 'ctrl'), 'darwin', false],
    ['CmdOrCtrl+Q', press('q', 'meta'), 'darwin', true],
    ['CmdOrCtrl+Q', press('q', 'ctrl', 'shift'), 'linux', false],
    ['CmdOrCtrl+Shift+P', press('P', 'ctrl', 'shift'), 'linux', true],
    ['CmdOrCtrl+Plus', press('+', 'ctrl', 'shift'), 'linux', true],
    ['F11', press('F11'), 'linux', true],
    ['Alt+F4', press('F4', 'alt'), 'linux', true],
    ['Hyper+Q', press('q'), 'linux', false],
  ])('%s', (accelerator, pressed, platform, expected) => {
    expect(matchesAccelerator(accelerator, pressed, platform)).toBe(expected);
  });
});

it('an event remembers that its default was prevented', () => {
  const event = hostEvent({ url: 'x' });
  expect(event.defaultPrevented).toBe(false);
  event.preventDefault();
  expect(event).toMatchObject({ url: 'x', defaultPrevented: true });
});
