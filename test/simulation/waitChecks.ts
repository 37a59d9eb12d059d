/** Nothing waits silently: whatever has been in progress for long is shown as waiting, with an age. */
import type { Computer } from './computer.ts';
import { openWaits } from '../../main/engine/status/waits.ts';

/** Anything open for longer than this must be shown, ms. */
const SILENT_MS = 60 * 60_000;
const OPEN = `('queued', 'planned', 'sending', 'sent', 'unknown')`;

/** Checks the running process of a computer; finds nothing if none runs. */
export function checkWaits(computer: Computer): readonly string[] {
  const process = computer.running();
  if (process === null) return [];
  const { store, ports } = process;
  const connection = store.get('SELECT id FROM connections LIMIT 1')?.['id'];
  if (typeof connection !== 'number') return [];
  const waits = openWaits(store, connection);
  const ageless = waits.filter(({ kind, since }) => since === null && kind !== 'batchPaused');
  const problems = ageless.map((wait) => `a wait without an age: ${JSON.stringify(wait)}`);
  // The wall clock may have jumped: only an age that is possible since the start counts.
  const now = ports.clock.now();
  const upMs = ports.clock.monotonicMs();
  const oldest = store.get(
    `SELECT min(state_at) AS at, count(*) AS count FROM items WHERE state IN ${OPEN} AND ?1 - state_at BETWEEN ?2 AND ?3`,
    now,
    SILENT_MS,
    upMs,
  );
  const count = Number(oldest?.['count'] ?? 0);
  if (count > 0 && waits.length === 0)
    problems.push(
      `${computer.plan.name}: ${count} files wait for over an hour, and nothing says so`,
    );
  return problems;
}
