/** The man page, generated from the table of commands. */
import { expect, test } from 'vitest';
import { manPage } from '../../../build/commandDocs.ts';
import { COMMANDS } from '../../../main/cli/options/pages.ts';

test('the man page has every command with its options, and nothing that roff would take for its own', () => {
  const page = manPage('1.2.3');
  expect(page).toContain('.TH SLUICE 1 "" "sluice 1.2.3"');
  for (const [name, { subcommands = {} }] of Object.entries(COMMANDS)) {
    const words = [name, ...Object.keys(subcommands).map((sub) => `${name} ${sub}`)];
    for (const one of words) expect(page).toContain(`.SS sluice ${one.replaceAll('-', '\\-')}`);
  }
  expect(page).toContain('.B \\-\\-max\\-failure\\-rate FRACTION');
  const names = new Set([...page.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name));
  expect([...names].sort()).toEqual(['B', 'PP', 'SH', 'SS', 'TH', 'TP', 'fi', 'nf']);
});
