/** `sluice batch receipt --merge FILE…`: the receipts of several machines as one. Needs neither a key nor a ledger. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Result } from '../../../preload/contract/errors.ts';
import { fail, ok } from '../../engine/core/errors.ts';
import { filesBelow } from '../../engine/uploads/chosenPaths.ts';
import {
  type MergedReceipt,
  type ReceiptRow,
  mergeReceipts,
  missingFrom,
  readReceiptText,
} from '../../engine/queries/receiptMerge.ts';
import { receiptCsv, receiptCsvHeading } from '../../engine/queries/receipt.ts';
import type { CommandContext } from '../session/context.ts';
import { usage } from '../terminal/args.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { count, formatBytes } from '../terminal/format.ts';
import { exact } from '../terminal/shownText.ts';

/** Files listed one by one in the output; the rest are counted. */
const NAMED = 20;

async function readReceiptFile(file: string): Promise<Result<readonly ReceiptRow[]>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return fail('usage.invalid', { said: 'this receipt cannot be read:', path: resolve(file) });
  }
  const rows = readReceiptText(text);
  if (rows.ok) return rows;
  return fail('usage.invalid', { ...rows.error.context, path: resolve(file) });
}

function listed(title: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const more = paths.length > NAMED ? [`  and ${paths.length - NAMED} more`] : [];
  return [title, ...paths.slice(0, NAMED).map((path) => `  ${exact(path)}`), ...more];
}

function describeMerged(
  merged: MergedReceipt,
  missing: readonly string[] | null,
): readonly string[] {
  const { rows, confirmed, bytes, skipped, repeatedContents, changed } = merged;
  const open = rows.filter(({ state }) => state !== 'confirmed' && state !== 'skipped');
  return [
    `${confirmed} of ${count(rows.length, 'file')} confirmed, ${formatBytes(bytes)}; ${skipped} skipped`,
    ...(repeatedContents > 0
      ? [`${count(repeatedContents, 'content')} arrived under more than one name.`]
      : []),
    ...listed(
      'Not confirmed:',
      open.map(({ path }) => path),
    ),
    ...listed('Changed between two uploads:', changed),
    ...(missing?.length === 0 ? ['Every file of the directory is in the receipts.'] : []),
    ...listed('In the directory and in no receipt:', missing ?? []),
  ];
}

/** Merges the receipts and reports whether together they are complete. Errors: usage.invalid, directory.unreadable, item.gone. */
export async function mergeReceiptFiles(
  context: CommandContext,
  files: readonly string[],
): Promise<Result<number>> {
  const { args, output } = context;
  if (args.flag('csv') && output.options.json) return usage('--csv or --json, not both');
  const receipts: (readonly ReceiptRow[])[] = [];
  for (const file of files) {
    const rows = await readReceiptFile(file);
    if (!rows.ok) return rows;
    receipts.push(rows.value);
  }
  const merged = mergeReceipts(receipts);
  const against = args.text('against');
  const below =
    against === null
      ? null
      : await filesBelow((await context.ports()).files, resolve(against), context.signal);
  if (below !== null && !below.ok) return below;
  if (context.signal.aborted) return ok(EXIT.interrupted);
  const missing = below === null ? null : missingFrom(merged, below.value);
  const words = describeMerged(merged, missing);
  if (args.flag('csv')) {
    output.rows(receiptCsvHeading());
    output.rows(receiptCsv(merged.rows));
    for (const line of words) output.say(line);
  } else {
    const { rows, ...figures } = merged;
    output.result({ ...figures, files: rows.length, missing, lines: rows }, words);
  }
  const isWhole = merged.open === 0 && (missing ?? []).length === 0;
  return ok(isWhole ? EXIT.done : EXIT.attention);
}
