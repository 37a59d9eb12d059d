/** Files that the user renames, as programs do that write under another name first, and as people do while files are sent. */
import { basename, dirname } from 'node:path';
import type { Dice } from './dice.ts';
import type { Edit } from './plan.ts';

/** What a path holds at a time; null when it holds nothing. */
function contentAt(edits: readonly Edit[], path: string, at: number): Buffer | null {
  const last = edits
    .filter((edit) => edit.at <= at && (edit.path === path || edit.from === path))
    .sort((one, other) => one.at - other.at)
    .at(-1);
  return last?.path === path ? last.content : null;
}

/** Where a file goes: another name, another directory, or the place of another file. */
function drawPlace(dice: Dice, path: string, others: readonly string[]): string {
  const [directory, name] = [dirname(path), basename(path)];
  const ending = name.slice(name.lastIndexOf('.'));
  const taken = others[dice.int(0, others.length - 1)] ?? path;
  return dice.pick([
    `${directory}/renamed-${dice.int(1, 9)}${ending}`,
    `${directory}/done/${name}`,
    taken.endsWith(ending) ? taken : `${directory}/other-${name}`,
  ]);
}

/** The rest of a file that grows is written to where it was renamed to; it is gone with a file that another one replaces. */
function afterRename(edits: readonly Edit[], { at, path, from }: Edit): readonly Edit[] {
  const grows = ({ begunAt = Infinity, at: whole }: Edit): boolean => begunAt <= at && at < whole;
  return edits
    .filter((edit) => !grows(edit) || edit.path !== path)
    .map((edit) => (grows(edit) && edit.path === from ? { ...edit, path } : edit));
}

/** These edits, and drawn renames of the files that they bring. */
export function withRenames(dice: Dice, edits: readonly Edit[], calmAt: number): readonly Edit[] {
  let all = edits;
  let last = 0;
  const paths = [...new Set(edits.map(({ path }) => path))];
  const count = dice.pick([1, 1, 2, 5]);
  for (let number = 1; number <= count; number += 1) {
    const from = paths[dice.int(0, paths.length - 1)];
    const at = Math.round(10 * (calmAt / 10) ** dice.fraction());
    const after = Math.max(at, last);
    if (from === undefined || after > calmAt) continue;
    const content = contentAt(all, from, after);
    const path = drawPlace(dice, from, paths);
    if (content === null || path === from) continue;
    const rename = { at: after, path, content, from };
    all = [...afterRename(all, rename), rename];
    last = after + 1;
  }
  return all;
}
