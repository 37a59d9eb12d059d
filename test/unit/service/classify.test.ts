import { describe, expect, it, test } from 'vitest';
import type { NetworkFault } from '../../../main/engine/ports.ts';
import {
  classify,
  REQUEST_CLASSES,
  retryAfterMs,
  type Heard,
  type RequestClass,
} from '../../../main/engine/service/classify.ts';
import { wordsOf } from '../../../main/engine/service/readJson.ts';
import type { ErrorCode, NextStep } from '../../../preload/errorCodes.ts';

/** Codes in the order of REQUEST_CLASSES; a single one stands for all. */
type Row = readonly [status: number, sent: string, unsent: string];

const read = 'read upload signedUpload register startJob create change download';
const lost = (other: string): string =>
  `${other} service.noAnswer service.noAnswer ${other} service.noAnswer service.noAnswer ${other} ${other}`;
const same = (status: number, code: string): Row => [status, code, code];

const ROWS: readonly Row[] = [
  ...[200, 201, 202, 204, 206].map((status) => same(status, 'success')),
  ...[300, 301, 302, 303, 304, 307, 308].map((status) => same(status, 'service.unexpectedAnswer')),
  ...[100, 199, 600, 999].map((status) => same(status, 'service.unexpectedAnswer')),
  ...[400, 405, 406, 411, 413, 415, 418, 422, 423, 451].map((status) =>
    same(status, 'service.refused'),
  ),
  same(401, signed('auth.rejected')),
  same(402, 'service.quota'),
  same(403, signed('service.forbidden')),
  same(404, 'service.notFound'),
  same(
    409,
    'service.refused service.refused service.refused service.refused job.conflict service.refused service.refused service.refused',
  ),
  same(410, signed('service.refused')),
  same(
    412,
    'service.refused service.refused success service.refused service.refused service.refused service.refused service.refused',
  ),
  same(
    416,
    'service.refused service.refused service.refused service.refused service.refused service.refused service.refused success',
  ),
  ...[429, 503].map((status) => same(status, 'service.busy')),
  ...[501, 505].map((status) => same(status, 'service.refused')),
  ...[408, 502, 504].map((status): Row => [status, lost('service.busy'), 'service.busy']),
  ...[500, 507, 520, 524, 599].map((status): Row => [
    status,
    lost('service.failed'),
    'service.failed',
  ]),
];

function signed(other: string): string {
  return `${other} ${other} upload.urlExpired ${other} ${other} ${other} ${other} upload.urlExpired`;
}

function answer(status: number, said: string | null = null): Heard {
  return { kind: 'answer', status, said, retryAfterMs: null };
}

function column(codes: string, requestClass: RequestClass): string {
  const all = codes.split(' ');
  return all.length === 1 ? codes : (all[REQUEST_CLASSES.indexOf(requestClass)] ?? 'missing');
}

describe('answers: every status, request class and whether the last byte may have left', () => {
  it('has its columns in the right order', () => {
    expect(REQUEST_CLASSES.join(' ')).toBe(read);
  });
  const cases = ROWS.flatMap(([status, sent, unsent]) =>
    REQUEST_CLASSES.flatMap((requestClass) => [
      [status, requestClass, true, column(sent, requestClass)] as const,
      [status, requestClass, false, column(unsent, requestClass)] as const,
    ]),
  );
  test.each(cases)('%i %s, sent %s: %s', (status, requestClass, maybeSent, expected) => {
    expect(classify(answer(status), requestClass, maybeSent)?.code ?? 'success').toBe(expected);
  });
});

describe('network faults', () => {
  const codes: Readonly<Record<NetworkFault, ErrorCode>> = {
    refused: 'network.lost',
    unresolved: 'network.lost',
    offline: 'net.offline',
    tls: 'network.tls',
    lost: 'network.lost',
    timeout: 'network.timeout',
    aborted: 'network.lost',
  };
  const asksFirst = new Set<RequestClass>(['upload', 'signedUpload', 'startJob', 'create']);
  const cases = Object.entries(codes).flatMap(([fault, code]) =>
    REQUEST_CLASSES.flatMap((requestClass) =>
      [true, false].map((sent) => {
        const unknown = sent && asksFirst.has(requestClass);
        return [fault, requestClass, sent, unknown ? 'service.noAnswer' : code] as const;
      }),
    ),
  );
  test.each(cases)('%s %s, sent %s: %s', (fault, requestClass, sent, expected) => {
    const known = Object.keys(codes).find((name): name is NetworkFault => name === fault);
    const heard = { kind: 'failure', fault: known ?? 'lost', detail: 'why' } as const;
    const error = classify(heard, requestClass, sent);
    expect(error).toMatchObject({ code: expected, context: { fault, detail: 'why' } });
  });
});

test('the next step after each kind of trouble', () => {
  const next = (status: number, requestClass: RequestClass): NextStep | undefined =>
    classify(answer(status), requestClass, true)?.next;
  expect(next(503, 'upload')).toBe('retry');
  expect(next(500, 'register')).toBe('retry');
  expect(next(500, 'upload')).toBe('unknown');
  expect(next(401, 'read')).toBe('wait');
  expect(next(413, 'upload')).toBe('park');
  expect(next(403, 'signedUpload')).toBe('retry');
});

test("a storage's own word for a signature that has run out", () => {
  expect(classify(answer(400, 'ExpiredToken'), 'signedUpload', true)?.code).toBe(
    'upload.urlExpired',
  );
  expect(classify(answer(400, 'ExpiredToken'), 'upload', true)?.code).toBe('service.refused');
});

test('status, words and the asked pause are handed on, without secrets', () => {
  const heard = { ...answer(429, 'slow down ?api_key=SECRET'), retryAfterMs: 7000 };
  const error = classify(heard, 'read', true);
  expect(error?.retryAfterMs).toBe(7000);
  expect(error?.context).toEqual({ status: 429, said: 'slow down ?api_key=[hidden]' });
  expect(classify(answer(500), 'read', true)).not.toHaveProperty('retryAfterMs');
});

test.each([
  ['5', 5000],
  ['1.5', 1500],
  ['0', 0],
  ['-3', null],
  ['999999999', 3_600_000],
  ['Thu, 01 Jan 1970 00:01:40 GMT', 90_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['Fri, 31 Dec 2100 00:00:00 GMT', 3_600_000],
  ['soon', null],
  ['', null],
  [undefined, null],
])('Retry-After %s', (header, expected) => {
  expect(retryAfterMs(header, 10_000)).toBe(expected);
});

test.each([
  ['{"error":"no such batch"}', 'no such batch'],
  ['{"error":{"message":"Job not found"}}', 'Job not found'],
  ['{"message":"too many"}', 'too many'],
  ['plain words', 'plain words'],
  ['two\r\nlines\u001b[31m', 'two lines [31m'],
  ['{"error":"see https://h.example/?sig=SECRET"}', 'see https://h.example/?sig=[hidden]'],
  ['<?xml version="1.0"?><Error><Code>ExpiredToken</Code></Error>', 'ExpiredToken'],
  ['<html><body>502 Bad Gateway</body></html>', null],
  ['oops <b>bold</b>', null],
  ['{"error":"<html>"}', null],
  ['{"error":42}', null],
  ['{"error":null}', null],
  ['[]', null],
  ['{broken', null],
  ['null', null],
  ['', null],
  ['x'.repeat(5000), 'x'.repeat(200)],
])('the words of %j', (text, expected) => {
  expect(wordsOf(text)).toBe(expected);
});
