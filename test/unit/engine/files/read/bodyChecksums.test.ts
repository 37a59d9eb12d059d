/** Of a form, the storage keeps only the file: its checksums must not depend on how the body is split into chunks. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { crc32c } from '../../../../../main/engine/core/crc32c.ts';
import { createBodyChecksums } from '../../../../../main/engine/files/read/bodyChecksums.ts';
import type { SourceMember, SourcePlan } from '../../../../../main/engine/core/model.ts';
import { contentHash } from '../../../../../main/engine/files/contentHash.ts';
import { smallFingerprint } from '../../../../../main/engine/files/fingerprint.ts';

const FILE = Buffer.from('the bytes of a file');
const PREFIX = Buffer.from('--x\r\n\r\n');
const SUFFIX = Buffer.from('\r\n--x--');

function memberOf(content: Buffer): SourceMember {
  const fingerprint = smallFingerprint(content.length, contentHash(content, 'b3'));
  return { path: '/a.jpg', sizeBytes: content.length, fingerprint, name: 'a.jpg', mtimeMs: 0 };
}

const FORM: SourcePlan = {
  members: [memberOf(FILE)],
  frame: { kind: 'form', prefix: PREFIX, suffix: SUFFIX },
};
const BODY = Buffer.concat([PREFIX, FILE, SUFFIX]);

test.each(Array.from({ length: BODY.length }, (_, index) => index + 1))(
  'of a form in pieces of %i bytes',
  (pieceBytes) => {
    const checksums = createBodyChecksums(FORM, { md5: true });
    for (let at = 0; at < BODY.length; at += pieceBytes) {
      checksums.update(BODY.subarray(at, at + pieceBytes));
    }
    expect(checksums.finish()).toMatchObject({
      md5: createHash('md5').update(FILE).digest('hex'),
      lengthBytes: FILE.length,
    });
  },
);

test('of a bare file they are those of everything', () => {
  const plan: SourcePlan = { members: [memberOf(BODY)], frame: { kind: 'bare' } };
  const checksums = createBodyChecksums(plan, { md5: false });
  checksums.update(BODY);
  expect(checksums.finish()).toMatchObject({
    crc32c: crc32c(BODY, 0).toString(16).padStart(8, '0'),
    md5: null,
    lengthBytes: BODY.length,
  });
});
