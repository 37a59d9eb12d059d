import { describe, expect, test } from 'vitest';
import { multipartFrame } from '../../../../../main/engine/files/archive/multipartFrame.ts';

const BOUNDARY = 'a1b2c3d4e5f6a7b8c9d0e1f2';

async function parsed(
  fileName: string,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const frame = multipartFrame(fileName, BOUNDARY);
  const body = Buffer.concat([frame.prefix, Buffer.from('\r\n--image--\r\n'), frame.suffix]);
  const response = new Response(body, { headers: { 'content-type': frame.contentType } });
  const file = (await response.formData()).get('file');
  if (!(file instanceof File)) throw new Error('no file in the form');
  return { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) };
}

describe('the frame of one image', () => {
  test.each(['a.jpg', 'früh 日本.jpg', 'semi;colon=x.jpg', "it's.jpg", '100%.jpg'])(
    'an independent parser finds %s and its bytes',
    async (name) => {
      expect(await parsed(name)).toEqual({ name, bytes: Buffer.from('\r\n--image--\r\n') });
    },
  );
  test('a name cannot break out of its quotes', () => {
    const frame = multipartFrame('a"\r\nX-Evil: 1\r\n\r\n.jpg', BOUNDARY);
    expect(Buffer.from(frame.prefix).toString().split('\r\n')).toEqual([
      `--${BOUNDARY}`,
      'Content-Disposition: form-data; name="file"; filename="a%22%0D%0AX-Evil: 1%0D%0A%0D%0A.jpg"',
      '',
      '',
    ]);
  });
  test('a boundary that needs quoting is a bug', () => {
    expect(() => multipartFrame('a.jpg', 'a b')).toThrow('boundary');
  });
});
