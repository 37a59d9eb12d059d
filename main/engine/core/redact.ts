/**
 * The one redaction function: everything that is logged, printed, shown or put into an error passes through it.
 * Signed URLs and keys are secrets (CONTRIBUTING.md, goals). Only paths on this computer keep what looks like a query.
 */

const HIDDEN = '[hidden]';

/** Query parameters of URLs that name nothing secret; every other value in a query is hidden. */
const PLAIN_PARAMETERS = new Set([
  'fileName',
  'displayName',
  'pageSize',
  'partName',
  'startDate',
  'endDate',
  'project',
  'name',
  'severity',
  'groupId',
]);
/** Values of these parameters that cannot hide another parameter behind an encoded "&", "=", "?", "#" or "%". */
const PLAIN_VALUE = /^(?:[\w.~+:,!*()@$/-]|%(?!25|26|3d|3f|23)[0-9a-f]{2})*$/i;

/** Values registered as secret while the program runs, with a pattern for each; longest first. */
let secrets: readonly { readonly value: string; readonly pattern: RegExp }[] = [];

function hex(codeUnit: number, digits: number): string {
  return codeUnit.toString(16).padStart(digits, '0');
}

/** Characters that HTML writes by name. */
const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** A pattern for every way to write one character: plain, percent-encoded (also repeatedly), escaped as in JSON, code or HTML. */
function characterPattern(character: string): string {
  const plain = character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const bytes = [...new TextEncoder().encode(character)];
  const percent = bytes.map((byte) => `%(?:25)*${hex(byte, 2)}`).join('');
  const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at));
  const escaped = units.map((unit) => `\\\\{1,4}u${hex(unit, 4)}`).join('');
  const code = character.codePointAt(0) ?? 0;
  const name = HTML_NAMES[character];
  const entity = `&(?:amp;)*(?:#0*${code}|#x0*${hex(code, 1)}${name === undefined ? '' : `|${name}`});`;
  const short = code < 256 ? `|\\\\{1,4}x${hex(code, 2)}` : '';
  // JSON and shells put a backslash before some characters.
  return `(?:${entity}|\\\\{0,4}${plain}|${percent}|${escaped}${short}${character === ' ' ? '|\\+' : ''})`;
}

/** Keys shorter than this are not hidden in base64 and hex: so few digits could be part of any id. Our choice. */
const LEAST_ENCODED_BYTES = 8;

const BASE64_SIGN: Readonly<Record<string, string>> = {
  '+': String.raw`(?:[+-]|%(?:25)*2B)`,
  '/': String.raw`(?:\\{0,4}/|_|%(?:25)*2F)`,
};

/**
 * The value in base64 or base64url, after this many other bytes (0 to 2): the digits that depend on the value alone, and the
 * partial one and the padding behind them, if there are any.
 */
function base64Pattern(bytes: Uint8Array, bytesBefore: number): string {
  const all = Buffer.concat([Buffer.alloc(bytesBefore), bytes]);
  const digits = all.toString('base64').replace(/=+$/, '');
  const from = Math.ceil((bytesBefore * 8) / 6);
  const until = Math.floor((all.length * 8) / 6);
  const own = [...digits.slice(from, until)].map((digit) => BASE64_SIGN[digit] ?? digit).join('');
  return `${own}${until < digits.length ? '[\\w+/-]?' : ''}(?:=|%(?:25)*3D){0,2}`;
}

/** Patterns for the value as a whole in base64 and hex, which services and proxies use in messages and headers. */
function encodedPatterns(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  if (bytes.length < LEAST_ENCODED_BYTES) return [];
  return [
    ...[0, 1, 2].map((bytesBefore) => base64Pattern(bytes, bytesBefore)),
    [...bytes].map((byte) => hex(byte, 2)).join(''),
  ];
}

/** Of a longer value, only this many characters become a pattern: more would be too large for a regular expression. */
const MOST_MATCHED = 200;

/**
 * Matches the rest of a value with more than MOST_MATCHED characters: its remaining characters in any order and encoding, and base64. A
 * quote around the value ends the match. The length is limited, as a regular expression cannot match megabytes.
 */
function restPattern(characters: readonly string[]): string {
  if (characters.length === 0) return '';
  const known = [...new Set(characters)].map(characterPattern).join('|');
  return `(?:${known}|[\\w+/=%-]){0,${9 * characters.length}}`;
}

/** Registers a value that must never be shown. Values under 4 characters are ignored: hiding them would hide plain text. */
export function registerSecret(value: string): void {
  if (value.length < 4 || secrets.some((secret) => secret.value === value)) return;
  const characters = [...value];
  const matched = characters.slice(0, MOST_MATCHED);
  const patterns = [matched.map(characterPattern).join(''), ...encodedPatterns(matched.join(''))];
  const rest = restPattern(characters.slice(MOST_MATCHED));
  const pattern = new RegExp(patterns.map((one) => `${one}${rest}`).join('|'), 'gi');
  secrets = [...secrets, { value, pattern }].sort((a, b) => b.value.length - a.value.length);
}

const QUOTE = String.raw`(?:\\{0,4}["'])?`;
/** Names whose values are secrets wherever they occur. */
const SECRET_NAME = String.raw`(?:x-)?(?:api[_-]?key|(?:access|auth|refresh)[_-]?token|token|secret|password|signature)`;

/** `name: value` and `"name":"value with spaces"`, also with escaped quotes. */
const NAMED_QUOTED = new RegExp(
  String.raw`(\b${SECRET_NAME}${QUOTE}\s*[:=]\s*)(\\{0,4}["'])(?:(?!\2).)*`,
  'gis',
);
const NAMED = new RegExp(
  String.raw`(\b${SECRET_NAME}${QUOTE}\s*(?:[:=]|%(?:25)*3D)\s*)(?!\\{0,4}["'])[^\s"',;&}]+`,
  'gi',
);
const AUTHORIZATION = new RegExp(
  String.raw`(\bauthorization${QUOTE}\s*[:=]\s*${QUOTE})(?:(?:basic|bearer|digest|token)\s+)?[^\s"',;}]+`,
  'gi',
);
const BEARER = /\bBearer(?:\s|%20|\+)+[^\s"',;&]+/gi;
const USER_INFO = /\b([a-z][a-z0-9+.-]{0,20}:(?:\\?\/){2})[^\s/"'<>?#]*@/gi;
/** A query parameter after "?", "&" or "#", also in the spelling of HTML, JSON or a nested URL. */
const PARAMETER =
  /(&amp;|[?&#]|\\{1,4}u0026|%(?:25)*(?:26|3F|23))([^=&\s"'<>#?%\\]{1,100})(=|\\{1,4}u003d|%(?:25)*3D)([^&\s"'<>#]*)/gi;

/** Hides only registered values: for a path on this computer, which may look like a URL without being one. */
export function hideSecrets(text: string): string {
  let clean = text;
  for (const { pattern } of secrets) clean = clean.replace(pattern, HIDDEN);
  return clean;
}

/** Returns the text with keys, signed URLs and credentials replaced by "[hidden]". Never throws. */
export function redact(text: string): string {
  const known = hideSecrets(text);
  // Without one of these nothing below can match; most texts are plain words and figures.
  if (!/[=:%?&#@\\]|bearer/i.test(known)) return known;
  return known
    .replace(USER_INFO, `$1${HIDDEN}@`)
    .replace(AUTHORIZATION, `$1${HIDDEN}`)
    .replace(BEARER, `Bearer ${HIDDEN}`)
    .replace(PARAMETER, (whole, mark: string, name: string, equals: string, value: string) =>
      PLAIN_PARAMETERS.has(name) && PLAIN_VALUE.test(value)
        ? whole
        : `${mark}${name}${equals}${HIDDEN}`,
    )
    .replace(NAMED_QUOTED, `$1$2${HIDDEN}`)
    .replace(NAMED, `$1${HIDDEN}`);
}
