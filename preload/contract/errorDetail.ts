/** What is shown about an error in addition to the text of its code. */
import type { ErrorCode, ErrorContext, SluiceError } from './errors.ts';

/** Statuses of 500 and above that a network or a program in between sends for its own reasons. */
const NOT_FAILING = [501, 505, 511];

/**
 * The code whose texts are shown. An answer that is not a page may come from the service itself, and some pages come from a gateway that
 * cannot reach the service: in both cases a person is not told to sign in.
 */
export function shownCode({ code, context }: Pick<SluiceError, 'code' | 'context'>): ErrorCode {
  if (code !== 'network.intercepted') return code;
  const { status, plain } = context;
  if (typeof status === 'number' && status >= 500 && !NOT_FAILING.includes(status))
    return status === 500 ? 'service.failed' : 'service.busy';
  return plain === true ? 'service.unexpectedAnswer' : code;
}

/** Which request it was, such as “batch shards”; null when that is not known. */
function requestOf({ operation }: ErrorContext): string | null {
  const words = typeof operation === 'string' ? operation.replace(/[A-Z]/g, ' $&') : null;
  return words === null ? null : `request: ${words.toLowerCase()}`;
}

/** Names under which a service states a reason. */
const REASONS = /reason|error|message|detail|description|cause/i;

/** The texts and numbers in JSON, each with the names that lead to it. */
function* statedIn(value: unknown, names: readonly string[]): Generator<readonly [string, string]> {
  if (typeof value !== 'object') yield [names.join('.'), String(value)];
  else
    for (const [name, inner] of Object.entries(value ?? {}))
      yield* statedIn(inner, Array.isArray(value) ? names : [...names, name]);
}

/** What a service said, in plain words: of JSON, the reasons in it, or else all that it states. Other text stays as it is. */
export function plainWords(said: string): string {
  if (!/^\s*[[{]/.test(said)) return said;
  try {
    const stated = [...statedIn(JSON.parse(said), [])];
    const reasons = stated.flatMap(([name, text]) => (REASONS.test(name) ? [text] : []));
    const words =
      reasons.length > 0 ? reasons : stated.map((one) => one.filter(Boolean).join(': '));
    return [...new Set(words)].join(', ') || said;
  } catch {
    return said;
  }
}

/** The service's or the system's own message; for an answer that is not understood, the request; null when the code says it all. */
export function detailOf(error: Pick<SluiceError, 'code' | 'context'>): string | null {
  const { said, reason } = error.context;
  const isUnclear = shownCode(error) === 'service.unexpectedAnswer';
  const detail = said ?? reason ?? (isUnclear ? requestOf(error.context) : null);
  return detail === null ? null : plainWords(String(detail));
}

/** A message with a detail in parentheses at the end of its first sentence. */
export function withDetail(message: string, detail: string): string {
  const end = message.search(/\.(?= |$)/);
  return `${message.slice(0, end)} (${detail.replace(/\.$/, '')})${message.slice(end)}`;
}
