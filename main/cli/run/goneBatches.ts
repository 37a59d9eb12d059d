/** Batches that the service no longer has in full, although it once confirmed files in them. */
import { readStatus } from '../../engine/queries/overview.ts';
import type { CommandContext } from '../session/context.ts';
import type { Session } from '../session/session.ts';
import { count, formatCount } from '../terminal/format.ts';
import { notify } from '../terminal/output.ts';

/** At most so many are looked at, the newest: each is a request, and a command may be run every few minutes. Our choice. */
const MOST_ASKED = 100;

const NEXT = 'What it confirmed is not sent again; to send it again, use another batch id.';

/** How many files were confirmed in each batch of the workspace, from all sources of this ledger. */
function confirmedByBatch({ engine, workspace }: Session): ReadonlyMap<string | null, number> {
  const sums = new Map<string | null, number>();
  for (const row of readStatus(engine.store, 0)) {
    if (row.workspace !== workspace) continue;
    sums.set(row.batch, (sums.get(row.batch) ?? 0) + row.confirmed);
  }
  return sums;
}

/**
 * Says which of these batches, oldest first, are gone, or hold less than was confirmed: a command with nothing to send does not look.
 * A count may be late, so for a batch to be gone the list must be empty, too. Nothing more is asked of a service that does not answer,
 * so that the command does not wait once for each batch.
 */
export async function reportGone(
  { output, signal }: CommandContext,
  session: Session,
  batches: readonly string[],
): Promise<void> {
  const { client } = session.running.pipeline;
  const confirmedIn = confirmedByBatch(session);
  for (const batch of batches.slice(-MOST_ASKED)) {
    const confirmed = confirmedIn.get(batch) ?? 0;
    const counted = await client.askCount(batch, null, signal);
    if (!counted.ok) return;
    const held = counted.value ?? 0;
    if (held > 0 && held < confirmed)
      notify(
        output,
        `The service counts ${count(held, 'file')} in batch ${batch}, where it had confirmed ${formatCount(confirmed)}: its count is late, or some were deleted there. ${NEXT}`,
      );
    if (held > 0) continue;
    const listed = await client.askFilesPage(batch, null, null, signal);
    if (!listed.ok) return;
    if ((listed.value?.items.length ?? 0) > 0) continue;
    notify(
      output,
      `The service has nothing in batch ${batch} any more: it has expired, or was deleted there. ${NEXT}`,
    );
  }
}
