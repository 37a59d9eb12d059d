/** `sluice watch undo-moves`: moves files back to where they were before `--move-to` moved them. */
import type { SluiceError } from '../../../preload/contract/errors.ts';
import { explain } from '../../../preload/contract/messages.ts';
import { hasLedger, ledgerPath } from '../../engine/core/dataDirectory.ts';
import { ok } from '../../engine/core/errors.ts';
import { everyWatch, type Watch } from '../../engine/watches/registry.ts';
import { type NotMovedBack, undoMoves } from '../../engine/watches/undoMoves.ts';
import type { Store } from '../../engine/queries/overview.ts';
import { givenPath } from '../options/givenPath.ts';
import type { Action } from '../session/context.ts';
import { writeLedger } from '../session/ledger.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { count } from '../terminal/format.ts';
import { exact } from '../terminal/shownText.ts';

/**
 * The watch with an id, or those of a directory, one of each destination: no list shows the id of a `sluice watch DIR`. Also those that
 * were removed: their files were moved all the same.
 */
function watchesNamed(store: Store, word: string): readonly Watch[] {
  const path = givenPath(word);
  const named = everyWatch(store).filter(({ id, rule }) =>
    /^\d+$/.test(word) ? id === Number(word) : rule.directory === path || rule.link === path,
  );
  return [...new Map(named.map((one) => [one.destinationId, one])).values()];
}

function whyNotBack(error: SluiceError): string {
  // It was not read: something has its name.
  return error.code === 'item.changed'
    ? 'Another file is at its old place.'
    : explain(error).message;
}

export const undoing: Action = async (context, [word = '']) => {
  const none = `there is no watch ${word}`;
  if (!hasLedger(ledgerPath(context.dataDirectory))) return usage(none);
  return writeLedger(context, async (store) => {
    const watches = watchesNamed(store, word);
    const [first] = watches;
    if (first === undefined) return usage(none);
    const moving = { ports: await context.ports(), store, drives: new Set<string>() };
    const left: NotMovedBack[] = [];
    let total = 0;
    for (const watch of watches) {
      const done = await undoMoves(moving, watch);
      left.push(...done.left);
      total += done.undone;
    }
    for (const { move, error } of left)
      context.output.say(`Not moved back: ${exact(move.to)}. ${whyNotBack(error)}`);
    const said = `${count(total, 'file')} moved back.`;
    const rest = left.map(({ move: { from, to }, error }) => ({ from, to, code: error.code }));
    const shown = context.output.result({ watch: first.id, said, left: rest }, [said]);
    return left.length > 0 ? ok(EXIT.attention) : shown;
  });
};
