import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sluiceError } from '../../../../main/engine/core/errors.ts';
import type * as Redaction from '../../../../main/engine/core/redact.ts';
import { anyText } from '../../../helpers/anyText.ts';

// A copy of its own: files that run in the same process would hide these hundreds of keys, too, and take minutes for it.
const COPY = '../../../../main/engine/core/redact.ts?copy';
const { redact, registerSecret }: typeof Redaction = await import(COPY);

const SECRET = 'S3cr3tValue';

it('never throws and never takes long on hostile text', () => {
  fc.assert(fc.property(anyText(), (text) => typeof redact(text) === 'string'));
  for (const piece of ['?', '&', '%3F', '\\u0026', 'http://', 'api_key="', 'Bearer ', 'a@', '\\']) {
    expect(typeof redact(piece.repeat(50_000))).toBe('string');
  }
});

describe('secrets by their place in a text', () => {
  test.each([
    `https://api.example/x?api_key=${SECRET}`,
    `https://api.example/x?fileName=a.jpg&api_key=${SECRET}&displayName=b`,
    `https://api.example/x?API_KEY=${SECRET}`,
    `https://bucket.example/o?X-Goog-Signature=${SECRET}&X-Goog-Date=1`,
    `{"uploadURL":"https:\\/\\/b.example\\/o?a=1\\u0026sig=${SECRET}"}`,
    `{\\"url\\":\\"https://b.example/o?fileName=a\\\\u0026sig=${SECRET}\\"}`,
    `<a href="https://b.example/o?fileName=a&amp;sig=${SECRET}">`,
    `https://b.example/o?fileName=a%26sig%3D${SECRET}`,
    `redirect=https%3A%2F%2Fb.example%2Fo%3Fsig%3D${SECRET}`,
    `redirect=https%253A%252F%252Fb.example%252Fo%253Fsig%253D${SECRET}`,
    `https://b.example/cb#access_token=${SECRET}`,
    `https://user:${SECRET}@host.example/path`,
    `https://user:with@sign-${SECRET}@host.example/path`,
    `https:\\/\\/user:${SECRET}@host.example`,
    `socks5://user:${SECRET}@proxy.example:1080`,
    `HTTPS://USER:${SECRET}@HOST.EXAMPLE`,
    `Authorization: Bearer ${SECRET}`,
    `authorization: bearer\n  ${SECRET}`,
    `"Authorization":"Basic ${SECRET}"`,
    `{"headers":{"authorization":"${SECRET}"}}`,
    `Proxy-Authorization: Basic ${SECRET}`,
    `Bearer%20${SECRET}`,
    `{"auth":["Bearer ${SECRET}"]}`,
    `{"api_key": "${SECRET}"}`,
    `{"api_key":"with spaces ${SECRET}"}`,
    `{\\"api_key\\":\\"${SECRET}\\"}`,
    `{'apiKey': '${SECRET}'}`,
    `x-api-key: ${SECRET}`,
    `api-key=${SECRET}`,
    `api_key%3D${SECRET}`,
    `line one\napi_key=${SECRET}\nline three`,
    `{"password":"${SECRET}","token":"${SECRET}"}`,
  ])('%s', (text) => {
    expect(redact(text)).not.toContain(SECRET);
    expect(redact(text)).toContain('[hidden]');
    expect(redact(redact(text))).toBe(redact(text));
  });
});

describe('what is no secret', () => {
  test.each([
    'GET /data-staging/v1/external/acme/batches/b1/upload/image?fileName=a%20b.jpg&displayName=My+batch',
    'the page answered 404; nothing was sent',
    'ada@example.com reviews 12 images (3/4)',
    'C:\\Users\\ada\\pictures\\new?',
    'https://api.example/acme/folders',
    'nextPageToken repeated',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

function inHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

test('a key of 2,000 characters is hidden as a whole, however it is written', () => {
  const key = Array.from({ length: 2000 }, (_, at) => String.fromCharCode(33 + ((at * 7) % 94)));
  const text = key.join('');
  registerSecret(text);
  const written = [text, encodeURIComponent(text), Buffer.from(text).toString('base64')];
  for (const one of written) expect(redact(`before ${one} after`)).toBe('before [hidden] after');
  expect(redact(text + '~'.repeat(3_000_000))).toMatch(/^\[hidden\]~/);
});

describe('registered secrets', () => {
  const key = 'kE/y+9 ü"x\\=&';
  registerSecret(key);
  test.each([
    ['plain', key],
    ['as a component', encodeURIComponent(key)],
    ['as a component in lower case', encodeURIComponent(key).toLowerCase()],
    ['encoded twice', encodeURIComponent(encodeURIComponent(key))],
    ['as a form field', new URLSearchParams([['', key]]).toString().slice(1)],
    ['as JSON', JSON.stringify(key).slice(1, -1)],
    ['as JSON in JSON', JSON.stringify(JSON.stringify(key)).slice(3, -3)],
    ['in upper case', key.toUpperCase()],
    [
      'as escapes of JSON',
      [...key].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ],
    ['in HTML', inHtml(key)],
    ['in HTML twice', inHtml(inHtml(key))],
    ['as numbers of HTML', [...key].map((one) => `&#${one.charCodeAt(0)};`).join('')],
    [
      'as hexadecimal numbers of HTML',
      [...key].map((one) => `&#x${one.charCodeAt(0).toString(16)};`).join(''),
    ],
    [
      'as escapes of code',
      [...key].map((one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
    ],
  ])('%s', (_name, written) => {
    expect(redact(`before ${written} after`)).toBe('before [hidden] after');
  });

  const bytes = Buffer.from(key);
  test.each([
    ['base64', bytes.toString('base64')],
    ['base64 without padding', bytes.toString('base64').replace(/=+$/, '')],
    ['base64 as a component', encodeURIComponent(bytes.toString('base64'))],
    ['base64 as JSON of other languages', bytes.toString('base64').replaceAll('/', '\\/')],
    ['base64url', bytes.toString('base64url')],
    ['hex', bytes.toString('hex')],
    ['hex in upper case', bytes.toString('hex').toUpperCase()],
  ])('in %s', (_name, written) => {
    expect(redact(`before ${written} after`)).toBe('before [hidden] after');
  });

  it('are hidden in base64 of any key, also with other text around it', () => {
    const part = fc.string({ maxLength: 5 });
    const keys = fc.stringMatching(/^[A-Za-z0-9_-]{12,40}$/);
    fc.assert(
      fc.property(keys, part, part, (value, before, after) => {
        registerSecret(value);
        const shown = redact(Buffer.from(`${before}${value}${after}`).toString('base64'));
        expect(shown).toContain('[hidden]');
        // At most one digit on each side holds bits of the key.
        const others = Buffer.byteLength(`${before}${after}`);
        expect(shown.length - '[hidden]'.length).toBeLessThanOrEqual((others * 8) / 6 + 4);
      }),
      { numRuns: 50 },
    );
  });

  it('are not looked for in base64 and hex when they are short: those digits may be anything', () => {
    registerSecret('camera');
    expect(redact('63616d657261 Y2FtZXJh')).toBe('63616d657261 Y2FtZXJh');
  });

  it('hides the longer of two that begin alike', () => {
    registerSecret('longKeyOne');
    registerSecret('longKeyOneAndMore');
    expect(redact('a longKeyOneAndMore b longKeyOne c')).toBe('a [hidden] b [hidden] c');
  });

  it('leaves values alone that are too short to be secrets', () => {
    registerSecret('abc');
    expect(redact('abc')).toBe('abc');
  });

  it('hides any key, however it is written and wherever it is', () => {
    const writings = [
      (value: string) => value,
      encodeURIComponent,
      (value: string) => encodeURIComponent(encodeURIComponent(value)),
      (value: string) => JSON.stringify(value),
    ];
    const keys = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' });
    fc.assert(
      fc.property(keys, fc.constantFrom(...writings), fc.string(), (value, write, around) => {
        fc.pre(!/hidden/i.test(value) && value.trim().length >= 8);
        registerSecret(value);
        const shown = redact(`${around} ${write(value)} ${around.length}`);
        expect(shown).not.toContain(value);
        expect(shown).toContain('[hidden]');
      }),
      { numRuns: 100 },
    );
  });
});

it('hides every value of any signed address, inside any text', () => {
  const value = fc.stringMatching(/^[A-Za-z0-9_-]{12,60}$/);
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,20}$/);
  const frame = fc.constantFrom('%s', '"%s"', '<%s>', '(%s)', 'at %s: no', '{"url":"%s"}');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { minLength: 1 }), frame, (pairs, text) => {
      const query = new URLSearchParams(pairs.map(([left, right]) => [`p-${left}`, right]));
      const shown = redact(text.replace('%s', `https://b.example/o?${query.toString()}`));
      for (const [, secret] of pairs) expect(shown).not.toContain(secret);
    }),
  );
});

it('comes before every text of an error', () => {
  const error = sluiceError('service.refused', { said: `no: ?sig=${SECRET}`, status: 400 });
  expect(error.context).toEqual({ said: 'no: ?sig=[hidden]', status: 400 });
});

test('a key of hundreds of characters is hidden in JSON, and nothing next to it', () => {
  const key = Buffer.from([...Array(300).keys()].map((at) => at * 31)).toString('base64url');
  registerSecret(key);
  for (const given of [key, `${key}.`, Buffer.from(key).toString('base64')]) {
    const text = redact(JSON.stringify({ a: given, b: 'after', c: [given, 1] }));
    const [a] = text.split('"a":"')[1]?.split('"') ?? [];
    expect(a).toMatch(/^\[hidden\]\.?$/);
    expect(JSON.parse(text)).toEqual({ a, b: 'after', c: [a, 1] });
  }
});
