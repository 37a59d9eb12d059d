/** Text on its way to a terminal: keys hidden, and no name able to steer it, to break a line or to hide another name. */
import { visible } from '../../../preload/contract/visibleText.ts';
import { hideSecrets, redact } from '../../engine/core/redact.ts';

/**
 * Marks both ends of exact text. It is random, so no answer of a service can pretend to be exact. null until something is
 * marked: making it loads the cryptography, a tenth of the time that help takes.
 */
let mark: string | null = null;

/** A path or a file's name inside a sentence: what looks like an address in it is none, and is shown unchanged. */
export function exact(text: string): string {
  mark ??= `\ufdd0${crypto.randomUUID()}\ufdd1`;
  return `${mark}${text.replaceAll(mark, '')}${mark}`;
}

/** Marks each of the texts wherever the sentence has it. */
export function exactIn(sentence: string, texts: readonly string[]): string {
  const [first, ...rest] = texts.filter((text) => text !== '');
  if (first === undefined) return sentence;
  const parts = sentence.split(first).map((part) => exactIn(part, rest));
  return parts.join(exact(first));
}

/** Control characters, line and paragraph separators, characters that turn the direction, half surrogates. */
const STEERING =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/gu;

/** JSON whose text steers no terminal either: escapes that every reader of JSON undoes. */
export function harmlessJson(json: string): string {
  return json.replace(STEERING, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The text as it may be shown on one line: secrets hidden, what steers a terminal written as an escape. */
export function clean(text: string): string {
  const shown = (mark === null ? [text] : text.split(mark))
    .map((part, index) => (index % 2 === 0 ? redact(part) : hideSecrets(part)))
    .join('');
  return visible(shown);
}

/** Characters that take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Characters that take none. */
const NONE = /[\p{Mn}\p{Me}\p{Cf}]/u;

function columnsOf(character: string): number {
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  // Nearly every text is plain.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of a text that fits into this many columns. */
export function cutTo(text: string, columns: number): string {
  if (text.length * 2 <= columns) return text;
  let width = 0;
  let cut = '';
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns) return cut;
    cut += character;
  }
  return cut;
}
