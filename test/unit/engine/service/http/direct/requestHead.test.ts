import { describe, expect, it } from 'vitest';
import {
  InvalidRequest,
  requestHead,
} from '../../../../../../main/engine/service/http/direct/requestHead.ts';
import type { TransportRequest } from '../../../../../../main/engine/service/http/transport.ts';

const HOST = 'service.test:8080';

function request(fields: Partial<TransportRequest>): TransportRequest {
  return {
    path: '/a?b=c',
    method: 'GET',
    headers: {},
    body: null,
    ...fields,
  };
}

async function* stream(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('x'));
}

describe('the head of a request', () => {
  it('has the host, the headers as given, and a length where one is expected', () => {
    expect(requestHead(request({ headers: { 'X-In': 'yé' } }), HOST)).toBe(
      'GET /a?b=c HTTP/1.1\r\nhost: service.test:8080\r\nconnection: keep-alive\r\nX-In: yé\r\n\r\n',
    );
    expect(requestHead(request({ method: 'POST' }), HOST)).toContain('\r\ncontent-length: 0\r\n');
    const body = Buffer.from('four');
    expect(requestHead(request({ method: 'PUT', body }), HOST)).toContain(
      '\r\ncontent-length: 4\r\n',
    );
    const headers = { 'content-length': '1' };
    const head = requestHead(request({ method: 'PUT', body: stream(), headers }), HOST);
    expect(head.match(/content-length: 1\r\n/g)).toHaveLength(1);
  });

  it('states the real length, whatever is declared', () => {
    const headers = { 'content-length': '5' };
    for (const [body, length] of [
      [null, '0'],
      [Buffer.from('abc'), '3'],
    ] as const)
      expect(requestHead(request({ method: 'PUT', body, headers }), HOST)).toMatch(
        new RegExp(`\r\ncontent-length: ${length}\r\n\r\n$`),
      );
  });

  it.each<[string, Partial<TransportRequest>]>([
    ['a line end in a value', { headers: { x: 'a\r\ny: b' } }],
    ['a line feed in a value', { headers: { x: 'a\nb' } }],
    ['a letter beyond Latin-1', { headers: { x: '→' } }],
    ['a line end in a name', { headers: { 'x\r\n': 'a' } }],
    ['an empty name', { headers: { '': 'a' } }],
    ['a space in the target', { path: '/a b' }],
    ['a line end in the target', { path: '/a\r\nx: y' }],
    ['an odd method', { method: 'GET /x' }],
    ['its own framing', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['its own connection', { headers: { Connection: 'close' } }],
    ['an upgrade', { headers: { upgrade: 'h2c' } }],
    ['an expectation', { headers: { Expect: '100-continue' } }],
    ['another host', { headers: { Host: 'other.test' } }],
    ['two lengths', { body: stream(), headers: { 'content-length': '5', 'Content-Length': '6' } }],
    ['no length of a stream', { body: stream() }],
    ['a length that is none', { body: stream(), headers: { 'content-length': '-1' } }],
  ])('is refused with %s', (_, fields) => {
    expect(() => requestHead(request({ method: 'PUT', ...fields }), HOST)).toThrow(InvalidRequest);
  });
});
