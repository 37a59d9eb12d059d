/** Text for a terminal: keys are hidden, and no name can control the terminal, break a line or hide another name. */
import { visible } from '../../../preload/contract/visibleText.ts';
import { hideSecrets, redact } from '../../engine/core/redact.ts';

/**
 * Marks both ends of exact text. Random, so that no answer of a service can pretend to be exact. null until something is marked: creating
 * it loads the crypto module, which takes a tenth of the time of printing help.
 */
let mark: string | null = null;

/** A path or file name inside a sentence: shown unchanged, even if part of it looks like an address. */
export function exact(text: string): string {
  mark ??= `\ufdd0${crypto.randomUUID()}\ufdd1`;
  return `${mark}${text.replaceAll(mark, '')}${mark}`;
}

/** Marks each of the texts wherever it occurs in the sentence. */
export function exactIn(sentence: string, texts: readonly string[]): string {
  const [first, ...rest] = texts.filter((text) => text !== '');
  if (first === undefined) return sentence;
  const parts = sentence.split(first).map((part) => exactIn(part, rest));
  return parts.join(exact(first));
}

/** Control characters, line and paragraph separators, text direction characters, lone surrogates. */
const STEERING =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/gu;

/** JSON that cannot control a terminal either: it uses escapes that every JSON reader undoes. */
export function harmlessJson(json: string): string {
  return json.replace(STEERING, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The text in a form that is safe on one line: secrets hidden, terminal control characters written as escapes. */
export function clean(text: string): string {
  const shown = (mark === null ? [text] : text.split(mark))
    .map((part, index) => (index % 2 === 0 ? redact(part) : hideSecrets(part)))
    .join('');
  return visible(shown);
}

/** Characters that take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Characters that take no column. */
const NONE = /[\p{Mn}\p{Me}\p{Cf}]/u;

function columnsOf(character: string): number {
  if (NONE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** How many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  // Nearly every text is plain ASCII.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of a text that fits into the given number of columns. */
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
