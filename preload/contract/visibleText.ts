/** Names as they may be shown: nothing in them steers a terminal or a window, turns the direction, or cannot be seen. */

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Control characters, line and paragraph separators, characters that turn the direction, half surrogates; and those
 * that take no room, so that two different names would look the same. The joiners that scripts and emoji need stay.
 */
const UNSEEN =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function escapeOne(character: string): string {
  const known = ESCAPES[character];
  if (known !== undefined) return known;
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length > 4) return `\\u{${code}}`;
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
}

/** The text on one line, with an escape for each character that would not be seen. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escapeOne);
}
