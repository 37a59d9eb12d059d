/** Parts that the schemas of the service's answers share. Lenient: documented alternatives are accepted, unknown fields ignored. */
import { z } from 'zod';
import { once } from '../../core/contract.ts';
import type { ServiceStatus } from '../../core/model.ts';
import { redact } from '../../core/redact.ts';
import type { Page } from '../serviceClient.ts';

/** Later times are treated as invalid, epoch ms (the year 9999). */
const LAST_INSTANT = 253_402_300_799_000;

function wholeCount(value: number): number {
  return Math.max(0, Math.trunc(value));
}

function readable<T>(values: readonly unknown[], entry: z.ZodType<T>): readonly T[] {
  return values.flatMap((value) => {
    const read = entry.safeParse(value);
    return read.success ? [read.data] : [];
  });
}

function instantOfNumber(value: number): number | null {
  // Smaller numbers are seconds (up to the year 5138), larger ones milliseconds (since 1973).
  const at = Math.abs(value) < 100_000_000_000 ? value * 1000 : value;
  return Number.isFinite(at) && at >= 0 && at <= LAST_INSTANT ? Math.round(at) : null;
}

function instantOfText(text: string): number | null {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return instantOfNumber(Number(trimmed));
  const hasZone = /(Z|[+-]\d{2}:?\d{2})$/i.test(trimmed);
  const isIso = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(trimmed);
  // A date-time without a zone is in the service's zone, which is UTC.
  const at = Date.parse(isIso && !hasZone ? `${trimmed.replace(' ', 'T')}Z` : trimmed);
  return Number.isNaN(at) ? null : instantOfNumber(at < 100_000_000_000 ? at / 1000 : at);
}

/** A field of an object; undefined for anything else. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([known]) => known === name)?.[1];
}

/** Reads ISO strings with or without zone, epoch seconds or milliseconds, and Firestore pairs; null for anything else. */
export function instantOf(value: unknown): number | null {
  if (typeof value === 'number') return instantOfNumber(value);
  if (typeof value === 'string') return instantOfText(value);
  if (typeof value !== 'object' || value === null) return null;
  const seconds = fieldOf(value, '_seconds') ?? fieldOf(value, 'seconds');
  const at = typeof seconds === 'object' ? null : instantOf(seconds);
  const part = fieldOf(value, '_nanoseconds') ?? fieldOf(value, 'nanoseconds');
  const nanos = typeof part === 'object' ? 0 : Number(part) || 0;
  return at === null ? null : Math.round(at + nanos / 1e6);
}

/** A required time, epoch ms. */
export const instant = once(() =>
  z.unknown().transform((value, context): number => {
    const at = instantOf(value);
    if (at !== null) return at;
    context.addIssue({ code: 'custom', message: 'no instant' });
    return z.NEVER;
  }),
);
/** A time that is not required, epoch ms; 0 when the service states none that can be read. */
export const eventInstant = once(() =>
  z
    .unknown()
    .optional()
    .transform((value): number => instantOf(value) ?? 0),
);
/** A time that may be absent, epoch ms. */
export const maybeInstant = once(() => z.unknown().optional().transform(instantOf));

/** Text that may be absent; some services write "" for that. */
export const maybeText = once(() =>
  z
    .string()
    .nullish()
    .transform((value) => (value?.trim() ? value : null)),
);
/** Text to show; null when the answer has anything else in its place. */
export const shownText = once(() => maybeText().catch(null));
/** An id that some answers write as a number. */
export const id = once(() =>
  z
    .union([z.string().min(1), z.number().transform(String)])
    .refine((value) => value.length <= 1024),
);
/** A number that some answers write as text; null for anything else. */
export const maybeNumber = once(() =>
  z
    .unknown()
    .optional()
    .transform((value): number | null => {
      const isText = typeof value === 'string' && value.trim() !== '';
      const number = isText ? Number(value) : value;
      return typeof number === 'number' && Number.isFinite(number) ? number : null;
    }),
);
/** A count; absent or unreadable counts as 0. */
export const count = once(() => maybeNumber().transform((value) => wholeCount(value ?? 0)));
export const maybeCount = once(() =>
  maybeNumber().transform((value) => (value === null ? null : wholeCount(value))),
);
const NOTHING: readonly unknown[] = [null, true, 0, '', 'ok'];

/** True for an object without any content. */
function saysNothing(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((field) => NOTHING.includes(field));
}

/** A list in an answer. Some services write an empty list as null, or leave it out if the answer has no other content. */
export const entries = once(() =>
  z
    .preprocess((value) => (saysNothing(value) ? null : value), z.array(z.unknown()).nullable())
    .transform((values) => values ?? []),
);
/** A list from which entries that cannot be read are left out: they must not hide the others. */
export function readableOf<T>(entry: z.ZodType<T>) {
  return entries().transform((values) => readable(values, entry));
}
/** The same, but a list of which no entry can be read is not the service's. */
export function listOf<T>(entry: z.ZodType<T>) {
  return entries().transform((values, context) => {
    const read = readable(values, entry);
    if (values.length > 0 && read.length === 0) {
      context.addIssue({ code: 'custom', message: 'no readable entry' });
    }
    return read;
  });
}
/** The token of the next page; empty means none. */
const pageToken = once(() =>
  z
    .union([z.string().max(8192), z.number().transform(String)])
    .nullish()
    .transform((value) => value || null),
);
/** The content of an answer and its page token. The content is in the first of these fields that exists, or it is the whole answer. */
function contentIn(answer: unknown, names: readonly string[]) {
  const isRecord = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  const fields = new Map<string, unknown>(Object.entries(isRecord ? answer : {}));
  const name = names.find((known) => fields.has(known));
  const content = name === undefined ? answer : fields.get(name);
  return { content, nextPageToken: fields.get('nextPageToken') };
}

/** An answer with its content in one of these fields, or bare, without an object around it. */
export function inField<T>(content: z.ZodType<T>, ...names: readonly string[]) {
  return z
    .preprocess((answer) => contentIn(answer, names), z.object({ content }))
    .transform((answer): T => answer.content);
}

/** The same for one page of a list. */
export function pageIn<T>(items: z.ZodType<readonly T[]>, name: string) {
  const page = z.object({ content: items, nextPageToken: pageToken() });
  return z
    .preprocess((answer) => contentIn(answer, [name]), page)
    .transform(({ content, nextPageToken }): Page<T> => ({ items: content, nextPageToken }));
}

/** A list of texts; entries of other types are left out. */
export const textList = once(() =>
  z
    .array(z.unknown())
    .nullish()
    .transform((values) => (values ?? []).filter((value) => typeof value === 'string')),
);

/** Compact, redacted JSON of something the service adds; null when there is nothing or it cannot be serialized. */
export function compactJson(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  try {
    const text = JSON.stringify(value);
    return text === '{}' || text === '[]' ? null : redact(text);
  } catch {
    // Nested too deeply for the stack.
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The text of a notification, which is a string or an object with a message or a type. */
export function notificationText(value: unknown): string | null {
  const text = textOf(value) ?? textOf(fieldOf(value, 'message')) ?? textOf(fieldOf(value, 'type'));
  if (text !== null) return redact(text);
  return typeof value === 'object' ? compactJson(value) : null;
}

const RUNNING = /^(info|pending|queued|running|started|processing|in[-_ ]?progress|waiting)$/;
const FAILED =
  /error|fail|abort|cancel|reject|unsuccess|stopped|killed|crash|expired|timed?[-_ ]?out/;
const SUCCEEDED = /success|succeeded|completed|done|^complete$|^finished$/;

/** Maps the service's `statusType`. */
export function statusOf(word: string): ServiceStatus {
  const known = word.trim().toLowerCase();
  if (RUNNING.test(known)) return 'running';
  if (FAILED.test(known)) return 'failed';
  if (SUCCEEDED.test(known)) return 'succeeded';
  return 'unknown';
}

/** True for an absolute http(s) address without credentials; nothing is fetched from or sent to any other. */
export function isPlainWebAddress(text: string): boolean {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url !== null && url.username === '' && url.password === '' && url.hostname !== '';
}

/** Where an address in an answer leads: a path is relative to the request. The query stays byte for byte: it may be signed. */
function absolute(text: string, base: string): string {
  if (!/^[^:?#]*\//.test(text)) return text;
  const [path = ''] = text.split(/[?#]/, 1);
  const url = URL.parse(path, base);
  return url === null ? text : url.href + text.slice(path.length);
}

/**
 * A schema for answers from one address, kept until an answer from another address is read: making a schema takes as long as reading a
 * hundred rows.
 */
export function perAddress<T>(make: (base: string) => T): (url: string) => T {
  let last: { readonly base: string; readonly made: T } | null = null;
  return (url) => {
    // Relative addresses do not depend on the query, which may name a page.
    const [base = ''] = url.split(/[?#]/, 1);
    if (last?.base !== base) last = { base, made: make(base) };
    return last.made;
  };
}

/** An address from an answer to a request to `base`, to fetch from or send to; '' when it is not one that we use. */
export function plainWebAddress(text: string, base: string): string {
  const address = absolute(text, base);
  return isPlainWebAddress(address) ? address : '';
}
