import { describe, expect, it } from 'vitest';
import { readOptions, switchValue } from '../../../../build/chromiumHost/options.ts';
import {
  isInside,
  outsideOrigin,
  toInside,
  toOutside,
} from '../../../../build/chromiumHost/schemes.ts';
import { parseLetter } from '../../../../build/chromiumHost/singleInstance.ts';

describe('app:// and its place inside Chromium', () => {
  it.each([
    ['app://sluice/index.html?a=1#b', 'http://sluice.localhost/index.html?a=1#b'],
    ['app://sluice', 'http://sluice.localhost'],
    ['app://sluice/', 'http://sluice.localhost/'],
  ])('%s and back', (outside, inside) => {
    expect(toInside(outside)).toBe(inside);
    expect(toOutside(inside)).toBe(outside);
    expect(isInside(inside)).toBe(true);
  });

  it.each([
    'http://localhost/',
    'http://sluice.localhost:8080/',
    'https://sluice.localhost/',
    'http://user@sluice.localhost/',
    'http://sluice.localhost.evil.example/',
    'http://evil.example/http://sluice.localhost/',
    'file:///etc/passwd',
  ])('%s is not one of ours', (url) => {
    expect(toOutside(url)).toBe(url);
    expect(isInside(url)).toBe(false);
  });

  it('words origins as Electron does', () => {
    expect(outsideOrigin('http://sluice.localhost/a/b')).toBe('app://sluice');
    expect(outsideOrigin('https://evil.example/a')).toBe('https://evil.example');
  });
});

describe('the command line of the host', () => {
  const read = (...argv: string[]) => readOptions(argv, { DISPLAY: ':1' }, 'linux');

  it('takes switches in both forms, anywhere, and leaves them to the application', () => {
    const spaced = read('--user-data-dir', '/data', '/app/main.js', '--remote-debugging-port', '0');
    expect(spaced).toMatchObject({ entry: '/app/main.js', userDataDir: '/data' });
    expect(spaced.remoteDebuggingPort).toBe(0);
    const joined = read('/app/main.js', '--user-data-dir=/d', '--remote-debugging-port=9222', '-x');
    expect(joined).toMatchObject({ userDataDir: '/d', remoteDebuggingPort: 9222 });
    expect(joined.rest).toEqual(['--user-data-dir=/d', '--remote-debugging-port=9222', '-x']);
  });

  it('refuses a port that is none, and a start without an entry', () => {
    expect(() => read('/app/main.js', '--remote-debugging-port=http')).toThrow('needs a number');
    expect(() => read('--user-data-dir', '/data')).toThrow('needs the path');
  });

  it('is headless without a display, and when told to be', () => {
    expect(read('/a.js').headless).toBe(false);
    expect(readOptions(['/a.js'], {}, 'linux').headless).toBe(true);
    expect(readOptions(['/a.js'], {}, 'darwin').headless).toBe(false);
    expect(readOptions(['/a.js'], { SLUICE_HEADLESS: '1' }, 'darwin').headless).toBe(true);
  });

  it('distinguishes a switch without a value from a missing one', () => {
    expect(switchValue(['--quiet'], 'quiet')).toBe('');
    expect(switchValue(['--quiet'], 'loud')).toBeNull();
  });
});

it('a broken message of a second start is ignored', () => {
  expect(parseLetter('["a",2]')).toEqual(['a', '2']);
  for (const text of ['', '{', 'null', '7']) expect(parseLetter(text)).toBeNull();
});
