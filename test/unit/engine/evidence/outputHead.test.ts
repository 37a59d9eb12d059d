/** What the first bytes of a download reveal about it. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  HEAD_BYTES,
  isUnexpectedPage,
  type Mistaken,
  mistakenFor,
} from '../../../../main/engine/evidence/outputHead.ts';
import { tarOf } from '../../../helpers/tar.ts';

/** What a complete file with these bytes is taken for. */
function ofBytes(fileName: string, bytes: Uint8Array): Mistaken | null {
  const head = bytes.subarray(0, HEAD_BYTES);
  return mistakenFor({ fileName, contentType: undefined, head, isComplete: true });
}

describe('under the name of an archive', () => {
  it.each([
    ['<!doctype html>', 'page'],
    ['\ufeff \n<html>', 'page'],
    ['<?xml version="1.0"?>', 'page'],
    ['<!doctype html>'.padEnd(HEAD_BYTES), 'page'],
    ['', 'empty'],
    ['{"error":"<"}', 'json'],
    ['{"rows":1}', 'noArchive'],
    ['PK', 'noArchive'],
    ['PK\x03\x04', null],
  ])('%j is no archive: %s', (text, expected) => {
    expect(ofBytes('all.zip', Buffer.from(text))).toBe(expected);
  });

  it('archives of every kind are taken', async () => {
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), deflateRawSync('x')]);
    const emptyZip = Buffer.from('PK\x05\x06'.padEnd(22, '\0'));
    const tars = await Promise.all([
      tarOf([{ name: 'a.json', content: 'x' }]),
      tarOf([{ name: 'ä'.repeat(120), content: 'x' }]),
      tarOf([]),
    ]);
    for (const bytes of [zip, emptyZip, gzipSync('x'), ...tars])
      expect(ofBytes('all.tar', bytes)).toBe(null);
  });

  it('a tar without a magic number is recognised by its checksum', () => {
    const head = Buffer.alloc(HEAD_BYTES);
    head.write('a.txt', 0);
    head.write('0000644\0', 100);
    head.write('        ', 148);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    expect(ofBytes('all.tar', head)).toBe(null);
    head.write('b', 0);
    expect(ofBytes('all.tar', head)).toBe('noArchive');
  });

  it('an incomplete download may still become an archive', () => {
    const start = { fileName: 'all.zip', contentType: undefined, head: Buffer.from('<') };
    expect(mistakenFor({ ...start, isComplete: false })).toBe(null);
    expect(mistakenFor({ ...start, isComplete: true })).toBe('page');
  });
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
] as const)('%s has the name of an archive: %s', (name, isArchive) => {
  expect(ofBytes(name, Buffer.from('x'))).toBe(isArchive ? 'noArchive' : null);
});

it.each([
  ['summary.csv', 'application/json', '{"error":"quota"}', true],
  ['picture.jpg', 'application/problem+json; charset=utf-8', ' {"title":"gone"}', true],
  ['rows.jsonl', 'application/json', '{"a":1}', false],
  ['report', 'application/json', '{"a":1}', false],
  ['summary.csv', 'application/json', 'name,state', false],
  ['summary.csv', 'text/csv', '{"name"},state', false],
])('%s as %s that begins with %s: is an error as JSON: %s', (name, type, head, expected) => {
  const start = { fileName: name, contentType: type, head: Buffer.from(head) };
  expect(mistakenFor({ ...start, isComplete: false })).toBe(expected ? 'json' : null);
});

it.each([
  ['picture.jpg', true],
  ['film.mkv', true],
  ['all.zip', true],
  ['summary.csv', false],
  ['notes', false],
])('%s always has some bytes: %s', (name, expected) => {
  expect(ofBytes(name, Buffer.of())).toBe(expected ? 'empty' : null);
});
