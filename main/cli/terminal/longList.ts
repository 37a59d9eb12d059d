/** A list of any length as the result of a command, written group by group: its text is never held as a whole. */
import type { Result } from '../../../preload/contract/errors.ts';
import { ok } from '../../engine/core/errors.ts';
import { EXIT } from './exitCode.ts';
import { type Column, formatTable, withIsoTimes } from './format.ts';
import type { Output } from './output.ts';

/** How many things are written together; the columns of each group are aligned. Our choice. */
const GROUP = 1000;

/** Shows things as a table, or in JSON under `name` after `data`. `none`: what people read when there are none. */
export async function showList<T extends object>(
  output: Output,
  data: object,
  [name, things, none]: readonly [name: string, things: readonly T[], none: string],
  columns: readonly Column<T>[],
): Promise<Result<number>> {
  const each = async (take: (group: readonly T[], from: number) => void): Promise<void> => {
    for (let from = 0; from < things.length; from += GROUP) {
      take(things.slice(from, from + GROUP), from);
      await output.drained();
    }
  };
  if (output.options.json) {
    await output.longResult(data, name, async (add) => {
      await each((group) => add(group.map(withIsoTimes)));
      return {};
    });
  } else if (things.length === 0) output.lines([none]);
  else {
    await each((group, from) =>
      output.lines(formatTable(group, null, columns).slice(from === 0 ? 0 : 1)),
    );
  }
  return ok(EXIT.done);
}
