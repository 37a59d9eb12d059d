import { describe, expect, it, test } from 'vitest';
import type { NetworkFault } from '../../../../main/engine/core/ports.ts';
import {
  type Answered,
  type BodyKind,
  meaningOf,
  meaningOfFailure,
  REQUEST_CLASSES,
  type RequestClass,
  retryAfterMs,
} from '../../../../main/engine/evidence/answers.ts';
import { wordsOf } from '../../../../main/engine/service/schemas/readJson.ts';
import type { ErrorCode, NextStep } from '../../../../preload/contract/errors.ts';
import { explain } from '../../../../preload/contract/messages.ts';

/**
 * What an answer means, by the families of request classes: `plain` (read, register, change), `acting` (upload, startJob,
 * create), `put` and `get` at a signed address. One code stands for all four.
 */
type Row = readonly [statuses: readonly number[], body: BodyKind, codes: string];

const FAMILIES: Readonly<Record<RequestClass, number>> = {
  read: 0,
  register: 0,
  change: 0,
  upload: 1,
  startJob: 1,
  create: 1,
  signedUpload: 2,
  download: 3,
};

const BETWEEN = 'network.intercepted';
const LOST = 'service.noAnswer';

/** After the last byte of the request may have left. */
const ROWS: readonly Row[] = [
  [[200, 201, 202, 204, 206], 'json', 'success'],
  [[200, 204], 'other', 'success'],
  // A page with status 200 is detected when the body is read; a storage does not answer a PUT with a page.
  [[200], 'html', `success success ${BETWEEN} success`],
  [[301, 302, 303, 304, 307, 308, 100, 199, 600, 999], 'other', BETWEEN],
  [[511], 'html', BETWEEN],
  [[407], 'html', 'network.proxyAuth'],
  [[401], 'json', 'auth.rejected auth.rejected upload.urlExpired upload.urlExpired'],
  [[402], 'json', 'service.quota service.quota service.quota service.quota'],
  [[403], 'json', 'service.forbidden service.forbidden upload.urlExpired upload.urlExpired'],
  [[404], 'json', 'service.notFound service.notFound upload.urlExpired service.notFound'],
  [[400, 405, 411], 'json', 'service.refused service.refused upload.urlExpired upload.urlExpired'],
  [[410], 'json', 'service.refused service.refused upload.urlExpired upload.urlExpired'],
  [[406, 413, 415, 418, 422, 423, 451, 501, 505], 'json', 'service.refused'],
  [[412], 'json', 'service.refused service.refused success service.refused'],
  [[416], 'json', 'service.refused service.refused service.refused success'],
  [[425, 429], 'json', 'service.busy'],
  // Nothing was stored.
  [[507], 'json', 'service.busy'],
  [[503], 'json', `service.busy ${LOST} service.busy service.busy`],
  [[408, 502, 504], 'json', `service.busy ${LOST} ${LOST} service.busy`],
  [[500, 520, 524, 530, 599], 'json', `service.failed ${LOST} ${LOST} service.failed`],
  // The service answers errors in JSON: without JSON, something in between answered.
  [[400, 401, 402, 403, 404, 409, 422, 500, 502, 503, 504], 'html', BETWEEN],
  // Load balancers in front of the service ask for patience with a page.
  [[429], 'html', 'service.busy'],
  [[429], 'other', 'service.busy'],
  [[413], 'html', 'service.refused'],
  [[413], 'other', 'service.refused'],
  [[403, 404, 503], 'other', `${BETWEEN} ${BETWEEN} at-storage at-storage`],
];

function answer(status: number, body: BodyKind = 'json', words: string | null = null): Answered {
  return { status, body, words, retryAfterMs: null, acceptsText: false };
}

function expected(codes: string, requestClass: RequestClass): string {
  const all = codes.split(' ');
  return all[all.length === 1 ? 0 : FAMILIES[requestClass]] ?? 'missing';
}

describe('answers: every status and body, by request class', () => {
  const cases = ROWS.flatMap(([statuses, body, codes]) =>
    statuses.flatMap((status) =>
      REQUEST_CLASSES.map((of) => [status, body, of, expected(codes, of)] as const),
    ),
  );
  const known = cases.filter(([, , , code]) => code !== 'at-storage');
  test.each(known)('%i %s to %s: %s', (status, body, requestClass, code) => {
    expect(meaningOf(answer(status, body), requestClass, true)?.code ?? 'success').toBe(code);
  });
  test.each(known)('%i %s to %s: never a park for what is not the service', (status, body, of) => {
    const error = meaningOf(answer(status, body), of, true);
    if (error?.code === BETWEEN) expect(['wait', 'unknown']).toContain(error.next);
  });
});

test.each([
  [403, null, 'it answers 403'],
  [503, null, 'a gateway or proxy answers 503'],
  [507, null, 'a gateway or proxy answers 507'],
  [503, 'maintenance', 'maintenance'],
  [200, null, undefined],
])('an answer from something in between, %i with %j, shows %j', (status, words, said) => {
  const error = meaningOf(answer(status, 'html', words), 'signedUpload', true);
  expect(error).toMatchObject({ code: BETWEEN });
  expect(error?.context['said']).toBe(said);
});

test.each([
  [502, 'html', null, 'The service is busy (a gateway or proxy answers 502).'],
  [503, 'other', 'no healthy upstream', 'The service is busy (no healthy upstream).'],
  [500, 'other', 'Internal Server Error', 'The service had an internal error (Internal Server Er'],
  [511, 'html', null, 'A proxy or sign-in page is answering instead of the service (a gateway'],
  [
    403,
    'html',
    null,
    'A proxy or sign-in page is answering instead of the service (it answers 403',
  ],
  [404, 'other', 'no such path', 'Sluice does not understand the service’s answer (no such path).'],
] as const)('%i as %s with %j is said as what it is', (status, body, words, said) => {
  const error = meaningOf(answer(status, body, words), 'read', true);
  expect(error).toMatchObject({ code: BETWEEN, next: 'wait' });
  expect(error === null ? '' : explain(error).message).toContain(said);
});

test.each([
  [null, 'The service is busy (its storage is full).'],
  ['no space', 'The service is busy (its storage is full: no space).'],
])('a full storage, which says %j, is said, and nothing was stored', (words, said) => {
  const error = meaningOf(answer(507, 'json', words), 'upload', true);
  expect(error).toMatchObject({ code: 'service.busy', next: 'retry' });
  expect(error === null ? '' : explain(error).message).toBe(said);
});

test.each([
  ['The batch is closed.', true],
  ['Batch b1 is being processed', true],
  ['batch_state: processing; this batch no longer accepts files', true],
  ['The batch no longer exists.', true],
  ['batch b1 does not exist', true],
  ['The batch holds an image of this name already.', false],
  ['the batch is gone from the cache; the image exists', false],
  ['duplicate image in a processed batch', false],
  ['an image named closed.jpg exists in the batch', false],
  ['Conflict', false],
  [null, false],
])('a 409 that says %j is about the whole batch: %s', (words, expected) => {
  const error = meaningOf(answer(409, 'json', words), 'upload', true);
  expect(error?.code).toBe('service.refused');
  expect(error?.context['ofBatch'] === true).toBe(expected);
});

describe('a request that may have acted', () => {
  it.each(['upload', 'signedUpload', 'startJob', 'create'] as const)('%s asks first', (of) => {
    expect(meaningOf(answer(502, 'html'), of, true)?.next).toBe('unknown');
    expect(meaningOf(answer(502, 'html'), of, false)?.next).toBe('wait');
    expect(meaningOf(answer(500), of, true)?.next).toBe('unknown');
    expect(meaningOf({ ...answer(503), retryAfterMs: 1_000 }, of, true)?.next).toBe('retry');
  });
  it.each(['read', 'register', 'change'] as const)('%s is repeated', (of) => {
    expect(meaningOf(answer(502, 'html'), of, true)?.next).toBe('wait');
    expect(meaningOf(answer(500), of, true)?.next).toBe('retry');
  });
});

describe('too many requests, whatever the body is', () => {
  const bodies = ['json', 'html', 'other'] as const;
  const cases = REQUEST_CLASSES.flatMap((of) => bodies.map((body) => [of, body] as const));
  test.each(cases)('%s %s: nothing was done, and the pause is kept', (of, body) => {
    const refused = { ...answer(429, body), retryAfterMs: 7_000 };
    const busy = { code: 'service.busy', next: 'retry', retryAfterMs: 7_000 };
    expect(meaningOf(refused, of, true)).toMatchObject(busy);
  });
  test.each(REQUEST_CLASSES)('%s: other statuses as a page are not the service', (of) => {
    for (const status of [302, 403, 500, 502, 503, 504]) {
      const page = { ...answer(status, 'html'), retryAfterMs: 7_000 };
      expect(meaningOf(page, of, true)?.code).toBe(BETWEEN);
    }
  });
});

describe('network faults', () => {
  const codes: Readonly<Record<NetworkFault, ErrorCode>> = {
    refused: 'network.lost',
    unresolved: 'network.unresolved',
    offline: 'net.offline',
    tls: 'network.tls',
    lost: 'network.lost',
    timeout: 'network.timeout',
    aborted: 'network.lost',
    proxyAuth: 'network.proxyAuth',
    proxy: 'network.proxy',
    openFiles: 'system.openFiles',
    replaced: 'system.replaced',
    held: 'network.lost',
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
  test.each(cases)('%s %s, sent %s: %s', (fault, requestClass, sent, code) => {
    const known = Object.keys(codes).find((name): name is NetworkFault => name === fault);
    const failure = { kind: 'failure', fault: known ?? 'lost', maybeSent: sent } as const;
    const error = meaningOfFailure({ ...failure, detail: 'why' }, requestClass);
    expect(error).toMatchObject({ code, context: { fault, detail: 'why' } });
  });
});

test('the next step after each kind of trouble', () => {
  const next = (status: number, requestClass: RequestClass): NextStep | undefined =>
    meaningOf(answer(status), requestClass, true)?.next;
  expect(next(401, 'read')).toBe('wait');
  expect(next(402, 'upload')).toBe('wait');
  expect(next(403, 'register')).toBe('wait');
  expect(next(413, 'upload')).toBe('park');
  expect(next(403, 'signedUpload')).toBe('retry');
});

test('an id that is taken by another job is a conflict', () => {
  expect(meaningOf(answer(409), 'startJob', true)?.code).toBe('job.conflict');
  expect(meaningOf(answer(409), 'upload', true)?.code).toBe('service.refused');
});

test("a storage's own words: a signature that has run out, and a body that is too large", () => {
  const put = (words: string): string | undefined =>
    meaningOf(answer(400, 'other', words), 'signedUpload', true)?.code;
  expect(put('ExpiredToken')).toBe('upload.urlExpired');
  expect(put('EntityTooLarge')).toBe('service.refused');
});

test('the project operations may answer errors in plain text, never as a page', () => {
  const text = { ...answer(404, 'other', 'Not found'), acceptsText: true };
  expect(meaningOf(text, 'read', true)?.code).toBe('service.notFound');
  expect(meaningOf({ ...text, body: 'html' }, 'read', true)?.code).toBe(BETWEEN);
});

test('status, words and the asked pause are handed on, without secrets', () => {
  const ended = { ...answer(429, 'json', 'slow down ?api_key=SECRET'), retryAfterMs: 7000 };
  const error = meaningOf(ended, 'read', true);
  expect(error?.retryAfterMs).toBe(7000);
  expect(error?.context).toEqual({ status: 429, said: 'slow down ?api_key=[hidden]' });
  expect(meaningOf(answer(500), 'read', true)).not.toHaveProperty('retryAfterMs');
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
  ['{"title":"Forbidden","detail":"the plan ended"}', 'the plan ended'],
  ['{"statusCode":400,"error":"Bad Request","message":"too many"}', 'too many'],
  ['{"statusCode":400,"error":"Bad Request","message":["a is missing","b"]}', 'a is missing; b'],
  [
    '{"detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":null}]}',
    'name: Field required',
  ],
  ['{"detail":[{"loc":["body",0],"msg":"no image"}]}', 'no image'],
  ['{"error":"invalid_token","error_description":"it has expired"}', 'it has expired'],
  ['{"errors":["a","b","c","d"]}', 'a; b; c'],
  [
    '{"errors":{"name":["is missing"],"images":["too many","odd"]}}',
    'name: is missing; images: too many; odd',
  ],
  ['{"labelerEmail":["no such labeler"]}', 'labelerEmail: no such labeler'],
  ['{"items":[1,[2]],"other":{}}', null],
  ['{"errors":[{"title":"Invalid","detail":"no such labeler"}]}', 'no such labeler'],
  ['{"type":"about:blank","title":"Forbidden","status":403}', 'Forbidden'],
  ['{"message":"","error":"no such batch"}', 'no such batch'],
  ['"no such batch"', 'no such batch'],
  ['{"error":{"error":{"error":{"error":{"error":"deep"}}}}}', null],
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

test('a 404 at a place that is always there is about nothing in the request: it is tried again', () => {
  const next = (requestClass: RequestClass) => meaningOf(answer(404), requestClass, true)?.next;
  expect((['register', 'upload', 'startJob'] as const).map(next)).toEqual(Array(3).fill('retry'));
  expect((['read', 'create', 'change'] as const).map(next)).toEqual(Array(3).fill('park'));
});
