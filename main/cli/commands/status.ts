/** `sluice status`: what the ledger holds, and what is waiting. */
import type { Result } from '../../../preload/contract/errors.ts';
import { currentOwner, readStatus, type Store } from '../../engine/queries/overview.ts';
import { expiringResults, expirySentence } from '../../engine/jobs/resultsExpiry.ts';
import { watchesOf } from '../../engine/watches/registry.ts';
import { waitsToShow } from '../run/waits.ts';
import type { Action, CommandContext } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';
import { type Column, formatDuration, formatTable } from '../terminal/format.ts';

/** What to say without a single file. A running watch has its files only in memory until they are stable. */
function nothingYet({ dataDirectory }: CommandContext, store: Store | null): string {
  const owner = currentOwner(dataDirectory);
  if (owner === null) return 'Nothing yet. Start with: sluice upload PATH --batch ID';
  const watches = store === null ? [] : watchesOf(store, null);
  return watches.some(({ state }) => state === 'active')
    ? 'Nothing yet. A file in a watched directory is shown here once it has stopped changing.'
    : `Nothing yet. Sluice runs: ${owner}. It has found no files so far.`;
}

const IN_PARENTHESES =
  'In parentheses: files that are in no batch, by the batch or watch that they were found for.';

function expiryWords(leftMs: number | null): string | null {
  if (leftMs === null) return null;
  return leftMs <= 0 ? 'expired' : `expires in ${formatDuration(leftMs)}`;
}

function show(context: CommandContext, store: Store | null): Result<number> {
  const now = context.clock.now();
  const batches = store === null ? [] : readStatus(store, now);
  const results = store === null ? [] : expiringResults(store, now);
  const { waiting, urgent, others } = waitsToShow(context, store, now);
  const isOfSeveral = new Set(batches.map(({ workspace }) => workspace)).size > 1;
  const workspace: Column<(typeof batches)[number]> = ['workspace', (one) => one.workspace];
  const table = formatTable(batches, null, [
    ['batch', (one) => one.batch ?? `(${one.destination})`],
    ['queued', (one) => one.queued],
    ['sending', (one) => one.sending],
    ['confirmed', (one) => one.confirmed],
    ['skipped', (one) => one.skipped],
    ['needs attention', (one) => one.attention],
    ...(isOfSeveral ? [workspace] : []),
    ['', (one) => expiryWords(one.expiresInMs)],
  ]);
  const lines = batches.length > 0 ? table : waiting.length > 0 ? [] : [nothingYet(context, store)];
  const warnings = results.map(
    (one) =>
      `${expirySentence(one, now)} Fetch them: sluice batch download ${one.resultsBatch} --to DIR`,
  );
  return context.output.result({ batches, results, waiting }, [
    ...lines,
    ...(batches.some(({ batch }) => batch === null) ? [IN_PARENTHESES] : []),
    ...warnings,
    ...urgent.map((line) => `Please look: ${line}`),
    ...others,
  ]);
}

export const status: Action = (context) => readLedger(context, (store) => show(context, store));
