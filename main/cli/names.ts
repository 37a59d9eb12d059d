/** Words that match no command, and the nearest command for them. Pure. */
import { COMMANDS, subcommandsOf } from './options/pages.ts';
import { mistakeOf, quietCommand } from './terminal/args.ts';

/** The error message for a word that is not among the names, with a suggestion when one is close. */
export function unknownName(word: string, names: readonly string[]): string {
  const parser = quietCommand();
  for (const name of names) parser.command(name);
  try {
    if (!word.startsWith('-')) parser.parse([word], { from: 'user' });
  } catch (error) {
    return mistakeOf(error);
  }
  return `unknown command '${word}'`;
}

/** The commands that have a sub-command of this name: `download` belongs to `batch`. */
function familiesOf(word: string): readonly string[] {
  return Object.entries(COMMANDS)
    .filter(([, command]) => subcommandsOf(command)[word] !== undefined)
    .map(([name]) => `sluice ${name} ${word}`);
}

export function unknownCommand(word: string): string {
  const families = familiesOf(word);
  const mistake = unknownName(word, [...Object.keys(COMMANDS), 'help']);
  return families.length === 0 || mistake.includes('Did you mean')
    ? mistake
    : `${mistake}. Did you mean ${families.join(' or ')}?`;
}
