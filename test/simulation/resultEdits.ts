/** What a user does to result files between two runs. Sluice must never overwrite any of it. */
import type { Computer } from './computer.ts';
import type { Dice } from './dice.ts';
import { contentHash } from '../../main/engine/files/contentHash.ts';
import { sameLength } from './content.ts';
import { FIRST_RESULT, RESULT_PARTS } from './jobResults.ts';
import type { Trace } from './trace.ts';
import { RESULTS } from './watchPlan.ts';

export interface ResultEdit {
  /** `own`: the user puts their own file where one of the results will go. */
  readonly act: 'other content' | 'same length' | 'delete' | 'own';
  /** Which of the files, as a fraction of the list. */
  readonly which: number;
}

export function drawResultEdits(dice: Dice): readonly ResultEdit[] {
  return Array.from({ length: dice.pick([0, 1, 4]) }, () => ({
    act: dice.pick<ResultEdit['act']>(['other content', 'same length', 'delete', 'own']),
    which: dice.fraction(),
  }));
}

/** Applies an edit; does nothing if there are no results yet. Adds content that the user took away to `spoiled`. */
export function editResult(
  { disk, plan, spoiled }: Computer,
  edit: ResultEdit,
  trace: Trace,
): void {
  const files = disk.filesBelow(RESULTS).filter((path) => !path.endsWith('.part'));
  const path =
    edit.act === 'own'
      ? `${RESULTS}/${plan.batch}/${RESULT_PARTS[0]}/${FIRST_RESULT}`
      : files[Math.floor(edit.which * files.length)];
  const node = path === undefined ? null : disk.get(path);
  if (path === undefined || (edit.act === 'own' && node !== null)) return;
  trace.note(`${plan.name} user: ${edit.act}, ${path}`);
  if (node?.type === 'file') spoiled.add(contentHash(node.bytes));
  if (edit.act === 'delete') disk.remove('user', path);
  else {
    const before = node?.type === 'file' ? node.bytes : Buffer.from('mine\n');
    const same = edit.act === 'same length';
    disk.write(
      'user',
      path,
      same ? sameLength(before) : Buffer.from(`mine: ${String(before.length)}\n`),
    );
  }
}
