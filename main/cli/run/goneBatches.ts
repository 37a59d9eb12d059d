/** Batches that the service no longer has, although it once confirmed files in them. */
import type { CommandContext } from '../session/context.ts';
import type { Session } from '../session/session.ts';

/** At most so many are looked at, the newest: each is a request, and a command may be run every few minutes. Our choice. */
const MOST_ASKED = 100;

/**
 * Says which of these batches, oldest first, are gone: a command with nothing to send does not look. A count may be late, so the list
 * must be empty, too. Nothing more is asked of a service that does not answer, so that the command does not wait once for each batch.
 */
export async function reportGone(
  { output, signal }: CommandContext,
  { client }: Session,
  batches: readonly string[],
): Promise<void> {
  for (const batch of batches.slice(-MOST_ASKED)) {
    const counted = await client.askCount(batch, null, signal);
    if (!counted.ok) return;
    if ((counted.value ?? 0) > 0) continue;
    const listed = await client.askFilesPage(batch, null, null, signal);
    if (!listed.ok) return;
    if ((listed.value?.items.length ?? 0) > 0) continue;
    const text = `The service has nothing in batch ${batch} any more: it has expired, or was deleted there. What it confirmed is not sent again; to send it again, use another batch id.`;
    output.event({ event: 'notice', text }, text);
  }
}
