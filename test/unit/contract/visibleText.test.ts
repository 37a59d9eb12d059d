/** Names in the window and on the terminal: invisible characters are written out, and nothing else is changed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visible } from '../../../preload/contract/visibleText.ts';
import { anyText } from '../../helpers/anyText.ts';

test.each([
  ['turned\u202egpj.exe', 'turned\\u202egpj.exe'],
  ['a\u200bb\u00ad.jpg', 'a\\u200bb\\xad.jpg'],
  ['line\nbreak\t.jpg', 'line\\nbreak\\t.jpg'],
  ['\u{e0041}tag', '\\u{e0041}tag'],
  ['half\ud800', 'half\\ud800'],
  ['gr\uefff.jpg', 'gr\\xff.jpg'],
  ['日本語 é ü 👩‍🔬.jpg', '日本語 é ü 👩‍🔬.jpg'],
])('%j is shown as %j', (name, shown) => {
  expect(visible(name)).toBe(shown);
});

test('nothing controls the text around it, and visible text stays as it is', () => {
  fc.assert(
    fc.property(anyText(), (name) => {
      const shown = visible(name);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069]/u);
      expect(visible(shown)).toBe(shown);
    }),
  );
});
