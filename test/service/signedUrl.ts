/** Creates and checks the signed addresses of the storage. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Signer {
  /** An absolute address that allows this method on this path until it expires, when sent with these headers. */
  sign(request: {
    readonly method: 'GET' | 'PUT';
    readonly path: string;
    readonly at: number;
    readonly lifeMs: number;
    readonly headers: Readonly<Record<string, string>>;
  }): string;
  /** What is wrong with a request to the storage; null when it is valid. The method is the signed one. */
  check(request: {
    readonly method: string;
    readonly path: string;
    readonly query: URLSearchParams;
    readonly header: (name: string) => string | undefined;
    readonly at: number;
  }): 'expired' | 'signature' | null;
}

const SIGNED = [
  'X-Goog-Algorithm',
  'X-Goog-Date',
  'X-Goog-Expires',
  'X-Goog-SignedHeaders',
] as const;

/** Creates a signer with its own secret; `origin` is read when an address is signed. */
export function createSigner(origin: () => string): Signer {
  const secret = randomBytes(32);
  const signature = (method: string, path: string, stated: string, headers: string): string =>
    createHmac('sha256', secret).update(`${method}\n${path}\n${stated}\n${headers}`).digest('hex');

  return {
    sign: ({ method, path, at, lifeMs, headers }) => {
      const names = Object.keys(headers).map((name) => name.toLowerCase());
      const query = new URLSearchParams({
        'X-Goog-Algorithm': 'GOOG4-HMAC-SHA256',
        'X-Goog-Date': googleDate(at),
        'X-Goog-Expires': `${Math.floor(lifeMs / 1000)}`,
        'X-Goog-SignedHeaders': names.join(';'),
      });
      const values = Object.values(headers).join('\n');
      query.set('X-Goog-Signature', signature(method, path, query.toString(), values));
      return `${origin()}${path}?${query.toString()}`;
    },
    check: ({ method, path, query, header, at }) => {
      const stated = new URLSearchParams();
      for (const name of SIGNED) stated.set(name, query.get(name) ?? '');
      const names = (query.get('X-Goog-SignedHeaders') ?? '').split(';').filter(Boolean);
      const values = names.map((name) => header(name) ?? '').join('\n');
      const expected = Buffer.from(signature(method, path, stated.toString(), values));
      const given = Buffer.from(query.get('X-Goog-Signature') ?? '');
      if (expected.length !== given.length || !timingSafeEqual(expected, given)) return 'signature';
      const from = dateOf(query.get('X-Goog-Date') ?? '');
      const lifeMs = Number(query.get('X-Goog-Expires')) * 1000;
      return at >= from + lifeMs ? 'expired' : null;
    },
  };
}

/** `20260920T100000Z`. */
function googleDate(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
}

function dateOf(text: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (parts === null) return 0;
  const [, year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
