/** `sluice status`: what the ledger holds, and what waits. */
import { ok } from '../../engine/core/errors.ts';
import { openReader, readStatus } from '../../engine/queries/reading.ts';
import { expiringResults, expirySentence } from '../../engine/jobs/resultsExpiry.ts';
import { waitsToShow } from '../run/waits.ts';
import type { Action } from '../session/context.ts';
import { formatDuration, formatTable } from '../terminal/format.ts';

/** Shows the state of every batch. */
export const status: Action = (context) => {
  const reader = openReader(context.dataDirectory);
  if (!reader.ok) return reader;
  const now = context.clock.now();
  const batches = reader.value === null ? [] : readStatus(reader.value, now);
  const results = reader.value === null ? [] : expiringResults(reader.value, now);
  const { waiting, urgent, others } = waitsToShow(context, reader.value, now);
  reader.value?.close();
  const rows = batches.map((batch) => [
    batch.batch ?? `(${batch.destination})`,
    String(batch.queued),
    String(batch.sending),
    String(batch.confirmed),
    String(batch.skipped),
    String(batch.attention),
    batch.expiresInMs === null
      ? ''
      : batch.expiresInMs <= 0
        ? 'expired'
        : `expires in ${formatDuration(batch.expiresInMs)}`,
  ]);
  const heading = ['batch', 'queued', 'sending', 'confirmed', 'skipped', 'needs you', ''];
  const lines =
    rows.length > 0
      ? formatTable([heading, ...rows])
      : waiting.length > 0
        ? []
        : ['Nothing yet. Start with: sluice upload PATH --batch ID'];
  const warnings = results.map(
    (one) =>
      `${expirySentence(one, now)} Fetch them: sluice batch download ${one.resultsBatch} --to DIR`,
  );
  context.output.result({ batches, results, waiting }, [
    ...lines,
    ...warnings,
    ...urgent.map((line) => `Please look: ${line}`),
    ...others,
  ]);
  return ok(0);
};
