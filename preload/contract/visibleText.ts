/** Makes names safe to show: no control characters, no changes of text direction, nothing invisible. */

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Control characters, line and paragraph separators, direction changes, lone surrogates, and zero-width characters, which could make two
 * different names look the same. The joiners that scripts and emoji need are allowed. U+EF80 to U+EFFF are bytes of a path that are
 * not text.
 */
const INVISIBLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\uef80-\uefff\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function escapeOne(character: string): string {
  const known = ESCAPES[character];
  if (known !== undefined) return known;
  const point = character.codePointAt(0) ?? 0;
  const code = (point >= 0xef80 && point <= 0xefff ? point - 0xef00 : point).toString(16);
  if (code.length > 4) return `\\u{${code}}`;
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
}

/** The text on one line, with an escape for each invisible character. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escapeOne);
}
