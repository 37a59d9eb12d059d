/** Any text, for fast-check. */
import * as fc from 'fast-check';

/** Half characters, of which no text consists: they begin here, and there are this many. */
const HALVES = { from: 0xd800, count: 0x800 };

function toCharacter(index: number): string {
  return String.fromCodePoint(index < HALVES.from ? index : index + HALVES.count);
}

function toIndex(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
  const index = code < HALVES.from ? code : code - HALVES.count;
  if (index < 0 || toCharacter(index) !== character) throw new Error('one whole character');
  return index;
}

/** What `binary` generates. That one first makes a table of all characters, which takes seconds of processor time. */
const character = fc.nat({ max: 0x10ffff - HALVES.count }).map(toCharacter, toIndex);

/** A text of any characters, also of control characters and of those that are not assigned. */
export function anyText(limits: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...limits });
}
