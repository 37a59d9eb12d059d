import { describe, expect, test } from 'vitest';
import {
  checkCertificates,
  judgeInotify,
  judgeNode,
  judgeProxy,
  judgeSpace,
} from '../../../../main/engine/doctor/checks.ts';
import { networkShare } from '../../../../main/engine/files/networkShare.ts';
import { failed, judgeClock } from '../../../../main/engine/doctor/serviceChecks.ts';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import { dateOf } from '../../../../main/engine/evidence/answers.ts';

test.each([
  [null, 'warn'],
  [0, 'bad'],
  [99_999_999, 'bad'],
  [100_000_000, 'warn'],
  [999_999_999, 'warn'],
  [1_000_000_000, 'ok'],
])('%s free bytes are %s', (bytes, state) => {
  const check = judgeSpace(bytes);
  expect(check.state).toBe(state);
  expect(check.todo === null).toBe(state === 'ok');
});

describe('inotify', () => {
  test('small limits name exactly what to raise', () => {
    expect(judgeInotify(8192, 128).todo).toContain('max_user_watches');
    expect(judgeInotify(8192, 128).todo).not.toContain('max_user_instances');
    expect(judgeInotify(65_536, 64).todo).toContain('max_user_instances');
  });
  test('large limits are fine, unreadable ones are reported', () => {
    expect(judgeInotify(65_536, 128)).toMatchObject({ state: 'ok', todo: null });
    expect(judgeInotify(null, 128).state).toBe('warn');
  });
});

test.each([
  ['linux', '/mnt/nas', 0x6969, 'NFS'],
  ['linux', '/mnt/nas', 0xff534d42, 'CIFS'],
  // Node returns signed numbers on some systems.
  ['linux', '/mnt/nas', 0xff534d42 | 0, 'CIFS'],
  ['linux', '/var', 0xef53, null],
  ['darwin', '/Volumes/x', 0x6969, null],
  ['win32', '\\\\server\\share', 0, 'a Windows share'],
  ['win32', '//server/share', 0, 'a Windows share'],
  ['win32', '\\\\?\\C:\\data', 0, null],
  ['win32', 'C:\\data', 0, null],
])('%s %s of kind %i is %s', (platform, path, type, share) => {
  expect(networkShare(platform, path, type)).toBe(share);
});

test.each([
  ['24.0.0', 'ok'],
  ['25.1.0', 'ok'],
  ['22.9.9', 'bad'],
  ['', 'bad'],
])('Node %j is %s', (version, state) => {
  expect(judgeNode(version).state).toBe(state);
});

describe('proxy', () => {
  test('is named without its password', () => {
    const check = judgeProxy(
      { HTTPS_PROXY: 'http://ann:pa55word@proxy.example:3128' },
      'https://service.example',
    );
    expect(check.said).toContain('proxy.example:3128');
    expect(JSON.stringify(check)).not.toContain('pa55word');
  });
  test('none, or one that makes no sense', () => {
    expect(judgeProxy({}, 'https://service.example').state).toBe('ok');
    const odd = judgeProxy({ HTTPS_PROXY: 'http://[' }, 'https://service.example');
    expect(odd.state).toBe('bad');
  });
});

test('an unreadable file of certificates is reported', async () => {
  expect(await checkCertificates({})).toBeNull();
  const readable = await checkCertificates({ NODE_EXTRA_CA_CERTS: import.meta.filename });
  expect(readable?.state).toBe('ok');
  const given = { SSL_CERT_FILE: '', NODE_EXTRA_CA_CERTS: import.meta.filename };
  expect(await checkCertificates(given)).toEqual(readable);
  const unchecked = await checkCertificates({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
  expect(unchecked).toMatchObject({ state: 'bad', said: expect.stringContaining('the key') });
  const missing = await checkCertificates({ SSL_CERT_FILE: '/nowhere/ca.pem' });
  expect(missing).toMatchObject({ state: 'bad', said: expect.stringContaining('/nowhere/ca.pem') });
});

describe('clock', () => {
  const MINUTE = 60_000;
  test.each([
    [0, 'ok'],
    [119_000, 'ok'],
    [2 * MINUTE, 'warn'],
    [-59 * MINUTE, 'warn'],
    [60 * MINUTE, 'bad'],
    [-90 * MINUTE, 'bad'],
  ])('%i ms apart is %s', (apart, state) => {
    expect(judgeClock(1e12, 1e12 + apart).state).toBe(state);
  });
  test('says which way', () => {
    expect(judgeClock(1e12, 1e12 + 5 * MINUTE).said).toContain('5 min ahead of');
    expect(judgeClock(1e12, 1e12 - 5 * MINUTE).said).toContain('5 min behind');
    expect(judgeClock(1e12, 1e12 + 6000 * MINUTE).said).toContain('4 d 4 h ahead of');
  });
  test('is not judged without a date', () => {
    expect(dateOf({})).toBeNull();
    expect(dateOf({ date: 'yesterday' })).toBeNull();
    expect(dateOf({ date: 'Sat, 21 Nov 2026 01:00:00 GMT' })).toBe(Date.UTC(2026, 10, 21, 1));
    expect(judgeClock(null, 0)).toMatchObject({ state: 'ok' });
  });
});

test.each([
  ['network.intercepted', 502, 'warn'],
  ['network.intercepted', 200, 'bad'],
  ['service.busy', 503, 'warn'],
  ['auth.rejected', 401, 'bad'],
] as const)('%s after an answer with status %i is %s', (code, status, state) => {
  expect(failed('address', sluiceError(code, { status })).state).toBe(state);
});

test('a check does not say that it continues by itself', () => {
  expect(failed('address', sluiceError('network.unresolved')).todo).toBe(
    'Check the address and the network. Try again later.',
  );
});
