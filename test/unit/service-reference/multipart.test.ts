import { describe, expect, test } from 'vitest';
import { boundaryOf, firstFilePart } from '../../service/multipart.ts';
import { Refusal } from '../../service/refusal.ts';

const lines = (...parts: readonly string[]): Buffer => Buffer.from(parts.join('\r\n'));
const HEAD = 'Content-Disposition: form-data; name="file"; filename="a.png"';

describe('takes', () => {
  test.each([
    'multipart/form-data; boundary=xyz',
    'multipart/form-data;boundary="xyz"',
    'Multipart/Form-Data; charset=utf-8; Boundary=xyz',
  ])('the boundary of %s', (header) => {
    expect(boundaryOf(header)).toBe('xyz');
  });

  test('the first file, whatever its field is called, also behind plain fields', () => {
    const body = lines(
      '--b',
      'Content-Disposition: form-data; name="note"',
      '',
      'hello',
      '--b',
      'Content-Disposition: form-data; name="i1.jpg"; filename="i1.jpg"',
      'Content-Type: image/jpeg',
      '',
      'one\r\n--bytes',
      '--b--',
      '',
    );
    expect(() => firstFilePart(body, 'b')).toThrow(Refusal);
    const good = Buffer.from(body.toString().replace('\r\n--bytes', ' bytes'));
    expect(firstFilePart(good, 'b')).toMatchObject({
      fieldName: 'i1.jpg',
      fileName: 'i1.jpg',
      contentType: 'image/jpeg',
      bytes: Buffer.from('one bytes'),
    });
  });

  test('an extended file name', () => {
    const head = 'Content-Disposition: form-data; name="f"; filename*=utf-8\'\'%C3%A4.png';
    expect(firstFilePart(lines('--b', head, '', 'x', '--b--', ''), 'b').fileName).toBe('ä.png');
  });
});

describe('refuses', () => {
  test.each(['', 'image/png', 'multipart/form-data', 'multipart/mixed; boundary=x'])(
    'the type "%s"',
    (header) => {
      expect(() => boundaryOf(header)).toThrow(Refusal);
    },
  );

  test.each([
    ['no body', lines('')],
    ['another boundary', lines('--c', HEAD, '', 'x', '--c--', '')],
    ['no end', lines('--b', HEAD, '', 'x')],
    ['a part without a head', lines('--b', 'x', '--b--', '')],
    ['a head without a colon', lines('--b', 'nothing', '', 'x', '--b--', '')],
    [
      'a part that is no form data',
      lines('--b', 'Content-Disposition: inline', '', 'x', '--b--', ''),
    ],
    ['a part without a name', lines('--b', 'Content-Disposition: form-data', '', 'x', '--b--', '')],
    ['no file', lines('--b', 'Content-Disposition: form-data; name="x"', '', 'x', '--b--', '')],
    ['bytes behind the end', lines('--b', HEAD, '', 'x', '--b--', 'more')],
  ] as const)('%s', (_, body) => {
    expect(() => firstFilePart(body, 'b')).toThrow(Refusal);
  });
});
