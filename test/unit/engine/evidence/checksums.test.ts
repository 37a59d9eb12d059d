/** Stated checksums: what storages put into their headers, and what that proves. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compareChecksums, statedChecksums } from '../../../../main/engine/evidence/checksums.ts';
import { createDigest } from '../../../../main/engine/core/digest.ts';

const BYTES = Buffer.from('123456789');
const MD5 = createHash('md5').update(BYTES).digest();
const SHA256 = createHash('sha256').update(BYTES).digest();
const CRC32C = 'e3069283';
const CRC32C_BASE64 = Buffer.from(CRC32C, 'hex').toString('base64');
const COMPUTED = {
  crc32c: CRC32C,
  md5: MD5.toString('hex'),
  sha256: SHA256.toString('hex'),
  lengthBytes: 9,
};
const NOTHING = { crc32c: null, md5: null, sha256: null, etagMd5: null, lengthBytes: null };

describe('what headers state', () => {
  it.each([
    ['one header', `crc32c=${CRC32C_BASE64},md5=${MD5.toString('base64')}`],
    ['two headers', `md5=${MD5.toString('base64')}, crc32c=${CRC32C_BASE64}`],
  ])('is read from x-goog-hash as %s', (_, value) => {
    const headers = { 'x-goog-hash': value, 'x-goog-stored-content-length': '9' };
    const expected = { ...NOTHING, crc32c: CRC32C, md5: COMPUTED.md5, lengthBytes: 9 };
    expect(statedChecksums(headers)).toEqual(expected);
  });

  it('is read from Content-MD5, ETag and the headers of Amazon', () => {
    const headers = {
      'content-md5': MD5.toString('base64'),
      etag: `"${COMPUTED.md5.toUpperCase()}"`,
      'x-amz-checksum-crc32c': CRC32C_BASE64,
      'x-amz-checksum-sha256': SHA256.toString('base64'),
    };
    const { crc32c, md5, sha256 } = COMPUTED;
    const expected = { crc32c, md5, sha256, etagMd5: md5, lengthBytes: null };
    expect(statedChecksums(headers)).toEqual(expected);
  });

  it.each([
    ['a weak ETag', { etag: `W/"${COMPUTED.md5}"` }],
    ['an ETag of several parts', { etag: `"${COMPUTED.md5}-3"` }],
    ['a checksum of several parts', { 'x-amz-checksum-crc32c': `${CRC32C_BASE64}-3` }],
    ['a value of another length', { 'content-md5': CRC32C_BASE64 }],
    ['no base64', { 'x-goog-hash': 'crc32c=????????' }],
    ['the length of the answer itself', { 'content-length': '0' }],
    [
      'the checksum of a part of the object',
      {
        'content-range': 'bytes 5-8/9',
        'content-md5': MD5.toString('base64'),
        'x-amz-checksum-sha256': SHA256.toString('base64'),
      },
    ],
    [
      'the checksum of an object that the storage unpacked for us',
      {
        'x-goog-hash': `crc32c=${CRC32C_BASE64}`,
        'x-goog-stored-content-encoding': 'gzip',
        'x-goog-stored-content-length': '7',
      },
    ],
    ['nothing', {}],
  ] as const)('is nothing for %s', (_, headers) => {
    expect(statedChecksums({ ...headers })).toEqual(NOTHING);
  });

  it('holds for the whole object in a partial answer of Google', () => {
    const headers = { 'x-goog-hash': `crc32c=${CRC32C_BASE64}`, 'content-range': 'bytes 5-8/9' };
    expect(statedChecksums(headers).crc32c).toBe(CRC32C);
  });

  it('holds for an object that is sent as packed as it is stored', () => {
    const headers = {
      'x-goog-hash': `crc32c=${CRC32C_BASE64}`,
      'x-goog-stored-content-encoding': 'gzip',
      'content-encoding': 'gzip',
    };
    expect(statedChecksums(headers).crc32c).toBe(CRC32C);
  });
});

describe('a comparison', () => {
  const other = '0'.repeat(8);
  it.each([
    ['nothing', NOTHING, 'nothing stated'],
    ['an equal checksum', { ...NOTHING, crc32c: CRC32C }, 'equal'],
    ['another checksum', { ...NOTHING, crc32c: other }, 'different'],
    ['one equal and one other', { ...NOTHING, crc32c: other, md5: COMPUTED.md5 }, 'different'],
    ['another length', { ...NOTHING, crc32c: CRC32C, lengthBytes: 8 }, 'different'],
    ['an equal length alone', { ...NOTHING, lengthBytes: 9 }, 'nothing stated'],
    ['an equal ETag', { ...NOTHING, etagMd5: COMPUTED.md5 }, 'equal'],
    ['another ETag alone', { ...NOTHING, etagMd5: '0'.repeat(32) }, 'doubtful'],
    [
      'another ETag with an equal checksum',
      { ...NOTHING, crc32c: CRC32C, etagMd5: '0'.repeat(32) },
      'equal',
    ],
    [
      'another ETag and another checksum',
      { ...NOTHING, crc32c: other, etagMd5: '0'.repeat(32) },
      'different',
    ],
  ] as const)('with %s', (_, stated, expected) => {
    expect(compareChecksums(stated, COMPUTED)).toBe(expected);
  });

  it('with a checksum that was not computed is none', () => {
    const computed = { ...COMPUTED, crc32c: null, md5: null };
    const stated = { ...NOTHING, crc32c: other, etagMd5: '0'.repeat(32) };
    expect(compareChecksums(stated, computed)).toBe('nothing stated');
  });
});

describe('a digest', () => {
  it('agrees with the checksums of the whole, however the bytes are cut', () => {
    const digest = createDigest({ md5: true });
    for (const cut of [BYTES.subarray(0, 4), BYTES.subarray(4, 4), BYTES.subarray(4)]) {
      digest.update(cut);
    }
    expect(digest.finish()).toEqual(COMPUTED);
  });

  it('leaves MD5 out where it is not needed, and has a form for nothing', () => {
    const empty = createHash('sha256').digest('hex');
    const digest = createDigest({ md5: false });
    const expected = { crc32c: '00000000', md5: null, sha256: empty, lengthBytes: 0 };
    expect(digest.finish()).toEqual(expected);
  });
});
