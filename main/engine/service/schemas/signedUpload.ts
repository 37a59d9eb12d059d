/** The answer that gives a signed address: what may be sent there, with which headers, and until when. */
import { z } from 'zod';
import { once } from '../../core/contract.ts';
import { least } from '../../core/least.ts';
import type { SignedUpload } from '../../core/model.ts';
import { FRAMING_HEADER } from '../http/direct/requestHead.ts';
import { instantOf, perAddress, plainWebAddress } from './parts.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** The bytes allowed in a header's value: no line break, no NUL. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;

const headerValue = once(() => z.union([z.string(), z.number().transform(String)]));
/** Headers that frame a message are left out, whatever an answer says. */
const headers = once(() =>
  z
    .record(z.string().regex(HEADER_NAME), headerValue().pipe(z.string().regex(HEADER_VALUE)))
    .nullish()
    .transform((values) =>
      Object.fromEntries(
        Object.entries(values ?? {}).filter(([name]) => !FRAMING_HEADER.test(name)),
      ),
    ),
);

type Fields = readonly (readonly [string, unknown])[];

function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** The upper end of `x-goog-content-length-range: 0,1073741824`. */
function rangeLimit(values: Readonly<Record<string, string>>): number | null {
  const range = Object.entries(values).find(
    ([name]) => name.toLowerCase() === 'x-goog-content-length-range',
  );
  return wholeNumber(/^\s*\d+\s*,\s*(\d+)\s*$/.exec(range?.[1] ?? '')?.[1]);
}

/** The field names of these limits are not public; only the first letters of one are known (service-api §2.1). */
function limitsIn(fields: Fields): { bytes: number | null; members: number | null } {
  const bytes = fields.filter(([name]) => name.startsWith('maxFileSi'));
  const members = fields.filter(
    ([name]) =>
      /^max/i.test(name) &&
      /file|image|object|member|item|entr/i.test(name) &&
      !/si[sz]|byte|length/i.test(name),
  );
  return {
    bytes: least(bytes.map(([, value]) => wholeNumber(value))),
    members: least(members.map(([, value]) => wholeNumber(value))),
  };
}

/** `20260920T100000Z` as epoch ms. */
function compactDate(text: string | null): number | null {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text ?? '');
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  return instantOf(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** When a signed address stops working, epoch ms (Google V4, Amazon V4, the older `Expires`); null when its query does not say. */
export function expiryOf(address: string): number | null {
  const query = new Map<string, string>();
  for (const [name, value] of new URL(address).searchParams) query.set(name.toLowerCase(), value);
  for (const family of ['x-goog', 'x-amz']) {
    const from = compactDate(query.get(`${family}-date`) ?? null);
    const seconds = wholeNumber(query.get(`${family}-expires`));
    if (from !== null && seconds !== null) return instantOf(from + seconds * 1000);
  }
  const expires = query.get('expires') ?? '';
  return /^\d{9,11}$/.test(expires) ? instantOf(Number(expires)) : null;
}

/** The answer to registering a video or a shard at `base`. */
export const signedUploadAnswer = perAddress((base): z.ZodType<SignedUpload> => {
  const uploadURL = z
    .string()
    .transform((text) => plainWebAddress(text, base))
    .refine(Boolean);
  const details = z.looseObject({ uploadURL, extensionHeaders: headers() });
  return z.looseObject({ signedURLDetails: details }).transform((answer) => {
    const signed = answer.signedURLDetails;
    const limits = limitsIn([...Object.entries(signed), ...Object.entries(answer)]);
    return {
      url: signed.uploadURL,
      headers: signed.extensionHeaders,
      maxBytes: least([limits.bytes, rangeLimit(signed.extensionHeaders)]),
      maxMembers: limits.members,
      expiresAt: expiryOf(signed.uploadURL),
    };
  });
});
