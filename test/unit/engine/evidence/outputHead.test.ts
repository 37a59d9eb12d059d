/** What the first bytes of a download tell of it. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';
import { describe, expect, it } from 'vitest';
import {
  HEAD_BYTES,
  isArchiveHead,
  isArchiveName,
  isNeverEmpty,
  isPageHead,
  isUnexpectedJson,
  isUnexpectedPage,
} from '../../../../main/engine/evidence/outputHead.ts';

async function tarOf(...names: readonly string[]): Promise<Buffer> {
  const pack = tar.pack();
  const whole = buffer(pack);
  for (const name of names) pack.entry({ name }, 'x');
  pack.finalize();
  return whole;
}

describe('the first bytes', () => {
  it.each([
    ['<!doctype html>', true],
    ['\ufeff \n<html>', true],
    ['<?xml version="1.0"?>', true],
    ['', false],
    ['{"error":"<"}', false],
    ['PK\x03\x04', false],
  ])('of a page are known: %j', (text, isPage) => {
    expect(isPageHead(Buffer.from(text))).toBe(isPage);
  });
  it('of archives are known', async () => {
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), deflateRawSync('x')]);
    expect(isArchiveHead(zip)).toBe(true);
    expect(isArchiveHead(Buffer.from('PK\x05\x06'.padEnd(22, '\0')))).toBe(true);
    expect(isArchiveHead(gzipSync('x'))).toBe(true);
    expect(isArchiveHead((await tarOf('a.json')).subarray(0, HEAD_BYTES))).toBe(true);
    const long = 'ä'.repeat(120);
    expect(isArchiveHead((await tarOf(long)).subarray(0, HEAD_BYTES))).toBe(true);
    expect(isArchiveHead((await tarOf()).subarray(0, HEAD_BYTES))).toBe(true);
  });

  it('of a tar of the seventies are known by their checksum', () => {
    const head = Buffer.alloc(HEAD_BYTES);
    head.write('a.txt', 0);
    head.write('0000644\0', 100);
    head.write('        ', 148);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    expect(isArchiveHead(head)).toBe(true);
    head.write('b', 0);
    expect(isArchiveHead(head)).toBe(false);
  });

  it.each(['', '<', '<html>', '<!doctype html>'.padEnd(HEAD_BYTES), '{"error":"x"}', 'PK'])(
    'of something else are not: %j',
    (text) => expect(isArchiveHead(Buffer.from(text))).toBe(false),
  );
});

it.each([
  ['a.csv', 'text/html', true],
  ['a.csv', 'Text/HTML; charset=utf-8', true],
  ['a.html', 'text/html', false],
  ['a.HTM', 'text/html', false],
  ['a.csv', 'text/csv', false],
  ['a.csv', undefined, false],
  ['html', 'text/html', true],
] as const)('%s as %s is an unexpected page: %s', (name, type, expected) => {
  expect(isUnexpectedPage(name, type)).toBe(expected);
});

it.each([
  ['a.tar', true],
  ['a.TAR.GZ', true],
  ['a.tgz', true],
  ['a.csv.gz', true],
  ['a.zip', true],
  ['zip', false],
  ['a.zipped', false],
] as const)('%s has the name of an archive: %s', (name, expected) => {
  expect(isArchiveName(name)).toBe(expected);
});

it.each([
  ['summary.csv', 'application/json', '{"error":"quota"}', true],
  ['picture.jpg', 'application/problem+json; charset=utf-8', ' {"title":"gone"}', true],
  ['rows.jsonl', 'application/json', '{"a":1}', false],
  ['report', 'application/json', '{"a":1}', false],
  ['summary.csv', 'application/json', 'name,state', false],
  ['summary.csv', 'text/csv', '{"name"},state', false],
])('%s as %s that begins with %s: is an error as JSON: %s', (name, type, head, expected) => {
  expect(isUnexpectedJson(name, type, Buffer.from(head))).toBe(expected);
});

it.each([
  ['picture.jpg', true],
  ['film.mkv', true],
  ['all.zip', true],
  ['summary.csv', false],
  ['notes', false],
])('%s always has some bytes: %s', (name, expected) => {
  expect(isNeverEmpty(name)).toBe(expected);
});
